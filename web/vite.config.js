// One HTML file without anything to load: scripts of type "module" do not run from file://, so the code is built as
// one classic script and put into the page, and the style sheet likewise.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "vite";

// What it was built from, so that a test without Node can say when it is out of date: the hash of
// `cat index.html package-lock.json vite.config.js src/*`.
const hash = createHash("sha256");
for (const file of ["index.html", "package-lock.json", "vite.config.js", ...readdirSync("src").sort().map((f) => `src/${f}`)]) hash.update(readFileSync(file));
const sources = hash.digest("hex");

const single = {
  name: "single-file",
  enforce: "post",
  generateBundle(_, bundle) {
    const page = bundle["index.html"];
    let html = page.source;
    for (const [name, part] of Object.entries(bundle)) {
      if (name === "index.html") continue;
      const text = (part.code ?? part.source).toString();
      const tag = part.code ? new RegExp(`<script[^>]*src="[^"]*${name}"[^>]*></script>`)
                            : new RegExp(`<link[^>]*href="[^"]*${name}"[^>]*>`);
      if (part.code) html = html.replace(tag, "").replace("</body>", () => `<script>${text.replaceAll("</script", "<\\/script")}</script>\n</body>`);
      else html = html.replace(tag, () => `<style>${text}</style>`);
      delete bundle[name];
    }
    page.source = html.replace("</head>", `<meta name="sources" content="${sources}">\n</head>`);
    page.fileName = "report.html";
  },
};

export default defineConfig({
  base: "./",
  plugins: [single],
  build: {
    modulePreload: false,
    assetsInlineLimit: 1 << 20,
    rollupOptions: { output: { format: "iife", entryFileNames: "report.js", assetFileNames: "[name][extname]" } },
  },
});
