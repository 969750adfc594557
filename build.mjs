/**
 * Bundles the program into dist/: `bidhelm.js` (the bin), `generate.js` (writes docs and schemas from the
 * declarations) and every `bench/NAME/main.ts`; with `--program` the bin alone. Heavy commands become chunks that are
 * loaded on demand. What is bundled stands in devDependencies; what the bundle loads at run time, in dependencies.
 */
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const root = dirname(fileURLToPath(import.meta.url))
// Tests build a bundle of their own: `node build.mjs FOLDER`.
const out = resolve(root, process.argv[2] ?? "dist")
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

// Images are built without the benchmarks.
const benchFolder = join(root, "bench")
const isProgramAlone = process.argv[3] === "--program"
const benches = (
  !isProgramAlone && existsSync(benchFolder) ? readdirSync(benchFolder, { withFileTypes: true }) : []
)
  .filter((entry) => entry.isDirectory() && existsSync(join(root, "bench", entry.name, "main.ts")))
  .map((entry) => [`bench/${entry.name}`, join(root, "bench", entry.name, "main.ts")])

// Emptied, not removed: it may be the one place of a read-only checkout that can be written.
for (const name of existsSync(out) ? readdirSync(out) : []) rmSync(join(out, name), { recursive: true })
await build({
  absWorkingDir: root,
  entryPoints: {
    bidhelm: join(root, "src/main.ts"),
    ...(isProgramAlone ? {} : { generate: join(root, "src/cli/docs/Generate.ts") }),
    ...Object.fromEntries(benches)
  },
  outdir: out,
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  logLevel: "warning",
  define: { BIDHELM_VERSION: JSON.stringify(version) },
  // Bundled CommonJS packages call require; native packages load their own binaries from node_modules.
  banner: {
    js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);'
  },
  external: [
    "@photostructure/sqlite",
    "pg-native",
    "@parcel/watcher",
    "msgpackr-extract",
    "bufferutil",
    "utf-8-validate"
  ]
})
chmodSync(join(out, "bidhelm.js"), 0o755)
