// How series are told apart: by colours that differ to every eye, and, where there are more series than colours, by a
// pattern on them. test/palette.mjs measures how far any two are apart, also as seen without one kind of cones.
export const grey = "#8a8f98";
export const palette = ["#0a67d2", "#e3d84f", "#ac2f50", "#32c0fc", "#754592", "#6ab167", "#ffb3dc", "#de791a"];
export const patterns = ["plain", "hatched", "dotted", "crossed"];

// What appears in many figures looks the same in all of them; the unmodified GPU is grey.
const fixed = { base: grey, UV: palette[0], "DAC-IDEAL": palette[1], DARSIE: palette[2], "DARSIE-IGNORE-STORE": palette[3], "DAC-THREADS": palette[5] };

// A colour and a pattern for each name, no two alike.
export function styles(names) {
  const taken = names.filter((n) => fixed[n]).map((n) => fixed[n]), all = [...palette, grey];
  const free = patterns.flatMap((pattern) => all.map((colour) => ({ colour, pattern })))
    .filter((s) => s.pattern !== "plain" || !taken.includes(s.colour));
  return names.map((n) => (fixed[n] ? { colour: fixed[n], pattern: "plain" } : free.shift()));
}

const space = "http://www.w3.org/2000/svg";
export function shape(tag, attributes, ...children) {
  const e = document.createElementNS(space, tag);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
}

const drawn = {
  hatched: "M-1,1 L1,-1 M0,6 L6,0 M5,7 L7,5",
  dotted: "M1.5,1.5 h.01 M4.5,4.5 h.01",
  crossed: "M0,0 L6,6 M0,6 L6,0",
};

let count = 0;
// What to fill shapes with, and the definitions that their drawing needs for that.
export function fills(names) {
  const id = `fill${count++}`, defs = shape("defs", {});
  const range = styles(names).map(({ colour, pattern }, i) => {
    if (pattern === "plain") return colour;
    defs.append(shape("pattern", { id: `${id}-${i}`, width: 6, height: 6, patternUnits: "userSpaceOnUse" },
      shape("rect", { width: 6, height: 6, fill: colour }),
      shape("path", { d: drawn[pattern], stroke: "#14171c", "stroke-width": pattern === "dotted" ? 2 : 1.1, "stroke-linecap": pattern === "dotted" ? "round" : "butt", fill: "none" })));
    return `url(#${id}-${i})`;
  });
  return { range, defs };
}
