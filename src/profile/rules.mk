# The page's template is embedded where it is used.
$(BUILD)/src/profile/page.o: web/profile.html
