# The experiments and the database's schema are embedded where they are used.
$(BUILD)/src/lab/experiment.o: $(wildcard experiments/*)
$(BUILD)/src/lab/database.o: src/lab/schema.sql
