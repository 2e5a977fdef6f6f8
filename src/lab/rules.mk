# The experiments, the database's schema and the page's template are embedded where they are used.
$(BUILD)/src/lab/experiment.o: $(wildcard experiments/*)
$(BUILD)/src/lab/database.o: src/lab/schema.sql
$(BUILD)/src/lab/page.o: web/dist/report.html
