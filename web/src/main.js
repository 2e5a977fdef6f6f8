// The report: what came out, a section a figure, where time and energy went, where the redundancy is in the sources,
// and the runs. All of it from the JSON that warpfold put into the page, and all of it of one view, a GPU and a code
// profile, that is chosen at the top.
import "./style.css";
import { bars, download, legend, lines, map, show, stack } from "./charts.js";
import { choice, counted, element, select, table } from "./dom.js";
import { silicon } from "./silicon.js";

const data = JSON.parse(document.getElementById("data").textContent);
const content = document.getElementById("content"), contents = document.getElementById("contents");
const runs = new Map(data.runs.map((r) => [r.id, r])), kernels = new Map(data.kernels.map((k) => [k.label, k]));
const redraws = []; // of drawings, when the theme or the width changes
const follow = [];  // of sections, when another view is chosen
let chosen = 0;

const nameOf = (view) => `${view.gpu}, ${view.profile}`;
const shown = () => data.views[chosen];
const viewOf = (chart) => chart.views.find((v) => chart.everyView || (v.gpu === shown().gpu && v.profile === shown().profile));

// Values as the page's script likes them: with names instead of numbers.
function unpack(view) {
  if (!view.points)
    view.points = view.values.map(([category, bar, series, value, text, paper, run, base]) => ({ order: category, category: view.categories[category],
      bar: view.bars[bar], series: view.series[series].name, format: view.series[series].format, value, text, paper, run, base }));
  return view;
}

// `source` stands in the contents too, what is told of the section does not.
function section(id, title, source, told) {
  const s = element("section", { id, "aria-labelledby": `${id}-title` }, element("h2", { id: `${id}-title` }, title),
    source || told ? element("p", { class: "source" }, source || told) : null);
  content.append(s);
  contents.append(element("a", { href: `#${id}` }, source ? element("small", {}, source) : null, title));
  return s;
}

// -- drawings -----------------------------------------------------------------------------------

// A box with its legend and its button for the SVG; drawn again when the theme or the width changes. draw(place): into
// so many pixels.
function drawing(name, title, key, draw) {
  const area = element("div", { class: "chart", "data-chart": name, tabindex: "0", role: "group", "aria-label": `${title}, drawing` });
  const again = () => { if (area.isConnected) area.replaceChildren(key(), draw(Math.max(0, area.clientWidth - 4))); };
  redraws.push(again);
  return [again, area, element("div", { class: "controls" },
    element("button", { type: "button", "data-svg": name, "aria-label": `${title}: download as SVG`, onclick: () => download(area, name, title) }, "Download SVG"))];
}

const fullName = (category) => (kernels.has(category) && kernels.get(category).name !== category ? `${category}, ${kernels.get(category).name}` : category);
// Grid, waves and occupancy of a kernel's run; "" without a timed one.
const shapeOf = (p) => {
  const run = runs.get(p.run);
  return run?.waves == null ? "" : `grid ${run.grid}, ${run.waves.toFixed(2)} waves, occupancy ${run.occupancy.toFixed(2)}`;
};
const tipOf = (chart) => (p) => {
  const at = chart.across == null ? fullName(p.category) : `${chart.across} ${Number(p.category).toLocaleString("en")}`;
  return `${at}${p.bar ? `, ${p.bar}` : ""}\n${p.series}: ${show(p.format, p.value)}${p.paper == null ? "" : `\npaper: ${show(p.format, p.paper)}`}${shapeOf(p) && `\n${shapeOf(p)}`}`;
};

// What the categories' short names stand for.
function kernelKey(view) {
  const known = view.categories.filter((c) => kernels.has(c) && kernels.get(c).name !== c);
  const parts = known.flatMap((c) => [element("b", {}, c), ` ${kernels.get(c).name}, `]);
  if (view.categories.some((c) => /MEAN/.test(c)))
    parts.push(element("b", {}, view.categories.some((c) => /GMEAN/.test(c)) ? "GMEAN" : "MEAN"), view.categories.some((c) => /GMEAN/.test(c)) ? " geometric mean" : " arithmetic mean",
      view.categories.some((c) => /-[12]D\b/.test(c)) ? ", -1D and -2D: of kernels with blocks of one and two dimensions" : "");
  else if (parts.length) parts.push(parts.pop().replace(/, $/, ""));
  return parts.length ? element("p", { class: "key" }, ...parts) : null;
}

