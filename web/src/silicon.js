// Launches that real cards were measured with: simulated against measured cycles, how near they are in all, and every
// point beside its card.
import * as Plot from "@observablehq/plot";
import { element, select, table } from "./dom.js";
import { shape, styles } from "./palette.js";

const whole = (v) => (v == null ? "–" : Math.round(v).toLocaleString("en"));
const percent = (v) => (v == null ? "–" : `${v > 0 ? "+" : v < 0 ? "−" : ""}${Math.abs(100 * v).toFixed(1)} %`);
const share = (v) => (v == null ? "–" : `${(100 * v).toFixed(1)} %`);
const fixed = (digits) => (v) => (v == null ? "–" : v.toFixed(digits));
const ratio = (p, quantity) => (p.measured[quantity] > 0 && p.ours[quantity] != null ? p.ours[quantity] / p.measured[quantity] : null);

// Of the second set, whose error counts, marks are full; of the tuning set they are rings.
const sets = [["second", "second set"], ["tuning", "tuning set"]];

function legend(classes, looks, here) {
  const item = (name, ...marks) => element("span", {}, shape("svg", { width: 13, height: 13, viewBox: "0 0 13 13", "aria-hidden": "true" }, ...marks), name);
  const ring = (set) => shape("circle", { cx: 6.5, cy: 6.5, r: 4.5, stroke: "currentColor", "stroke-width": 2, fill: set === "second" ? "currentColor" : "none" });
  return element("div", { class: "legend" },
    ...classes.map((c, i) => item(c, shape("rect", { x: 0.5, y: 0.5, width: 12, height: 12, rx: 2, fill: looks[i].colour, stroke: "currentColor", "stroke-width": 0.6 }))),
    ...sets.filter(([set]) => here.some((p) => p.set === set)).map(([set, name]) => item(name, ring(set))),
    item("equal", shape("path", { d: "M0,13 L13,0", stroke: "currentColor", "stroke-width": 1.4 })),
    item("a quarter more or less", shape("path", { d: "M0,13 L13,0", stroke: "currentColor", "stroke-width": 1.2, "stroke-dasharray": "3 2" })));
}

const tip = (p) => `${p.point}, ${p.card}\n${p.application}: ${p.kernel}\n${p.class}, ${p.set} set\nmeasured ${whole(p.measured.cycles)}, simulated ${whole(p.ours.cycles)}: ${percent(p.error)}`;

function scatter(classes, looks, here, place) {
  const all = here.flatMap((p) => [p.measured.cycles, p.ours.cycles]), from = Math.min(...all) / 1.5, to = Math.max(...all) * 1.5;
  const line = (factor, dashes) => Plot.link([{ a: Math.max(from, from / factor), b: Math.min(to, to / factor) }],
    { x1: "a", x2: "b", y1: (d) => d.a * factor, y2: (d) => d.b * factor, stroke: "currentColor", strokeOpacity: 0.55, strokeDasharray: dashes });
  const colour = (p) => looks[classes.indexOf(p.class)].colour, at = { x: (p) => p.measured.cycles, y: (p) => p.ours.cycles };
  const wide = Math.min(Math.max(place, 300), 620);
  return Plot.plot({
    style: { fontSize: "11px" }, width: wide, height: wide * 0.86, marginLeft: 64, marginBottom: 44, ariaLabel: "simulated against measured cycles",
    x: { type: "log", domain: [from, to], label: "measured cycles", labelOffset: 38, tickFormat: "~s", ticks: 5, grid: true },
    y: { type: "log", domain: [from, to], label: "simulated cycles", tickFormat: "~s", ticks: 5, grid: true },
    marks: [
      line(1), line(1.25, "4 3"), line(0.8, "4 3"),
      Plot.dot(here.filter((p) => p.set === "tuning"), { ...at, r: 4.2, stroke: "currentColor", strokeWidth: 3.4, strokeOpacity: 0.5, ariaHidden: "true" }),
      Plot.dot(here.filter((p) => p.set === "tuning"), { ...at, r: 4.2, stroke: colour, strokeWidth: 2.2, ariaDescription: "tuning set" }),
      Plot.dot(here.filter((p) => p.set === "second"), { ...at, r: 4.6, fill: colour, stroke: "currentColor", strokeWidth: 0.7, ariaDescription: "second set" }),
      Plot.tip(here, Plot.pointer({ ...at, fill: "var(--back)", title: tip })),
    ],
  });
}

const accuracy = [
  { name: "error", number: true, of: (g) => g.error, show: (g) => share(g.error) },
  { name: "bias", number: true, of: (g) => g.bias, show: (g) => percent(g.bias) },
  { name: "correlation of logarithms", number: true, of: (g) => g.log, show: (g) => fixed(3)(g.log) },
  { name: "of ranks", number: true, of: (g) => g.rank, show: (g) => fixed(3)(g.rank) },
];

