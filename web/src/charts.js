// The charts, over Observable Plot. Every one is drawn into a box as wide as the page allows.
import * as Plot from "@observablehq/plot";

const palette = ["#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#e15759", "#76b7b2", "#edc948", "#9c755f", "#ff9da7", "#8a8f98", "#2f6f4f", "#c26fb5", "#7a5195"];

function show(format, value) {
  if (value == null) return "not measured";
  return format === "share" ? `${(100 * value).toFixed(1)} %` : Number.isInteger(value) && Math.abs(value) > 99 ? value.toLocaleString("en") : value.toFixed(3);
}

function width(groups, bars) { return Math.max(720, 80 + groups * Math.max(66, bars * 11 + 14)); }

// Grouped bars; what the paper says stands as a black tick over its bar.
export function bars(points, series, { format, axis, line }) {
  const categories = [...new Set(points.map((p) => p.category))];
  const there = points.filter((p) => p.value != null);
  const papers = points.filter((p) => p.paper != null);
  return Plot.plot({
    width: width(categories.length, series.length), height: 320, marginLeft: 56, marginBottom: 44,
    style: { fontSize: "11px" },
    x: { axis: null, domain: series, padding: 0.08 },
    fx: { domain: categories, label: null, tickRotate: categories.length > 16 ? -30 : 0, padding: 0.16 },
    y: { label: axis, grid: true, tickFormat: format === "share" ? (v) => `${Math.round(100 * v)} %` : undefined, nice: true, zero: true },
    color: { domain: series, range: palette, legend: true },
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
export function stack(points, parts, { format, axis, by, total }) {
  const categories = [...new Set(points.map((p) => p.category))];
  const groups = by ? [...new Set(points.map((p) => p[by]))] : [null];
  const x = by ? { fx: "category", x: by } : { x: "category" };
  return Plot.plot({
    width: width(categories.length, Math.max(2, groups.length)), height: 340, marginLeft: 60, marginBottom: by ? 70 : 44,
    style: { fontSize: "11px" },
    x: by ? { domain: groups, label: null, tickRotate: -90, tickSize: 0, padding: 0.1 } : { domain: categories, label: null },
    fx: by ? { domain: categories, label: null, axis: "top", padding: 0.14 } : undefined,
    y: { label: axis, grid: true, domain: total ? [0, total] : undefined, tickFormat: format === "share" ? (v) => `${Math.round(100 * v)} %` : undefined },
    color: { domain: parts, range: palette, legend: true },
    ariaLabel: axis,
    marks: [
      Plot.ruleY([0]),
      Plot.barY(points, Plot.stackY({ ...x, y: "value", fill: "series", order: parts,
        title: (p) => `${p.category}${by ? `, ${p[by]}` : ""}\n${p.series}: ${show(format, p.value)}`, tip: true })),
    ],
  });
}

export function lines(points, series, { axis }) {
  return Plot.plot({
    width: 960, height: 300, marginLeft: 56, style: { fontSize: "12px" },
    x: { label: "core cycles", type: "linear" }, y: { label: axis, grid: true, zero: true },
    color: { domain: series, range: palette, legend: true },
    ariaLabel: axis,
    marks: [
      Plot.ruleY([0]),
      Plot.lineY(points, { x: "cycle", y: "value", stroke: "series", strokeWidth: 1.8 }),
      Plot.tip(points, Plot.pointerX({ x: "cycle", y: "value", fill: "var(--back)",
        title: (p) => `cycle ${p.cycle.toLocaleString("en")}\n${p.series}: ${p.value.toFixed(2)}` })),
    ],
  });
}

// The drawing as a file of its own: with a background and the colours it has now.
export function download(box, name) {
  const drawings = [...box.querySelectorAll("svg")];
  const drawing = drawings.reduce((a, b) => (b.clientWidth * b.clientHeight > a.clientWidth * a.clientHeight ? b : a));
  const copy = drawing.cloneNode(true);
  const colours = getComputedStyle(document.documentElement);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.style.color = colours.getPropertyValue("--front");
  copy.style.background = colours.getPropertyValue("--back");
  copy.querySelectorAll('[aria-label="tip"]').forEach((tip) => tip.remove());
  const legend = [...box.querySelectorAll('[class*="swatch"] > span, span[class*="swatch"]')].map((s) => s.textContent).join(", ");
  if (legend) copy.prepend(Object.assign(document.createElementNS("http://www.w3.org/2000/svg", "title"), { textContent: legend }));
  const url = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: `${name}.svg` });
  link.click();
  URL.revokeObjectURL(url);
}

export { show };