// Of a sweep over several subjects their means, else all series.
function drawn(chart, view) {
  const names = view.series.map((s) => s.name), own = new Set(view.points.filter((p) => p.run).map((p) => p.series));
  const means = names.filter((name) => !own.has(name));
  return chart.categories === "steps" && means.length ? means : names;
}

function chartDrawing(chart, view) {
  const names = drawn(chart, view), draw = { bars, stack, lines, map }[chart.show];
  const title = [chart.source, chart.name === chart.experiment ? chart.title : `${chart.title}, ${chart.of}`, nameOf(view), chart.size].filter(Boolean).join(", ");
  const paper = chart.show === "bars" && view.points.some((p) => p.paper != null), missing = chart.show === "bars" && view.points.some((p) => p.value == null);
  return drawing(`${chart.name}-${chart.experiment}-${view.gpu}-${view.profile}`, title, () => legend(chart.show === "map" ? [] : names, { paper, missing }), (place) => draw({ chart, view, names, place, tip: tipOf(chart) }));
}

// -- numbers ------------------------------------------------------------------------------------

function rowsOf(view) {
  const rows = new Map();
  for (const p of view.points) {
    const key = `${p.order} ${p.bar}`;
    if (!rows.has(key)) rows.set(key, { category: p.category, bar: p.bar, cells: {} });
    rows.get(key).cells[p.series] = p;
  }
  return [...rows.values()];
}

// A kernel's grid and waves, and the occupancies of its bars in their order.
function shapesOf(row) {
  const found = Object.values(row.cells).map((p) => runs.get(p.run)).filter((r) => r?.waves != null);
  return found.length ? `${found[0].grid}, ${found[0].waves.toFixed(2)}: ${found.map((r) => r.occupancy.toFixed(2)).join(" ")}` : "";
}

function numbers(chart, view) {
  const many = view.bars.length > 1, over = chart.across != null;
  const columns = [{ name: over ? chart.across : "", of: (r) => (over ? Number(r.category) : r.category) }];
  if (many) columns.push({ name: "mechanism", of: (r) => r.bar });
  const shaped = chart.categories === "kernels" && !many && view.points.some((p) => shapeOf(p));
  if (shaped) columns.push({ name: "grid, waves, occupancies", of: shapesOf, show: shapesOf });
  for (const s of view.series) {
    const points = view.points.filter((p) => p.series === s.name);
    const apart = view.series.length === 1 && points.some((p) => p.paper != null); // a column of its own
    columns.push({
      name: s.name, number: points.some((p) => p.value != null),
      of: (r) => r.cells[s.name]?.value ?? r.cells[s.name]?.text,
      show: (r) => {
        const p = r.cells[s.name];
        if (!p) return many ? show(s.format, 0) : null;
        const shape = shapeOf(p), number = p.text ?? (p.value == null ? "–" : show(s.format, p.value));
        const cell = element("span", { title: [runs.get(p.run)?.command, shape].filter(Boolean).join("; ") }, number);
        return p.paper == null || apart ? cell : element("span", {}, cell, element("span", { class: "paper" }, `paper ${show(s.format, p.paper)}`));
      },
    });
    if (apart) columns.push({ name: "the paper's value", number: true, of: (r) => r.cells[s.name]?.paper, show: (r) => (r.cells[s.name]?.paper == null ? null : show(s.format, r.cells[s.name].paper)) });
  }
  return table(columns, rowsOf(view), { caption: chart.title });
}

// -- figures ------------------------------------------------------------------------------------

