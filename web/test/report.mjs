// The report in headless Chromium: it loads without errors or network, says at its top what came out, follows one
// view, draws every chart, shows values under the pointer, sorts tables, works from the keyboard, downloads drawings,
// and does so in both themes and on a telephone.
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
const costs = data.costs.map((charts) => charts[0]).filter(Boolean); // what is chosen first
const same = (a, b) => a.gpu === b.gpu && a.profile === b.profile;
const viewOf = (chart, view) => (chart.everyView ? chart.views[0] : chart.views.find((v) => same(v, view)));

// What is drawn is what the data say: as many bars, parts or dots as values, as many ticks as the paper's.
async function checkChart(chart, view) {
  const section = page.locator(`section#${chart.name}`), found = viewOf(chart, view), name = `${chart.name} of ${view.gpu}, ${view.profile}`;
  assert.equal(await section.count(), 1, `no section for ${chart.name}`);
  if (!found) {
    assert.equal(await section.locator(".chart").count(), 0, `${name} is drawn, and was not measured`);
    assert((await section.locator(".absent").textContent()).includes(`${chart.views[0].gpu}, ${chart.views[0].profile}`), `${name} does not say where it was measured`);
    return 0;
  }
  const values = found.values.filter((v) => v[3] != null), papers = found.values.filter((v) => v[5] != null);
  const rows = new Set(found.values.map((v) => `${v[0]} ${v[1]}`)).size;
  assert.equal(await section.locator("tbody tr").count(), rows, `rows of ${name}`);
  const contradicted = found.findings.filter((f) => f.verdict === "contradicted");
  assert.deepEqual(await section.locator(".findings .contradicted").allTextContents(), contradicted.map((f) => `✗Not as expected: ${f.text}`), `findings of ${name}`);
  if (chart.show === "table" || !values.length) return 0;
  const marks = chart.show === "lines" ? '[aria-label="dot"] path, [aria-label="dot"] circle' : '[aria-label="bar"] rect, [aria-label="bar"] path';
  assert.equal(await section.locator(".chart > svg, .chart > figure > svg").locator(marks).count(), values.length, `what is drawn of ${name}`);
  if (chart.show === "bars") {
    assert.equal(await section.locator('.paper line').count(), papers.length, `ticks of ${name}`);
    assert.equal(await section.locator('.missing text').count(), found.values.length - values.length, `crosses of ${name}`);
  }
  // Every series has a colour or pattern of its own in the legend.
  const looks = await section.locator(".legend svg").evaluateAll((all) => all.map((s) => {
    const r = s.querySelector(":scope > rect"), fill = r?.getAttribute("fill") ?? "", pattern = fill.startsWith("url") ? s.querySelector(fill.slice(4, -1)) : null;
    return pattern ? pattern.innerHTML : fill || s.innerHTML;
  }));
  assert.equal(new Set(looks).size, looks.length, `two series of ${name} look alike`);
  // Short names of kernels are explained beside the chart.
  for (const kernel of data.kernels.filter((k) => k.label !== k.name && found.categories.includes(k.label)))
    assert((await section.locator(".key").textContent()).includes(`${kernel.label} ${kernel.name}`), `${name} does not explain ${kernel.label}`);
  return 1;
}

// One view for all of the page: its choice changes everything at once.
let drawings = 0;
for (let i = 0; i < data.views.length; i++) {
  const view = data.views[i];
  if (i) await page.locator("#view input").nth(i).check({ force: true });
  const headline = await page.locator("#headline").textContent();
  assert.equal(headline, view.headline.map((p) => p.words ?? p.value ?? ` (paper: ${p.paper})`).join(""));
  let drawn = 0;
  for (const chart of [...data.figures, ...costs]) drawn += await checkChart(chart, view);
  const titles = await page.locator(".chart").evaluateAll((all) => all.map((c) => c.getAttribute("aria-label")));
  assert.equal(titles.length, drawn);
  const everywhere = data.figures.filter((f) => f.everyView).map((f) => f.title);
  for (const title of titles) assert(title.includes(`${view.gpu}, ${view.profile}`) || everywhere.some((t) => title.includes(t)), `with ${view.gpu}, ${view.profile} chosen there is ${title}`);
  if (!i) drawings = drawn;
}
if (data.views.length > 1) { // by the keyboard too: radio buttons move with the arrows
  const radios = page.locator("#view input");
  await radios.first().check({ force: true });
  await radios.first().focus();
  await page.keyboard.press("ArrowRight");
  assert(await radios.nth(1).isChecked(), "the second view is not chosen");
  await radios.first().check({ force: true });
}
assert.equal(await page.locator("nav a").count(), await page.locator("main section").count());
assert(drawings > 0, "nothing is drawn");

// The summary counts one thing as one.
const summary = await page.locator("#summary").textContent();
for (const [count, noun] of [[data.figures.length, "experiment"], [data.runs.length, "run"]])
  assert(new RegExp(`\\b${count.toLocaleString("en")} ${noun}${count === 1 ? "\\b" : "s\\b"}`).test(summary), summary);

// Stacks are as high as time and energy are, relative to the unmodified GPU, which is 1; and have all that was compared.
for (const chart of data.costs.flat()) {
  const figure = data.figures.find((f) => f.name === chart.experiment);
  for (const view of chart.views) {
    const bars = new Map();
    for (const [category, bar, , value] of view.values) bars.set(`${category} ${bar}`, (bars.get(`${category} ${bar}`) ?? 0) + value);
    view.categories.forEach((c, i) => assert(Math.abs(bars.get(`${i} 0`) - 1) < 1e-4, `${chart.name} of ${figure.name}: base of ${c} is ${bars.get(`${i} 0`)}`));
    for (const s of viewOf(figure, view).series) assert(view.bars.includes(s.name), `${chart.name} of ${figure.name} leaves out ${s.name}`);
    if (chart.name !== "cycles" || !/^speedup/.test(figure.axis)) continue;
    const own = viewOf(figure, view), speedup = (c, s) => own.values.find((v) => own.categories[v[0]] === c && own.series[v[2]].name === s)?.[3];
    view.categories.forEach((c, i) => view.bars.forEach((b, n) => {
      if (n && bars.has(`${i} ${n}`)) assert(Math.abs(bars.get(`${i} ${n}`) * speedup(c, b) - 1) < 1e-4, `${c}, ${b}: the stack is no ${1 / speedup(c, b)}`);
    }));
  }
}

