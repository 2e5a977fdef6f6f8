// The report: a section a figure, then where time and energy went, where the redundancy is in the sources, and the
// runs. All of it from the JSON that warpfold put into the page.
import "./style.css";
import { bars, download, legend, lines, show, stack } from "./charts.js";
import { choice, element, select, table } from "./dom.js";

const data = JSON.parse(document.getElementById("data").textContent);
const content = document.getElementById("content"), contents = document.getElementById("contents");
const redraws = [];

function section(id, title, source) {
  const s = element("section", { id, "aria-labelledby": `${id}-title` }, element("h2", { id: `${id}-title` }, title),
    source ? element("p", { class: "source" }, source) : null);
  content.append(s);
  contents.append(element("a", { href: `#${id}` }, source ? element("small", {}, source) : null, title));
  return s;
}

// A box with its legend and its button for the SVG; drawn again when the theme or the width changes. draw(place): into
// so many pixels.
function chart(box, name, title, key, draw) {
  const area = element("div", { class: "chart", "data-chart": name, tabindex: "0", role: "group", "aria-label": `${title}, drawing` });
  box.append(area, element("div", { class: "controls" },
    element("button", { type: "button", "data-svg": name, "aria-label": `${title}: download as SVG`, onclick: () => download(area, name, title) }, "Download SVG")));
  const again = () => { if (area.isConnected) area.replaceChildren(key(), draw(Math.max(0, area.clientWidth - 4))); };
  redraws.push(again);
  again();
}

function run(id) {
  const r = data.runs[id];
  return r ? `${r.command}` : "";
}

function pivot(points, series) {
  const rows = new Map();
  for (const p of points) {
    if (!rows.has(p.order)) rows.set(p.order, { category: p.category, cells: {} });
    rows.get(p.order).cells[p.series] = p;
  }
  return [...rows.values()];
}

function pointsTable(figure, view, series) {
  const columns = [{ name: figure.kind === "time" ? "cycle" : "", of: (r) => (figure.kind === "time" ? Number(r.category) : r.category) }];
  for (const s of series) {
    const points = view.points.filter((p) => p.series === s), whole = !figure.measure || points.every((p) => p.value == null || Number.isInteger(p.value));
    const text = (value) => show(s.startsWith("share") ? "share" : figure.format, value, whole);
    const apart = series.length === 1 && points.some((p) => p.paper != null); // a column of its own
    columns.push({
      name: s, number: points.some((p) => p.value != null),
      of: (r) => r.cells[s]?.value ?? r.cells[s]?.text,
      show: (r) => {
        const p = r.cells[s];
        if (!p) return null;
        const cell = element("span", { title: run(p.run) }, p.text ?? (p.value == null ? "–" : text(p.value)));
        return p.paper == null || apart ? cell : element("span", {}, cell, element("span", { class: "paper" }, `paper ${text(p.paper)}`));
      },
    });
    if (apart) columns.push({ name: "the paper's value", number: true, of: (r) => r.cells[s]?.paper, show: (r) => (r.cells[s]?.paper == null ? null : text(r.cells[s].paper)) });
  }
  return table(columns, pivot(view.points, series), { caption: figure.title });
}

function figureSection(figure) {
  const box = section(figure.name, figure.title, figure.source);
  const body = element("div");
  const draw = (i) => {
    const view = figure.views[i], series = [...new Map(view.points.map((p) => [p.series, p.seriesOrder])).entries()].sort((a, b) => a[1] - b[1]).map((s) => s[0]);
    body.replaceChildren();
    const drawn = view.points.some((p) => p.value != null) && figure.show !== "table";
    const shown = [figure.source, figure.title, figure.views.length > 1 ? `${view.gpu}, ${view.profile}` : null].filter(Boolean).join(": ");
    if (drawn) chart(body, `${figure.name}-${view.gpu}-${view.profile}`, shown, () => legend(series, figure.show === "bars" && view.points.some((p) => p.paper != null)), (place) =>
      figure.show === "lines" ? lines(view.points.map((p) => ({ ...p, cycle: Number(p.category) })), series, { ...figure, place })
      : figure.show === "stack" ? stack(view.points.filter((p) => p.value != null), series, { ...figure, total: 1, place })
      : bars(view.points, series, { ...figure, line: / (over|relative to) base$/.test(figure.axis) ? 1 : 0, place }));
    const numbers = pointsTable(figure, view, series);
    body.append(drawn ? element("details", {}, element("summary", {}, "Numbers"), numbers) : numbers);
  };
  if (figure.views.length > 1) box.append(element("div", { class: "controls" },
    choice("GPU and code profile", figure.views.map((v) => `${v.gpu}, ${v.profile}`), draw)));
  box.append(body);
  draw(0);
  const missing = [...new Set(figure.views.flatMap((v) => v.points).map((p) => data.runs[p.run]).filter((r) => r && r.status !== "ok").map((r) => `${r.tech}: ${r.message ?? r.status}`))];
  box.append(element("ul", { class: "notes" },
    ...figure.expect.map((t) => element("li", {}, element("b", {}, "Expected before the run: "), t)),
    ...figure.notes.map((t) => element("li", {}, t)),
    ...missing.map((t) => element("li", {}, element("b", {}, "Not measured: "), t))));
}

// Plain timed runs, by view: those that differ in nothing but kernel and mechanism.
function views() {
  const groups = new Map();
  for (const r of Object.values(data.runs)) {
    if (r.kind !== "bench" || r.status !== "ok" || r.settings) continue;
    const name = `${r.gpu}, ${r.profile}, ${r.size}`;
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(r);
  }
  return [...groups.entries()].map(([name, runs]) => ({ name, runs }));
}