function groupTable(groups) {
  return table([
    { name: "set", of: (g) => g.set }, { name: "card", of: (g) => g.card ?? "all" }, { name: "class", of: (g) => g.class ?? "all" },
    { name: "compared", number: true, of: (g) => g.compared, show: (g) => `${g.compared} of ${g.points}` }, ...accuracy,
    { name: "instructions, ours / the card's", number: true, of: (g) => g.instructions, show: (g) => fixed(3)(g.instructions) },
    { name: "DRAM sectors", number: true, of: (g) => g.dram, show: (g) => percent(g.dram) },
    { name: "L2 sectors", number: true, of: (g) => g.l2, show: (g) => percent(g.l2) },
  ], groups, { caption: "Deviations from the cards" });
}

function rivalTable(rivals) {
  return table([{ name: "set", of: (r) => r.set }, { name: "card", of: (r) => r.card }, { name: "simulator", of: (r) => r.simulator },
    { name: "points", number: true, of: (r) => r.compared }, ...accuracy], rivals, { caption: "Other simulators on the same points" });
}

// How time answers to clocks, d log t / d log f: a mark for each launch and clock that both have.
const clocks = ["core", "memory"];
const answers = (elasticities) => elasticities.flatMap((e) => clocks.filter((c) => e[c].ours != null && e[c].measured != null).map((clock) => ({ ...e, clock, ...e[clock] })));

function answerLegend(looks) {
  return element("div", { class: "legend" }, ...clocks.map((c, i) => element("span", {}, shape("svg", { width: 13, height: 13, viewBox: "0 0 13 13", "aria-hidden": "true" },
    shape("circle", { cx: 6.5, cy: 6.5, r: 4.5, fill: looks[i].colour, stroke: "currentColor", "stroke-width": 0.7 })), `${c}'s clock`)));
}

function answerScatter(marks, looks, place) {
  const all = marks.flatMap((m) => [m.ours, m.measured]), domain = [Math.min(-1, ...all) - 0.1, Math.max(0, ...all) + 0.1];
  const wide = Math.min(Math.max(place, 300), 620), at = { x: "measured", y: "ours" };
  const tip = (m) => `${m.series}, ${m.card}\n${m.clock}'s clock, ${m.clocks} measured\ncard ${fixed(2)(m.measured)}, ours ${fixed(2)(m.ours)}`;
  return Plot.plot({
    style: { fontSize: "11px" }, width: wide, height: wide * 0.86, marginLeft: 64, marginBottom: 44, ariaLabel: "simulated against measured answers to clocks",
    x: { domain, label: "the card's d log t / d log f", labelOffset: 38, grid: true }, y: { domain, label: "simulated d log t / d log f", grid: true },
    marks: [
      Plot.link([0], { x1: domain[0], x2: domain[1], y1: domain[0], y2: domain[1], stroke: "currentColor", strokeOpacity: 0.55 }),
      Plot.dot(marks, { ...at, r: 4.6, fill: (m) => looks[clocks.indexOf(m.clock)].colour, stroke: "currentColor", strokeWidth: 0.7, ariaDescription: "answers" }),
      Plot.tip(marks, Plot.pointer({ ...at, fill: "var(--back)", title: tip })),
    ],
  });
}

const signed = (v) => (v == null ? "–" : `${v > 0 ? "+" : v < 0 ? "−" : ""}${Math.abs(v).toFixed(2)}`);

function answerTable(elasticities) {
  const of = (clock) => [{ name: clock, number: true, of: (e) => e[clock].ours, show: (e) => signed(e[clock].ours) },
    { name: "card's", number: true, of: (e) => e[clock].measured, show: (e) => signed(e[clock].measured) }];
  return table([{ name: "launch", of: (e) => e.series }, { name: "card", of: (e) => e.card }, { name: "clocks", number: true, of: (e) => e.clocks }, ...clocks.flatMap(of)],
    elasticities, { caption: "How time answers to clocks" });
}

function answerPart(data, { drawing }) {
  const marks = answers(data.elasticities), looks = styles(clocks), place = element("div");
  const parts = [element("h3", {}, "How time answers to clocks"),
    element("ul", { class: "notes" }, ...data.answers.trim().split("\n").map((line) => element("li", {}, line))), place, answerTable(data.elasticities)];
  const fill = () => {
    if (!marks.length) return;
    const [again, ...drawn] = drawing("answers", "Simulated against measured answers of time to clocks", () => answerLegend(looks), (wide) => answerScatter(marks, looks, wide));
    place.replaceChildren(...drawn);
    again();
  };
  return [parts, fill];
}

// How variants of one kernel rank: simulated cycles of a part of the input against the card's time.
function variantScatter(variants, look, place) {
  const wide = Math.min(Math.max(place, 300), 620), at = { x: "milliseconds", y: "cycles" };
  return Plot.plot({
    style: { fontSize: "11px" }, width: wide, height: wide * 0.7, marginLeft: 64, marginBottom: 44, ariaLabel: "simulated cycles against measured time",
    x: { type: "log", label: "the card's ms", labelOffset: 38, grid: true }, y: { type: "log", label: "simulated cycles", tickFormat: "~s", ticks: 5, grid: true },
    marks: [
      Plot.dot(variants, { ...at, r: 4.6, fill: look.colour, stroke: "currentColor", strokeWidth: 0.7, ariaDescription: "variants" }),
      Plot.tip(variants, Plot.pointer({ ...at, fill: "var(--back)", title: (v) => `${v.point}, ${v.card}\nmeasured ${fixed(3)(v.milliseconds)} ms, simulated ${whole(v.cycles)} cycles` })),
    ],
  });
}

