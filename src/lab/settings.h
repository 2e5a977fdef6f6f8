// Configurations in the results database. A run has hundreds of settings, and a sweep changes few. A
// configuration is stored as differences from the most similar bundled GPU. The choice of GPU depends on the
// configuration alone, so rows do not depend on the order of runs. View `configs` has the full
// configurations.
#pragma once
#include "lab/database.h"

// Stores a configuration unless present. *name: its name, a hash.
bool settings_store(struct database *db, const struct json_value *config, char name[17]);
void settings_fini(struct database *db);