const common = ["base", "uv", "dac", "darsie"];
const rank = (tech) => (common.includes(tech) ? common.indexOf(tech) : common.length);
function stackSection(id, title, text, parts, pointsOf, options) {
  const all = views();
  if (!all.length) return;
  const box = section(id, title), body = element("div");
  box.append(element("p", { class: "source" }, text));
  const draw = (i) => {
    const runs = all[i].runs.filter((r) => common.includes(r.tech)).sort((a, b) => a.order - b.order || rank(a.tech) - rank(b.tech));
    const points = runs.flatMap((r) => pointsOf(r, runs));
    const names = parts.map((p) => p.name);
    body.replaceChildren();
    chart(body, `${id}-${i}`, `${title}: ${all[i].name}`, () => legend(names), (place) => stack(points, names, { ...options, by: "tech", place }));
    body.append(element("details", {}, element("summary", {}, "Numbers"), table(
      [{ name: "kernel", of: (r) => r.label }, { name: "mechanism", of: (r) => r.tech },
        ...parts.map((p) => ({ name: p.name, number: true, of: (r) => pointsOf(r, runs).find((x) => x.series === p.name)?.value,
          show: (r) => show(options.format, pointsOf(r, runs).find((x) => x.series === p.name)?.value ?? 0) }))],
      runs, { caption: title })));
  };
  if (all.length > 1) box.append(element("div", { class: "controls" }, choice("GPU and code profile", all.map((v) => v.name), draw)));
  box.append(body, element("ul", { class: "notes" }, ...parts.map((p) => element("li", {}, element("b", {}, `${p.name}: `), p.meaning))));
  draw(0);
}

function heatSection() {
  if (!data.heat.length) return;
  const box = section("heat", "Where the redundancy is", "Source lines by what of their executions every warp of a block repeats"), body = element("div");
  const draw = (i) => {
    const h = data.heat[i];
    const lines = new Map(h.lines.map((l) => [l.line, l]));
    const rows = h.source.replace(/\n$/, "").split("\n").map((text, n) => {
      const l = lines.get(n + 1), share = l ? l.saving : 0;
      const percent = (v) => (l ? `${(100 * v).toFixed(1)} %` : "");
      return element("tr", { style: `background: rgb(225 87 89 / ${(0.65 * share).toFixed(3)})`,
        title: l ? `${l.warp_instructions.toLocaleString("en")} warp instructions, ${percent(l.block)} redundant in the block` : null },
        element("td", { class: "number" }, l ? l.warp_instructions.toLocaleString("en") : ""),
        element("td", { class: "number" }, percent(l?.block)), element("td", { class: "number" }, percent(l?.saving)),
        element("td", { class: "no" }, String(n + 1)), element("td", {}, text || " "));
    });
    body.replaceChildren(element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Source of ${h.kernel}` },
      element("table", { class: "source-code" }, element("thead", {}, element("tr", {}, ...["executed", "redundant", "could be saved", "line", `${h.kernel}.cu`].map((t) => element("th", { scope: "col" }, t)))),
        element("tbody", {}, ...rows))));
  };
  box.append(element("div", { class: "controls" }, select("Kernel", data.heat.map((h) => `${h.kernel} (${h.profile}, ${h.size})`), draw)), body);
  draw(0);
}

function runsSection() {
  const box = section("runs", "Runs", "Every number above comes from one of these; results.db has their counters");
  const all = Object.values(data.runs), detail = element("div", { "aria-live": "polite" });
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
  const filter = element("input", { type: "search", placeholder: "Only those with …", "aria-label": "Only runs with", oninput: () => fill() });
  const fill = () => {
    const words = filter.value.toLowerCase().split(/\s+/);
    holder.replaceChildren(table(columns, all.filter((r) => words.every((w) => `${r.command} ${r.status}`.toLowerCase().includes(w))), { caption: "Runs" }));
  };
  fill();
  box.append(element("div", { class: "controls" }, filter), holder, detail);
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

document.getElementById("summary").textContent = `${data.figures.length} experiments, ${Object.keys(data.runs).length} runs, version ${data.version}. A tick across a bar is the paper's value.`;
data.figures.forEach(figureSection);
const slotTotal = (r) => Object.entries(r.slots).reduce((sum, [name, v]) => (name === "no_warp" ? sum : sum + v), 0);
stackSection("stalls", "Where the cycles went", "Scheduler slots of warps that are there, by what they waited for", data.slots.filter((s) => s.name !== "no_warp"),
  (r) => data.slots.filter((s) => s.name !== "no_warp").map((s) => ({ category: r.label, tech: r.tech, series: s.name, value: (r.slots[s.name] ?? 0) / slotTotal(r) })),
  { format: "share", axis: "share of slots", total: 1 });
function energySection(id, title, text, parts) {
  const sum = (r) => parts.reduce((pj, p) => pj + (r.energy[p.name] ?? 0), 0);
  stackSection(id, title, text, parts, (r, runs) => {
    const base = runs.find((b) => b.label === r.label && b.tech === "base") ?? r;
    return parts.map((p) => ({ category: r.label, tech: r.tech, series: p.name, value: (r.energy[p.name] ?? 0) / sum(base) }));
  }, { format: "share", axis: "energy relative to base" });
}
energySection("energy", "Where the energy went", "Relative to the unmodified GPU; on small inputs most of the chip is idle, and leaks", data.parts);
energySection("dynamic", "Where the energy of work went", "The same without leakage and idle clocks", data.parts.filter((p) => p.name !== "leakage" && p.name !== "clock"));
heatSection();
runsSection();
theme();
let resized;
addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(() => redraws.forEach((draw) => draw()), 150); });
document.documentElement.dataset.ready = "yes";
