// Configurations in the results database. A run has hundreds of settings, of which a sweep changes one: so what is kept of a
// configuration is the bundled GPU that it differs least from, and where it differs. Which GPU that is depends on nothing but the
// configuration, so that the rows do not depend on the order in which runs come. View `configs` has them whole.
#pragma once
#include "lab/database.h"

// The name of a configuration that the database has by now: a hash of it.
bool settings_store(struct database *db, const struct json_value *config, char name[17]);
void settings_fini(struct database *db);
