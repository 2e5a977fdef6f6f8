// The picture of the README: what a report says at its top, and the figures that speak for the others.
//
//     node picture.mjs REPORT.html OUT.png
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [report, out] = process.argv.slice(2);
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const page = await (await browser.newContext({ viewport: { width: 1000, height: 900 }, deviceScaleFactor: 1.5, colorScheme: "light" })).newPage();
await page.goto(pathToFileURL(resolve(report)).href);
await page.waitForSelector("html[data-ready]");
await page.addStyleTag({ content: "header > :not(#view), #view label:not(:has(:checked)), nav, .controls, details, .notes, .held, #verdict, section:not(#fig8):not(#fig10) { display: none !important } body { display: block } section { border: 0; padding: .4rem 0 } main { padding: .2rem 1rem .6rem } header { border: 0; padding: .6rem 1rem 0 } #came { border: 0; padding: .4rem 1rem 0 }" });
await page.evaluate(() => dispatchEvent(new Event("resize"))); // drawn again as wide as there is room now
await page.waitForTimeout(500);
await page.locator("body").screenshot({ path: out });
await browser.close();
