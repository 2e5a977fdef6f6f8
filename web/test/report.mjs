// The report in headless Chromium: it loads without errors or network, draws every figure, shows values under the
// pointer, sorts tables, works from the keyboard, downloads drawings, and does so in both themes.
//
//     node test/report.mjs REPORT.html [FOLDER FOR SCREENSHOTS]
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [report, screenshots] = process.argv.slice(2);
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
assert(report, "usage: node test/report.mjs REPORT.html [FOLDER]");
assert(executablePath, "Chromium is not installed");

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, acceptDownloads: true });
const page = await context.newPage();
const problems = [];
page.on("pageerror", (e) => problems.push(`error: ${e.message}`));
page.on("console", (m) => m.type() === "error" && problems.push(`console: ${m.text()}`));
page.on("request", (r) => /^(file|data|blob):/.test(r.url()) || problems.push(`network: ${r.url()}`));

await page.goto(pathToFileURL(resolve(report)).href);
await page.waitForSelector("html[data-ready]");
const data = JSON.parse(await page.locator("#data").textContent());

// Every figure has its section, and a drawing or a table.
for (const figure of data.figures) {
  const section = page.locator(`section#${figure.name}`);
  assert.equal(await section.count(), 1, `no section for ${figure.name}`);
  const drawn = figure.show !== "table" && figure.views[0].points.some((p) => p.value != null);
  if (drawn) assert(await section.locator(".chart svg").count() > 0, `${figure.name} is not drawn`);
  const rows = new Set(figure.views[0].points.map((p) => p.order)).size;
  assert.equal(await section.locator("tbody tr").count(), rows, `rows of ${figure.name}`);
}
assert.equal(await page.locator("nav a").count(), await page.locator("main section").count());

// What is drawn is what the data say: as many bars as measured values, as many ticks as the paper's.
const bars = data.figures.find((f) => f.show === "bars" && f.views[0].points.some((p) => p.paper != null && p.value != null));
if (bars) {
  const section = page.locator(`section#${bars.name}`), points = bars.views[0].points;
  assert.equal(await section.locator('[aria-label="bar"] rect, [aria-label="bar"] path').count(), points.filter((p) => p.value != null).length);
  assert.equal(await section.locator('[aria-label="tick"] line').count(), points.filter((p) => p.paper != null).length);
  // Under the pointer stands the value.
  const first = section.locator('[aria-label="bar"] rect, [aria-label="bar"] path').first();
  await first.scrollIntoViewIfNeeded();
  const box = await first.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 + 3);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  let tip = "";
  for (let tries = 0; tries < 20 && !tip; tries++, await page.waitForTimeout(50))
    tip = (await section.locator('[aria-label="tip"]').allTextContents()).join(" ");
  assert(tip.includes(points[0].category), `the tip says ${tip}`);
}

// Another view by the keyboard: radio buttons move with the arrows.
const many = data.figures.find((f) => f.views.length > 1);
if (many) {
  const radios = page.locator(`section#${many.name} fieldset input`);
  await radios.first().focus();
  await page.keyboard.press("ArrowRight");
  assert(await radios.nth(1).isChecked(), "the second view is not chosen");
}

// Sorting by a head, there and back.
const runs = page.locator("section#runs");
const cycles = runs.locator("th button", { hasText: /^cycles$/ });
const column = () => runs.locator("tbody tr").evaluateAll((rows) => rows.map((r) => Number(r.children[8].textContent.replaceAll(",", ""))).filter((n) => !Number.isNaN(n)));
await cycles.focus();
await page.keyboard.press("Enter");
let values = await column();
assert.deepEqual(values, [...values].sort((a, b) => b - a), "cycles are not sorted");
assert.equal(await cycles.locator("..").getAttribute("aria-sort"), "descending");
await page.keyboard.press("Enter");
values = await column();
assert.deepEqual(values, [...values].sort((a, b) => a - b), "cycles are not sorted the other way");

// A run's provenance, and a filter.
await runs.locator("tbody button").first().click();
assert((await runs.locator("dl").textContent()).includes("warpfold "), "no command of the run");
const total = await runs.locator("tbody tr").count();
await runs.locator("input[type=search]").fill("--tech darsie");
assert(await runs.locator("section#runs > div > .scroll tbody tr, section#runs tbody tr").count() < total, "the filter filters nothing");
await runs.locator("input[type=search]").fill("");

// A drawing as a file.
const [download] = await Promise.all([page.waitForEvent("download"), page.locator("button[data-svg]").first().click()]);
const svg = await readFile(await download.path(), "utf8");
assert(svg.startsWith("<svg") && svg.includes("http://www.w3.org/2000/svg"), "the download is no SVG");
const drawn = data.figures.find((f) => f.show !== "table"), names = new Set(drawn.views[0].points.map((p) => p.series));
for (const text of [drawn.title, ...names]) assert(svg.includes(text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")), `the download does not say ${text}`);
const alone = await context.newPage(); // the file by itself is well formed and draws as much
await alone.setContent(`<img src="data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}">`);
assert(await alone.evaluate(async () => { const i = document.querySelector("img"); await i.decode(); return i.naturalWidth > 300; }), "the download cannot be drawn");
await alone.close();

// Every figure has its own button.
assert.equal(await page.locator("button[data-svg]").count(), await page.locator(".chart svg").count());

// Both themes, everything drawn anew, and colours that differ.
const shade = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const charts = await page.locator(".chart svg").count(), before = await shade();
await page.locator("#theme").focus();
await page.keyboard.press("Space");
assert.notEqual(await shade(), before, "the theme does not change");
assert.equal(await page.locator(".chart svg").count(), charts);
if (screenshots) await page.screenshot({ path: `${screenshots}/dark.png`, fullPage: true });
await page.locator("#theme").click();
if (screenshots) await page.screenshot({ path: `${screenshots}/light.png`, fullPage: true });

// Everything can be reached by Tab without getting stuck: some steps, each to a visible element.
await page.evaluate(() => { document.activeElement.blur(); window.scrollTo(0, 0); });
const reached = new Set();
for (let i = 0; i < 40; i++) {
  await page.keyboard.press("Tab");
  reached.add(await page.evaluate(() => document.activeElement.outerHTML.slice(0, 120) + document.activeElement.getBoundingClientRect().top));
}
assert(reached.size > 30, `Tab reaches ${reached.size} places in 40 steps`);

// On a telephone the page is as wide as the screen: what is wider scrolls in its place.
await page.setViewportSize({ width: 390, height: 800 });
await page.waitForTimeout(300);
assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
if (screenshots) await page.screenshot({ path: `${screenshots}/phone.png`, fullPage: true });

assert.deepEqual(problems, []);
console.log(`${data.figures.length} figures, ${charts} drawings, ${total} runs: good`);
await browser.close();