// Under the pointer stands the value.
const bars = data.figures.find((f) => f.show === "bars" && viewOf(f, data.views[0])?.values.some((v) => v[3] != null));
if (bars) {
  const section = page.locator(`section#${bars.name}`), view = viewOf(bars, data.views[0]);
  const first = section.locator('[aria-label="bar"] rect, [aria-label="bar"] path').first();
  await first.scrollIntoViewIfNeeded();
  const box = await first.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 + 3);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  let tip = "";
  for (let tries = 0; tries < 20 && !tip; tries++, await page.waitForTimeout(50))
    tip = (await section.locator('[aria-label="tip"]').allTextContents()).join(" ");
  assert(tip.includes(view.categories[0]), `the tip says ${tip}`);
}

// A line goes from kernel to kernel.
for (const chart of data.figures.filter((f) => f.show === "lines")) {
  const paths = await page.locator(`section#${chart.name} [aria-label="line"] path`).evaluateAll((all) => all.map((p) => p.getAttribute("d")));
  assert(paths.length && paths.every((d) => d && !d.includes("NaN")), `lines of ${chart.name}: ${paths}`);
  const long = viewOf(chart, data.views[0]);
  if (long && long.categories.length > 1) assert(paths.some((d) => d.includes("L")), `no line of ${chart.name} goes anywhere`);
}

// Sorting by a head, there and back.
const runs = page.locator("section#runs");
const cycles = runs.locator("th button", { hasText: /^cycles$/ });
const list = runs.locator('[aria-label="Runs"] tbody tr');
const column = () => list.evaluateAll((rows) => rows.map((r) => Number(r.children[8].textContent.replaceAll(",", ""))).filter((n) => !Number.isNaN(n)));
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
const total = await list.count();
await runs.locator("input[type=search]").fill("--tech darsie");
assert(await list.count() < total, "the filter filters nothing");
await runs.locator("input[type=search]").fill("");

// A drawing as a file.
const [download] = await Promise.all([page.waitForEvent("download"), page.locator("button[data-svg]").first().click()]);
const svg = await readFile(await download.path(), "utf8");
assert(svg.startsWith("<svg") && svg.includes("http://www.w3.org/2000/svg"), "the download is no SVG");
const drawn = data.figures.find((f) => f.show !== "table" && viewOf(f, data.views[0]));
for (const text of [drawn.title, ...viewOf(drawn, data.views[0]).series.map((s) => s.name)]) assert(svg.includes(text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")), `the download does not say ${text}`);
assert(!/var\(--/.test(svg.replaceAll(/<style>.*?<\/style>/gs, "")), "the download has colours of the page");
const alone = await context.newPage(); // the file by itself is well formed and draws as much
await alone.setContent(`<img src="data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}">`);
assert(await alone.evaluate(async () => { const i = document.querySelector("img"); await i.decode(); return i.naturalWidth > 300; }), "the download cannot be drawn");
await alone.close();

// Every drawing has its own button.
assert.equal(await page.locator("button[data-svg]").count(), await page.locator(".chart").count());

// Both themes, everything drawn anew, and colours that differ.
const shade = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const before = await shade();
await page.locator("#theme").focus();
await page.keyboard.press("Space");
assert.notEqual(await shade(), before, "the theme does not change");
assert.equal(await page.locator(".chart").count(), drawings);
if (screenshots) await page.screenshot({ path: `${screenshots}/dark.png`, fullPage: true });
await page.locator("#theme").click();
if (screenshots) await page.screenshot({ path: `${screenshots}/light.png`, fullPage: true });

// Everything can be reached by Tab without getting stuck: some steps, each to a visible element.
await page.evaluate(() => { document.activeElement.blur(); window.scrollTo(0, 0); });
const reached = new Set();
for (let i = 0; i < 20; i++) {
  await page.keyboard.press("Tab");
  reached.add(await page.evaluate(() => document.activeElement.outerHTML.slice(0, 120) + document.activeElement.getBoundingClientRect().top));
}
assert(reached.size > 12, `Tab reaches ${reached.size} places in 20 steps`);

// On a telephone the page is as wide as the screen: what is wider scrolls in its place; what came out stands first.
await page.setViewportSize({ width: 390, height: 800 });
await page.waitForTimeout(300);
const wide = await page.evaluate(() => [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > 390 && !e.closest(".chart > *, .scroll > *, #view > *"))
  .map((e) => `${e.tagName} ${e.className} ${e.textContent.slice(0, 40)}`));
assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, `wider than the screen: ${wide.slice(0, 5)}`);
await page.evaluate(() => window.scrollTo(0, 0));
assert((await page.locator("#headline").boundingBox()).y < 200, "the headline is not at the top");
if (screenshots) await page.screenshot({ path: `${screenshots}/phone.png`, fullPage: true });
await page.evaluate(() => window.scrollTo(0, 3000));
assert((await page.locator("#view").boundingBox()).y >= 0, "the view scrolls out of sight");

assert.deepEqual(problems, []);
console.log(`${data.figures.length} figures, ${drawings} drawings, ${total} runs: good`);
await browser.close();
