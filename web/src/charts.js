// The charts, over Observable Plot. Every one is drawn into a box as wide as the page allows.
import * as Plot from "@observablehq/plot";

const palette = ["#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#e15759", "#76b7b2", "#edc948", "#9c755f", "#ff9da7", "#8a8f98", "#2f6f4f", "#c26fb5", "#7a5195"];
// What appears in many figures has one colour in all of them.
const fixed = { base: "#8a8f98", UV: "#4e79a7", "DAC-IDEAL": "#f28e2b", DARSIE: "#59a14f", "DARSIE-IGNORE-STORE": "#b07aa1" };

function colours(series) {
  const free = series.some((s) => fixed[s]) ? palette.filter((c) => !Object.values(fixed).includes(c)) : palette;
  let next = 0;
  return series.map((s) => fixed[s] ?? free[next++ % free.length]);
}

function show(format, value, whole) {
  if (value == null) return "not measured";
  if (format === "share") return `${(100 * value).toFixed(1)} %`;
  return whole || (Number.isInteger(value) && Math.abs(value) > 99) ? value.toLocaleString("en") : value.toFixed(3);
}

// As wide as its place, or what the bars need, and then its place scrolls.
function width(place, groups, bars) { return Math.max(place, 64 + groups * Math.max(54, bars * 7 + 8)); }
const ofMean = (category) => category.replace("MEAN-", "MEAN\n"); // in two lines: it is the longest label

// Grouped bars; what the paper says stands as a black tick over its bar.
export function bars(points, series, { format, axis, line, place }) {
  const categories = [...new Set(points.map((p) => p.category))];
  const there = points.filter((p) => p.value != null);
  const papers = points.filter((p) => p.paper != null);
  return Plot.plot({
    width: width(place, categories.length, series.length), height: 320, marginLeft: 56, marginBottom: categories.length > 16 ? 60 : 36,
    style: { fontSize: "11px" },
    x: { axis: null, domain: series, padding: 0.08 },
    fx: { domain: categories, label: null, tickRotate: categories.length > 16 ? -30 : 0, padding: 0.16, tickFormat: ofMean },
    y: { label: axis, grid: true, tickFormat: format === "share" ? (v) => `${Math.round(100 * v)} %` : undefined, nice: true, zero: true },
    color: { domain: series, range: colours(series) },
    ariaLabel: axis,
    marks: [
      Plot.ruleY([line]),
      Plot.barY(there, { fx: "category", x: "series", y: "value", fill: "series", rx: 1.5 }),
      Plot.tickY(papers, { fx: "category", x: "series", y: "paper", stroke: "currentColor", strokeWidth: 3 }),
      Plot.tip(there, Plot.pointerX({ fx: "category", x: "series", y: "value", fill: "var(--back)",
        title: (p) => `${p.category}\n${p.series}: ${show(format, p.value)}${p.paper == null ? "" : `\npaper: ${show(format, p.paper)}`}` })),
    ],
  });
}

// Parts of a whole, a bar a category, or with `by` a group of bars.
export function stack(points, parts, { format, axis, by, total, place }) {
  const categories = [...new Set(points.map((p) => p.category))];
  const groups = by ? [...new Set(points.map((p) => p[by]))] : [null];
  const x = by ? { fx: "category", x: by } : { x: "category" };
  return Plot.plot({
    width: width(place, categories.length, Math.max(2, groups.length)), height: 340, marginLeft: 60, marginBottom: by ? 56 : 36,
    style: { fontSize: "11px" },
    x: by ? { domain: groups, label: null, tickRotate: -90, tickSize: 0, padding: 0.1 } : { domain: categories, label: null, tickFormat: ofMean },
    fx: by ? { domain: categories, label: null, axis: "top", padding: 0.14 } : undefined,
    y: { label: axis, grid: true, domain: total ? [0, total] : undefined, tickFormat: format === "share" ? (v) => `${Math.round(100 * v)} %` : undefined },
    color: { domain: parts, range: colours(parts) },
    ariaLabel: axis,
    marks: [
      Plot.ruleY([0]),
      Plot.barY(points, Plot.stackY({ ...x, y: "value", fill: "series", order: parts,
        title: (p) => `${p.category}${by ? `, ${p[by]}` : ""}\n${p.series}: ${show(format, p.value)}`, tip: true })),
    ],
  });
}

export function lines(points, series, { axis, place }) {
  return Plot.plot({
    width: Math.max(place, 560), height: 300, marginLeft: 56, marginBottom: 46, style: { fontSize: "11px" },
    x: { label: "core cycles", labelOffset: 40, type: "linear" }, y: { label: axis, grid: true, zero: true },
    color: { domain: series, range: colours(series) },
    ariaLabel: axis,
    marks: [
      Plot.ruleY([0]),
      Plot.lineY(points, { x: "cycle", y: "value", stroke: "series", strokeWidth: 1.8 }),
      Plot.tip(points, Plot.pointerX({ x: "cycle", y: "value", fill: "var(--back)",
        title: (p) => `cycle ${p.cycle.toLocaleString("en")}\n${p.series}: ${p.value.toFixed(2)}` })),
    ],
  });
}

// What the colours mean, and the black tick where the paper gives values.
export function legend(series, paper) {
  const range = colours(series), box = document.createElement("div");
  box.className = "legend";
  for (const [name, colour] of [...series.map((s, i) => [s, range[i]]), ...(paper ? [["the paper's value", null]] : [])]) {
    const item = document.createElement("span"), mark = document.createElement("i");
    if (colour) mark.style.background = colour;
    else mark.className = "tick";
    item.append(mark, name);
    box.append(item);
  }
  return box;
}

// The drawing as a file of its own: with its title and legend, a background, and the colours it has now.
export function download(box, name, title) {
  const space = "http://www.w3.org/2000/svg", drawing = box.querySelector("svg"), copy = drawing.cloneNode(true);
  const theme = getComputedStyle(document.documentElement), front = theme.getPropertyValue("--front");
  const make = (tag, attributes, text = "") => {
    const e = document.createElementNS(space, tag);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    e.textContent = text;
    return e;
  };
  const wide = Number(drawing.getAttribute("width")), marks = [];
  let x = 12, y = 44;
  for (const item of box.querySelectorAll(".legend span")) {
    const long = 30 + 6.6 * item.textContent.length;
    if (x + long > wide) { x = 12; y += 18; }
    const colour = item.firstChild.className === "tick" ? null : item.firstChild.style.background;
    marks.push(colour ? make("rect", { x, y: y - 10, width: 11, height: 11, fill: colour }) : make("rect", { x, y: y - 6, width: 11, height: 3, fill: front }),
      make("text", { x: x + 16, y, fill: front }, item.textContent));
    x += long;
  }
  copy.querySelectorAll('[aria-label="tip"]').forEach((tip) => tip.remove());
  copy.setAttribute("y", y + 10);
  copy.style.color = front;
  const tall = y + 10 + Number(drawing.getAttribute("height"));
  const whole = make("svg", { xmlns: space, width: wide, height: tall, viewBox: `0 0 ${wide} ${tall}`, "font-family": "system-ui, sans-serif", "font-size": 11 });
  whole.append(make("rect", { width: wide, height: tall, fill: theme.getPropertyValue("--back") }),
    make("text", { x: 12, y: 20, fill: front, "font-size": 14, "font-weight": 600 }, title), ...marks, copy);
  const url = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(whole)], { type: "image/svg+xml" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: `${name}.svg` });
  link.click();
  URL.revokeObjectURL(url);
}

export { show };
