// Series look different to every eye: of up to 30 of them no two have the same pattern and colours that come close,
// as seen with all three kinds of cones or with two. The matrices are those of Machado, Oliveira and Fernandes (2009)
// for complete deficiencies, on linear RGB; distances are in CIELAB.
//
//     node test/palette.mjs
import assert from "node:assert/strict";
import { palette, styles } from "../src/palette.js";

const eyes = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
function seen(colour, eye) {
  const rgb = [1, 3, 5].map((i) => linear(parseInt(colour.slice(i, i + 2), 16) / 255));
  const [r, g, b] = eye.map((row) => Math.min(1, Math.max(0, row.reduce((sum, a, i) => sum + a * rgb[i], 0))));
  const f = (t) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
  const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047), y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b),
    z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
const apart = (a, b) => Math.min(...Object.values(eyes).map((eye) => Math.hypot(...seen(a, eye).map((v, i) => v - seen(b, eye)[i]))));

// The instrument sees what is known: these greens and reds are one colour without the cones that tell them apart.
assert(apart("#59a14f", "#e15759") < 2 && apart("#000000", "#ffffff") > 99);

const named = ["base", "UV", "DAC-IDEAL", "DAC-THREADS", "DARSIE", "DARSIE-IGNORE-STORE"], numbered = Array.from({ length: 30 }, (_, i) => `series ${i}`);
let closest = Infinity;
for (const names of [numbered, [...named, ...numbered.slice(0, 20)], [...numbered.slice(0, 5), ...named]]) {
  const looks = styles(names);
  for (let i = 0; i < looks.length; i++)
    for (let k = 0; k < i; k++) {
      if (looks[i].pattern !== looks[k].pattern) continue;
      const distance = apart(looks[i].colour, looks[k].colour);
      closest = Math.min(closest, distance);
      assert(distance > 18, `${names[i]} and ${names[k]}, ${looks[i].colour} and ${looks[k].colour}, are ${distance.toFixed(1)} apart`);
    }
}
// Neighbours in a stack lie on each other: they have to differ more.
for (let i = 1; i < palette.length; i++) assert(apart(palette[i - 1], palette[i]) > 30, `neighbours ${palette[i - 1]} and ${palette[i]}`);
console.log(`palette: the closest two are ${closest.toFixed(1)} apart: good`);
