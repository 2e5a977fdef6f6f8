// The drawings, over Observable Plot: bars, stacks and lines of a chart's view as src/lab/chart.h has it. Nothing is
// computed here but places and colours. Every drawing is as wide as its place, or what it needs, and then scrolls.
import * as Plot from "@observablehq/plot";
import { fills, shape, styles } from "./palette.js";

export function show(format, value) {
  if (value == null) return "not measured";
  if (format === "share") return `${(100 * value).toFixed(1)} %`;
  return format === "plain" ? value.toLocaleString("en") : value.toFixed(3);
}

// As wide as the place, or as the bars need, but no wider than makes sense for a few.
function width(place, groups, bars, each) {
  const needed = 64 + groups * Math.max(54, bars * each + 8), enough = Math.max(360, 64 + groups * (bars * 60 + 30));
  return Math.max(needed, Math.min(place, enough));
}
const ofMean = (category) => category.replace("MEAN-", "MEAN\n").replace(" of ", "\nof "); // in lines: it is the longest label
const percent = (v) => `${(100 * v).toLocaleString("en", { maximumFractionDigits: 1 })} %`;
const outline = { stroke: "currentColor", strokeWidth: 0.6, strokeOpacity: 0.55 };

// A drawing with the definitions of its patterns.
function plot(defs, options) {
  const svg = Plot.plot({ style: { fontSize: "11px" }, ...options });
  svg.prepend(defs);
  return svg;
}

// Bars side by side; what the paper says stands as a black tick over its bar, and a cross where nothing was measured.
export function bars({ chart, view, names, place, tip }) {
  const { range, defs } = fills(names), shares = view.series[0].format === "share";
  const there = view.points.filter((p) => p.value != null), missing = view.points.filter((p) => p.value == null);
  const papers = view.points.filter((p) => p.paper != null), turned = view.categories.length > 16;
  const x = { fx: "category", x: "series" };
  return plot(defs, {
    width: width(place, view.categories.length, names.length, 7), height: 320, marginLeft: 56, marginBottom: turned ? 60 : 36,
    x: { axis: null, domain: names, padding: 0.08 },
    fx: { domain: view.categories, label: null, tickRotate: turned ? -30 : 0, padding: 0.16, tickFormat: ofMean },
    y: { label: chart.axis, grid: true, tickFormat: shares ? percent : undefined, nice: true, zero: true },
    color: { domain: names, range }, ariaLabel: chart.axis,
    marks: [
      Plot.barY(there, { ...x, y: "value", fill: "series", rx: 1.5, ...outline }),
      Plot.ruleY([chart.line], { strokeWidth: 1.2 }),
      Plot.text(missing, { ...x, y: 0, text: () => "×", dy: -6, fill: "currentColor", fontWeight: 700, className: "missing" }),
      Plot.tickY(papers, { ...x, y: "paper", stroke: "var(--back)", strokeWidth: 6 }),
      Plot.tickY(papers, { ...x, y: "paper", stroke: "currentColor", strokeWidth: 3, className: "paper" }),
      Plot.tip(there, Plot.pointerX({ ...x, y: "value", fill: "var(--back)", title: tip })),
    ],
  });
}

// Parts of a whole: a bar a category, or several beside each other.
export function stack({ chart, view, names, place, tip }) {
  const { range, defs } = fills(names), many = view.bars.length > 1, shares = view.series[0].format === "share";
  const x = many ? { fx: "category", x: "bar" } : { x: "category" };
  const label = Math.max(...view.bars.map((b) => b.length)); // the labels of bars stand upright
  return plot(defs, {
    width: width(place, view.categories.length, Math.max(2, view.bars.length), 13), height: 320 + (many ? 6.8 * label : 20),
    marginLeft: 60, marginBottom: many ? 14 + 6.8 * label : 36,
    x: many ? { domain: view.bars, label: null, tickRotate: -90, tickSize: 0, padding: 0.12 } : { domain: view.categories, label: null, tickFormat: ofMean },
    fx: many ? { domain: view.categories, label: null, axis: "top", padding: 0.14 } : undefined,
    y: { label: chart.axis, labelAnchor: many ? "center" : "top", grid: true, nice: true, zero: true, tickFormat: shares ? percent : undefined },
    color: { domain: names, range }, ariaLabel: chart.axis,
    marks: [
      Plot.barY(view.points.filter((p) => p.value != null), Plot.stackY({ ...x, y: "value", fill: "series", order: names, title: tip, tip: { fill: "var(--back)" }, ...outline })),
      Plot.ruleY([0]),
      chart.line ? Plot.ruleY([chart.line], { strokeDasharray: "4 3", strokeWidth: 1.2 }) : null,
    ],
  });
}

// Steps that double, or grow faster, are drawn at equal distances.
const scale = (chart, view) => {
  const steps = view.categories.map(Number);
  return chart.categories === "steps" && steps[0] > 0 && steps.at(-1) / steps[0] >= 2 ** (steps.length - 1) ? "log" : "linear";
};