function variantPart(data, { drawing }) {
  const place = element("div"), both = data.variants.filter((v) => v.cycles > 0 && v.milliseconds > 0), [look] = styles(["variants"]);
  const parts = [element("h3", {}, "How variants rank"), element("ul", { class: "notes" }, ...data.ranks.trim().split("\n").map((line) => element("li", {}, line))), place,
    table([{ name: "variant", of: (v) => v.point }, { name: "card", of: (v) => v.card }, { name: "cycles", number: true, of: (v) => v.cycles, show: (v) => whole(v.cycles) },
      { name: "card's ms", number: true, of: (v) => v.milliseconds, show: (v) => fixed(3)(v.milliseconds) }], data.variants, { caption: "How variants rank" }),
    element("ul", { class: "notes" }, ...data.variants.filter((v) => v.trouble).map((v) => element("li", {}, element("b", {}, `${v.point}: `), v.trouble)))];
  const fill = () => {
    if (!both.length) return;
    const [again, ...drawn] = drawing("variants", "Simulated cycles of variants against the card's time", () => element("div"), (wide) => variantScatter(both, look, wide));
    place.replaceChildren(...drawn);
    again();
  };
  return [parts, fill];
}

function pointTable(points, runs) {
  const both = (name, quantity, show) => [
    { name, number: true, of: (p) => p.ours[quantity], show: (p) => show(p.ours[quantity]) },
    { name: "card's", number: true, of: (p) => p.measured[quantity], show: (p) => show(p.measured[quantity]) }];
  return table([
    { name: "point", of: (p) => p.point, show: (p) => element("span", { title: [p.application, p.kernel, runs.get(p.run)?.command, p.note].filter(Boolean).join("\n") }, p.point) },
    { name: "set", of: (p) => p.set }, { name: "card", of: (p) => p.card }, { name: "class", of: (p) => p.class },
    ...both("cycles", "cycles", whole), { name: "error", number: true, of: (p) => p.error, show: (p) => percent(p.error) },
    ...both("instructions", "instructions", whole), { name: "ratio", number: true, of: (p) => ratio(p, "instructions"), show: (p) => fixed(2)(ratio(p, "instructions")) },
    ...both("IPC", "ipc", fixed(2)), ...both("DRAM read", "dram_reads", whole), ...both("DRAM written", "dram_writes", whole),
    ...both("L2 read", "l2_reads", whole), ...both("L2 written", "l2_writes", whole),
    { name: "source", of: (p) => p.source }, { name: "licence", of: (p) => p.licence },
  ], points, { caption: "Points" });
}

function pointPart(box, data, { drawing, runs }) {
  const place = element("div");
  const compared = data.points.filter((p) => p.error != null), left = data.points.filter((p) => p.trouble);
  const classes = [...new Set(data.points.map((p) => p.class))], looks = styles(classes), cards = [...new Set(compared.map((p) => p.card))];
  let card = null;
  const fill = () => {
    const here = compared.filter((p) => !card || p.card === card);
    if (!here.length) { place.replaceChildren(element("p", { class: "absent" }, "No point could be compared.")); return; }
    const [again, ...parts] = drawing("silicon", `Simulated against measured cycles${card ? `, ${card}` : ""}`, () => legend(classes, looks, here), (wide) => scatter(classes, looks, here, wide));
    place.replaceChildren(...parts);
    again();
  };
  if (cards.length > 1) box.append(element("div", { class: "controls" }, select("Points of", ["all cards", ...cards], (i) => { card = i ? cards[i - 1] : null; fill(); })));
  box.append(place, element("h3", {}, "Deviations from the cards"), groupTable(data.groups));
  if (data.rivals.length) box.append(element("h3", {}, "Other simulators on the same points"), rivalTable(data.rivals));
  box.append(element("h3", {}, "Every point"), pointTable(data.points, runs));
  if (left.length) box.append(element("ul", { class: "notes" }, ...left.map((p) => element("li", {}, element("b", {}, `${p.point}: `), p.trouble))));
  return fill;
}

// told: the headline is not at the top of the page already. Then helpers of main.js.
export function silicon(data, told, { section, drawing, follow, runs }) {
  if (!data) return;
  const box = section("silicon", "Beside real cards", null, told ? data.headline : null);
  if (data.points.length) follow.push(pointPart(box, data, { drawing, runs }));
  for (const [list, part] of [[data.elasticities, answerPart], [data.variants, variantPart]]) {
    if (!list.length) continue;
    const [parts, fill] = part(data, { drawing });
    box.append(...parts);
    follow.push(fill);
  }
}
