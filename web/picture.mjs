// The picture of the README: the figures of a report that speak for the others.
//
//     node picture.mjs REPORT.html OUT.png
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [report, out] = process.argv.slice(2);
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const page = await (await browser.newContext({ viewport: { width: 1000, height: 900 }, deviceScaleFactor: 2, colorScheme: "light" })).newPage();
await page.goto(pathToFileURL(resolve(report)).href);
await page.waitForSelector("html[data-ready]");
await page.addStyleTag({ content: "header, nav, .controls, details, .notes, section:not(#fig8):not(#fig10) { display: none !important } body { display: block } section { border: 0; padding: .4rem 0 } main { padding: .5rem 1rem }" });
await page.evaluate(() => dispatchEvent(new Event("resize"))); // drawn again as wide as there is room now
await page.waitForTimeout(500);
await page.locator("main").screenshot({ path: out });
await browser.close();