// Of a figure that the chosen view has nothing of: where it has.
function elsewhere(chart) {
  return element("p", { class: "absent" }, `Nothing was measured on ${nameOf(shown())}; look at `, ...chart.views.map((v) =>
    element("button", { type: "button", onclick: () => choose(data.views.findIndex((w) => nameOf(w) === nameOf(v))) }, nameOf(v))));
}

const signs = { contradicted: ["✗", "Not as expected"], held: ["✓", "As expected"], open: ["?", "Not known"] };
function findings(view) {
  const list = ["contradicted", "open", "held"].flatMap((verdict) => view.findings.filter((f) => f.verdict === verdict));
  return list.length ? element("ul", { class: "findings" }, ...list.map((f) => element("li", { class: f.verdict },
    element("i", { "aria-hidden": "true" }, signs[f.verdict][0]), element("b", {}, `${signs[f.verdict][1]}: `), f.text))) : null;
}

// A chart's drawing and its numbers, into a box that is emptied before.
function fillChart(box, chart) {
  const found = viewOf(chart);
  if (!found) { box.replaceChildren(elsewhere(chart)); return; }
  const view = unpack(found), drawn = chart.show !== "table" && view.points.some((p) => p.value != null);
  const [again, ...parts] = drawn ? chartDrawing(chart, view) : [() => {}];
  box.replaceChildren(...[findings(view), ...parts.slice(0, 1), chart.categories === "kernels" ? kernelKey(view) : null, ...parts.slice(1),
    drawn ? element("details", {}, element("summary", {}, "Numbers"), numbers(chart, view)) : numbers(chart, view)].filter(Boolean));
  again();
}

function figureSection(chart) {
  const other = chart.size !== data.size && chart.categories !== "rows" ? `${chart.size} inputs` : null;
  const box = section(chart.name, chart.title, [chart.source, other].filter(Boolean).join(", ") || null), body = element("div");
  box.append(body, element("ul", { class: "notes" },
    ...chart.expect.map((t) => element("li", {}, element("b", {}, "Expected before the run: "), t)),
    ...chart.notes.map((t) => element("li", {}, t)),
    ...chart.missing.map((t) => element("li", {}, element("b", {}, "Not measured: "), t))));
  follow.push(() => fillChart(body, chart));
}

function costSection(charts, text) {
  if (!charts.length) return;
  const box = section(charts[0].name, charts[0].title, null, text), body = element("div"), meanings = element("ul", { class: "notes" });
  let which = 0;
  const fill = () => {
    fillChart(body, charts[which]);
    meanings.replaceChildren(...(viewOf(charts[which])?.series ?? []).filter((s) => s.meaning).map((s) => element("li", {}, element("b", {}, `${s.name}: `), s.meaning)));
  };
  if (charts.length > 1) box.append(element("div", { class: "controls" },
    select("Runs of", charts.map((c) => `${c.source ? `${c.source}: ` : ""}${c.of}`), (i) => { which = i; fill(); })));
  box.append(body, meanings);
  follow.push(fill);
}

// -- redundancy over the sources ----------------------------------------------------------------