// A line a series, over cycles or from kernel to kernel; lines differ in their dashes too, have a dark
// seam, since some colours are near the background, and means stand alone.
export function lines({ chart, view, names, place, tip }) {
  const over = chart.across != null, looks = styles(names), shares = view.series[0].format === "share";
  const points = view.points.filter((p) => names.includes(p.series)).map((p) => ({ ...p, x: over ? Number(p.category) : p.category }));
  const there = points.filter((p) => p.value != null);
  return plot(shape("defs", {}), {
    width: over ? Math.max(place, 560) : width(place, view.categories.length, 1, 7), height: 320, marginLeft: 56, marginBottom: 46,
    x: over ? { label: chart.across, labelOffset: 40, type: scale(chart, view) } : { type: "point", domain: view.categories, label: null, tickFormat: ofMean },
    y: { label: chart.axis, grid: true, nice: true, zero: true, tickFormat: shares ? percent : undefined },
    ariaLabel: chart.axis,
    marks: [
      Plot.ruleY([chart.line]),
      ...names.map((name) => Plot.lineY(points.filter((p) => p.series === name && (over || p.run)), { x: "x", y: "value", stroke: "currentColor", strokeOpacity: 0.28, strokeWidth: 3.2 })),
      ...names.map((name, i) => Plot.lineY(points.filter((p) => p.series === name && (over || p.run)), {
        x: "x", y: "value", stroke: looks[i].colour, strokeWidth: 2, strokeDasharray: ["none", "7 3", "2 2", "9 3 2 3"][i % 4] })),
      ...names.map((name, i) => Plot.dot(there.filter((p) => p.series === name), {
        x: "x", y: "value", fill: looks[i].colour, r: over ? 1.6 : 3.5, symbol: ["circle", "square", "triangle", "diamond"][i % 4] })),
      Plot.tip(there, Plot.pointer({ x: "x", y: "value", fill: "var(--back)", title: tip })),
    ],
  });
}

// Shares by category and series, the darker the more; cells that the paper gives a value of have a frame.
export function map({ view, names, place, tip }) {
  const x = "category", y = "series", there = view.points.filter((p) => p.value != null), papers = there.filter((p) => p.paper != null);
  const ink = (p) => (p.value > 0.5 ? "white" : "black"), text = { x, y, fontSize: 9 };
  return plot(shape("defs", {}), {
    width: Math.min(place, 76 + 52 * view.categories.length), height: 60 + 26 * names.length, marginLeft: 68, marginBottom: 36,
    x: { domain: view.categories, label: null, padding: 0.03 }, y: { domain: [...names].reverse(), label: null, padding: 0.03 },
    color: { type: "linear", domain: [0, 1], scheme: "blues" }, ariaLabel: "shares",
    marks: [
      Plot.cell(there, { x, y, fill: "value", title: tip, tip: { fill: "var(--back)" } }),
      Plot.text(there, { ...text, text: (p) => (100 * p.value).toFixed(p.value < 0.0995 ? 1 : 0), fill: ink }),
      Plot.cell(papers, { x, y, fill: "none", stroke: "darkorange", strokeWidth: 2.5, inset: 1 }),
    ],
  });
}

// What the colours mean, and the tick where the paper gives values.
export function legend(names, { paper, missing }) {
  const box = document.createElement("div"), { range, defs } = fills(names);
  box.className = "legend";
  const add = (name, ...marks) => {
    const item = document.createElement("span");
    item.append(shape("svg", { width: 13, height: 13, viewBox: "0 0 13 13", "aria-hidden": "true" }, ...marks), name);
    box.append(item);
  };
  names.forEach((name, i) => {
    const own = defs.cloneNode(true);
    add(name, own, shape("rect", { x: 0.5, y: 0.5, width: 12, height: 12, rx: 2, fill: range[i], stroke: "currentColor", "stroke-width": 0.6 }));
  });
  if (paper) add("the paper's value", shape("rect", { y: 5, width: 13, height: 3, fill: "currentColor" }));
  if (missing) add("not measured", shape("path", { d: "M3,3 L10,10 M3,10 L10,3", stroke: "currentColor", "stroke-width": 2 }));
  return box;
}

// The drawing as a file of its own: with its title and legend, a background, and the colours it has now.
export function download(box, name, title) {
  const drawing = box.querySelector(":scope > svg, :scope > figure svg"), copy = drawing.cloneNode(true);
  const theme = getComputedStyle(document.documentElement), front = theme.getPropertyValue("--front"), back = theme.getPropertyValue("--back");
  const wide = Number(drawing.getAttribute("width")), marks = [];
  let x = 12, y = 44;
  for (const item of box.querySelectorAll(".legend span")) {
    const long = 30 + 6.6 * item.textContent.length, mark = item.firstChild.cloneNode(true);
    if (x + long > wide) { x = 12; y += 18; }
    mark.setAttribute("x", x);
    mark.setAttribute("y", y - 11);
    mark.setAttribute("color", front);
    marks.push(mark, shape("text", { x: x + 18, y, fill: front }, item.textContent));
    x += long;
  }
  copy.querySelectorAll('[aria-label="tip"]').forEach((tip) => tip.remove());
  copy.querySelectorAll('[stroke="var(--back)"]').forEach((tick) => tick.setAttribute("stroke", back));
  copy.setAttribute("y", y + 10);
  copy.style.color = front;
  const tall = y + 10 + Number(drawing.getAttribute("height"));
  const whole = shape("svg", { xmlns: "http://www.w3.org/2000/svg", width: wide, height: tall, viewBox: `0 0 ${wide} ${tall}`, "font-family": "system-ui, sans-serif", "font-size": 11 },
    shape("rect", { width: wide, height: tall, fill: back }), shape("text", { x: 12, y: 20, fill: front, "font-size": 14, "font-weight": 600 }, title), ...marks, copy);
  const url = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(whole)], { type: "image/svg+xml" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: `${name}.svg` });
  link.click();
  URL.revokeObjectURL(url);
}
