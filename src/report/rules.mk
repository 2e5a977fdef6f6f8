# The stepping page's template is embedded where it is used.
$(BUILD)/src/report/steps.o: web/steps.html