function heatTable(h) {
  const found = new Map(h.lines.map((l) => [l.line, l]));
  const rows = h.source.replace(/\n$/, "").split("\n").map((text, n) => {
    const l = found.get(n + 1), share = l ? l.saving : 0, percent = (v) => (l ? `${(100 * v).toFixed(1)} %` : "");
    return element("tr", { style: `background: rgb(222 121 26 / ${(0.65 * share).toFixed(3)})`,
      title: l ? `${counted(l.warp_instructions, "warp instruction")}, ${percent(l.block)} redundant in the block` : null },
      element("td", { class: "number" }, l ? l.warp_instructions.toLocaleString("en") : ""),
      element("td", { class: "number" }, percent(l?.block)), element("td", { class: "number" }, percent(l?.saving)),
      element("td", { class: "no" }, String(n + 1)), element("td", {}, text || " "));
  });
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Source of ${h.kernel}` },
    element("table", { class: "source-code" }, element("thead", {}, element("tr", {}, ...["executed", "redundant", "could be saved", "line", `${h.kernel}.cu`].map((t) => element("th", { scope: "col" }, t)))),
      element("tbody", {}, ...rows)));
}

function heatSection() {
  if (!data.heat.length) return;
  const box = section("heat", "Redundancy by source line", null, "Source lines by the share of executions repeated by every warp of a block"), body = element("div");
  const label = (h) => { const k = data.kernels.find((x) => x.name === h.kernel); return k && k.label !== k.name ? `${h.kernel} (${k.label})` : h.kernel; };
  let kernel = data.heat[0].kernel;
  box.append(body);
  follow.push(() => {
    const here = data.heat.filter((h) => h.profile === shown().profile);
    if (!here.length) { body.replaceChildren(element("p", { class: "absent" }, `Nothing was measured of ${shown().profile} code.`)); return; }
    const place = element("div"), fill = (i) => { kernel = here[i].kernel; place.replaceChildren(heatTable(here[i])); };
    const at = Math.max(0, here.findIndex((h) => h.kernel === kernel)), box = select("Kernel", here.map((h) => `${label(h)}, ${h.profile}, ${h.size}`), fill);
    box.selectedIndex = at;
    body.replaceChildren(element("div", { class: "controls" }, box), place);
    fill(at);
  });
}

// -- runs ---------------------------------------------------------------------------------------

function runsSection() {
  const all = data.runCount === data.runs.length, whole = (n) => n.toLocaleString("en");
  const box = section("runs", "Runs", null, `The source of every number above${all ? "" : `, the first ${whole(data.runs.length)} of ${whole(data.runCount)} are listed`}; results.db has the counters`);
  const detail = element("div", { "aria-live": "polite" });
  const open = (r) => {
    const settings = { ...data.configs.first, ...(data.configs.others[r.config] ?? {}) };
    const differs = Object.entries(data.configs.others[r.config] ?? {});
    detail.replaceChildren(element("h3", {}, r.id), element("dl", {},
      ...[["command", element("code", {}, `warpfold ${r.command}`)], ["status", r.message ? `${r.status}: ${r.message}` : r.status], ["kernel's hash", r.kernel_hash], ["warpfold", r.version], ["seed of the inputs", String(r.seed)],
        ["settings unlike the first run's", differs.length ? differs.map(([k, v]) => `${k}=${v}`).join(", ") : "none"]]
        .flatMap(([k, v]) => [element("dt", {}, k), element("dd", {}, v)])),
      element("details", {}, element("summary", {}, "All settings"), table([{ name: "key", of: (s) => s[0] }, { name: "value", of: (s) => s[1] }], r.config ? Object.entries(settings) : [], { caption: "Settings" })));
    detail.scrollIntoView({ block: "nearest" });
  };
  const count = (name, key) => ({ name, number: true, of: (r) => r[key], show: (r) => r[key]?.toLocaleString("en") });
  const columns = [
    { name: "run", of: (r) => r.id, show: (r) => element("button", { type: "button", onclick: () => open(r) }, r.id.slice(0, 8)) },
    { name: "what", of: (r) => r.subject }, { name: "size", of: (r) => r.size }, { name: "GPU", of: (r) => r.gpu }, { name: "profile", of: (r) => r.profile },
    { name: "mechanism", of: (r) => r.tech }, { name: "settings", of: (r) => r.settings }, { name: "status", of: (r) => r.status },
    count("cycles", "cycles"), count("warp instructions", "warp_instructions"), count("skipped", "skipped"), count("reused", "reused"),
    { name: "µJ", number: true, of: (r) => r.energy_pj, show: (r) => (r.energy_pj == null ? null : (r.energy_pj / 1e6).toFixed(1)) },
  ];
  const holder = element("div");
  const filter = element("input", { type: "search", placeholder: "Filter: only runs with …", "aria-label": "Only runs with", oninput: () => fill() });
  const fill = () => {
    const words = filter.value.toLowerCase().split(/\s+/);
    holder.replaceChildren(table(columns, data.runs.filter((r) => words.every((w) => `${r.command} ${r.status}`.toLowerCase().includes(w))), { caption: "Runs" }));
  };
  fill();
  box.append(element("div", { class: "controls" }, filter), holder, detail);
}

// -- the top ------------------------------------------------------------------------------------

// What came out, in words; and what of it nobody had expected.
function fillHeadline() {
  if (!shown()) { document.getElementById("headline").replaceChildren(data.silicon?.headline || data.silicon?.answers || data.silicon?.ranks || ""); return; }
  const pieces = shown().headline.map((p) => (p.value ? element("strong", {}, p.value) : p.paper ? element("small", {}, ` (paper: ${p.paper})`) : p.words));
  document.getElementById("headline").replaceChildren(...pieces);
  const judged = data.figures.map((chart) => ({ chart, found: viewOf(chart)?.findings ?? [] })).filter((j) => j.found.length);
  const count = (list, verdict) => list.filter((f) => f.verdict === verdict).length;
  const all = judged.flatMap((j) => j.found), wrong = count(all, "contradicted"), open = count(all, "open");
  const links = judged.filter((j) => count(j.found, "contradicted")).flatMap((j, i) => [i ? ", " : " ",
    element("a", { href: `#${j.chart.name}`, title: j.chart.title }, j.chart.source?.replace(/^[^,]*, /, "") ?? j.chart.title)]);
  document.getElementById("verdict").replaceChildren(...(!all.length ? [] : wrong
    ? [`${wrong} of ${counted(all.length, "expectation")} did not come true:`, ...links]
    : open ? [`${count(all, "held")} of ${counted(all.length, "expectation")} came true; the others are not completely measured.`]
    : [`${all.length > 1 ? `All ${all.length} expectations` : "The expectation"} came true.`]));
}

