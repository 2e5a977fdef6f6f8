// The page's section of points of silicon in headless Chromium: a mark for every point that is compared, values under the
// pointer, a card at a time, the drawing as a file, both themes; answers of time to clocks; nothing loaded, no error.
//
//     node test/silicon.mjs REPORT.html [FOLDER FOR SCREENSHOTS]
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [report, screenshots] = process.argv.slice(2);
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
assert(report, "usage: node test/silicon.mjs REPORT.html [FOLDER]");
assert(executablePath, "Chromium is not installed");

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const page = await (await browser.newContext({ viewport: { width: 1400, height: 1200 }, acceptDownloads: true })).newPage();
const problems = [];
page.on("pageerror", (e) => problems.push(`error: ${e.message}`));
page.on("console", (m) => m.type() === "error" && problems.push(`console: ${m.text()}`));
page.on("request", (r) => /^(file|data|blob):/.test(r.url()) || problems.push(`network: ${r.url()}`));
await page.goto(pathToFileURL(resolve(report)).href);
await page.waitForSelector("html[data-ready]");

const data = JSON.parse(await page.locator("#data").textContent()).silicon, section = page.locator("section#silicon");
const compared = data.points.filter((p) => p.error != null), cards = [...new Set(compared.map((p) => p.card))];
const marks = (set) => section.locator(`g[aria-description="${set} set"] circle`);
async function checkMarks(points) {
  for (const set of ["tuning", "second"]) assert.equal(await marks(set).count(), points.filter((p) => p.set === set).length, `marks of the ${set} set`);
}
async function checkDrawing() {
  // The pointer on a mark tells of its point.
  const set = compared[0].set, box = await marks(set).first().boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.waitForSelector('section#silicon [aria-label="tip"] text');
  const tip = await section.locator('[aria-label="tip"]').first().textContent();
  assert(compared.some((p) => tip.includes(p.point) && tip.includes(Math.round(p.measured.cycles).toLocaleString("en"))), `tip: ${tip}`);

  if (cards.length > 1) {
    await section.locator("select").selectOption(cards[1]);
    await checkMarks(compared.filter((p) => p.card === cards[1]));
    await section.locator("select").selectOption("all cards");
  }
  const [file] = await Promise.all([page.waitForEvent("download"), section.locator("button[data-svg]").first().click()]);
  const svg = await readFile(await file.path(), "utf8");
  assert(svg.includes("Simulated against measured cycles") && svg.includes("second set") === compared.some((p) => p.set === "second"));
}

// How time answers to clocks: a row a launch, a mark for each clock that both have.
const answers = data.elasticities.flatMap((e) => [e.core, e.memory]).filter((c) => c.ours != null && c.measured != null);
const ranked = data.variants.filter((v) => v.cycles > 0 && v.milliseconds > 0);
const drawn = () => section.locator('g[aria-description="variants"] circle').count();
const answered = () => section.locator('g[aria-description="answers"] circle').count();
assert(compared.length || answers.length || ranked.length, "the report has nothing to compare");
const rows = (caption) => section.locator(`[aria-label="${caption}"] tbody tr`).count();
if (data.points.length) {
  assert.equal(await rows("Deviations from the cards"), data.groups.length);
  assert.equal(await rows("Points"), data.points.length);
}
if (data.elasticities.length) assert.equal(await rows("How time answers to clocks"), data.elasticities.length);
if (data.variants.length) assert.equal(await rows("How variants rank"), data.variants.length);
await checkMarks(compared);
assert.equal(await answered(), answers.length, "marks of answers to clocks");
assert.equal(await drawn(), ranked.length, "marks of variants");

if (compared.length) await checkDrawing();
for (const theme of ["one", "other"]) {
  if (screenshots) await page.screenshot({ path: `${screenshots}/silicon-${theme}.png` });
  await page.locator("#theme").click();
  await checkMarks(compared);
  assert.equal(await answered(), answers.length);
}
assert.deepEqual(problems, []);
await browser.close();
console.log(`${report}: ${compared.length} points, ${data.groups.length} groups, ${answers.length} answers to clocks, ${ranked.length} variants`);