function choose(i) {
  chosen = i;
  redraws.length = 0;
  document.querySelectorAll("#view input").forEach((radio, n) => { radio.checked = n === i; });
  fillHeadline();
  follow.forEach((fill) => fill());
}

function viewSwitch() {
  if (!shown()) return; // points of silicon alone: each has its own GPU
  const place = document.getElementById("view");
  place.append(data.views.length > 1 ? choice("GPU and code profile", data.views.map(nameOf), choose) : element("b", {}, nameOf(shown())), element("span", {}, `${data.size} inputs`));
}

function theme() {
  const button = document.getElementById("theme");
  const set = (dark) => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    button.textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-label", dark ? "Light colours" : "Dark colours");
    redraws.forEach((draw) => draw());
  };
  button.addEventListener("click", () => set(document.documentElement.dataset.theme !== "dark"));
  set(matchMedia("(prefers-color-scheme: dark)").matches);
}

document.getElementById("summary").textContent = [data.figures.length ? counted(data.figures.length, "experiment") : null,
  data.silicon ? counted(data.silicon.points.length + data.silicon.elasticities.length + data.silicon.variants.length, "measured launch", "measured launches") : null, counted(data.runCount, "run"), `version ${data.version}`].filter(Boolean).join(", ");
// What the names of mechanisms stand for.
document.getElementById("mechanisms").replaceChildren(...(data.mechanisms ?? []).flatMap((m) => [element("b", {}, m.label), `: ${m.meaning}. `]));
viewSwitch();
data.figures.forEach(figureSection);
silicon(data.silicon, data.figures.length > 0, { section, drawing, follow, runs });
const [cycles, energy, work] = data.costs;
costSection(cycles, "Time relative to the unmodified GPU, divided as the schedulers' slots were");
costSection(energy, "Relative to the unmodified GPU; on small inputs most of the chip is idle, and leaks");
costSection(work, "The same without leakage and idle clocks");
heatSection();
runsSection();
theme();
choose(0);
let resized;
addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(() => redraws.forEach((draw) => draw()), 150); });
document.documentElement.dataset.ready = "yes";
