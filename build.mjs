/**
 * Bundles the program into dist/: `bidhelm.js` (the bin), `generate.js` (writes docs and schemas from the
 * declarations) and every `bench/NAME/main.ts`; with `--program` the bin alone. Heavy commands become chunks that are
 * loaded on demand. What is bundled stands in devDependencies; what the bundle loads at run time, in dependencies. The
 * licences and notices of everything that is bundled go into one file beside it; the letters of printed pages into `fonts`.
 */
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
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
const options = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  minifyWhitespace: true,
  minifySyntax: true,
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
}

const { metafile } = await build({
  ...options,
  entryPoints: {
    "chunks/Program": join(root, "src/cli/Program.ts"),
    ...(isProgramAlone ? {} : { generate: join(root, "src/cli/docs/Generate.ts") }),
    ...Object.fromEntries(benches)
  },
  outdir: out,
  chunkNames: "chunks/[name]-[hash]",
  legalComments: "external",
  metafile: true
})
await buildDoor()
const fonts = "node_modules/@expo-google-fonts/pt-sans"
copyFonts()
writeFileSync(join(out, "THIRD-PARTY-NOTICES.txt"), notices())
for (const name of ["check", "test"]) await buildPlain(name)

/** The bin in one piece, for whatever is typed goes through it, and opening a chunk takes a millisecond. */
async function buildDoor() {
  const file = join(out, "bidhelm.js")
  const program = { path: "./chunks/Program.js", external: true }
  await build({
    ...options,
    entryPoints: [join(root, "src/main.ts")],
    outfile: file,
    splitting: false,
    plugins: [
      {
        name: "program",
        setup: ({ onResolve }) => onResolve({ filter: /^\.\/cli\/Program\.js$/ }, () => program)
      }
    ]
  })
  chmodSync(file, 0o755)
}

/** Letters that labels and lists are set in: read when something is printed. */
function copyFonts() {
  mkdirSync(join(out, "fonts"), { recursive: true })
  for (const face of ["400Regular", "700Bold"])
    copyFileSync(join(root, fonts, face, `PTSans_${face}.ttf`), join(out, "fonts", `PTSans_${face}.ttf`))
}

/**
 * What is typed most, and has to be there at once, is one script: opening and linking fifty chunks takes longer than the
 * work. The machine's code of it is kept as it is after the command has run; `src/cli/plain/Bundle.ts` reads both.
 */
async function buildPlain(name) {
  const file = join(out, "plain", `${name}.cjs`)
  await build({
    ...options,
    entryPoints: [join(root, `src/cli/plain/${name === "check" ? "Check" : "Test"}.ts`)],
    outfile: file,
    splitting: false,
    format: "cjs",
    legalComments: "none",
    plugins: [{ name: "unasked schemas", setup: leaveOutSchemas }],
    // Effect's clock asks for what opens another of Node's modules, and takes what a process has where there is none.
    define: { ...options.define, "import.meta.url": "importMetaUrl", performance: "undefined" },
    banner: { js: '(function(module,require,importMetaUrl){"use strict";' },
    footer: { js: "})" }
  })
  // One letter of another script doubles the text in memory: patterns are all that esbuild leaves such letters in.
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace(
      /[^\0-\x7f]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
    )
  )
  const keep = `
    const { Script } = require("node:vm")
    const { readFileSync, writeFileSync } = require("node:fs")
    const { setFlagsFromString } = require("node:v8")
    if (process.versions.v8.startsWith("11.")) setFlagsFromString("--interrupt-budget=1000000")
    setFlagsFromString("--semi-space-growth-factor=16")
    const [file, name] = process.argv.slice(1)
    const script = new Script(readFileSync(file, "utf8"), { filename: file })
    const made = { exports: {} }
    script.runInThisContext()(made, require, require("node:url").pathToFileURL(file).href)
    made.exports.main({ name, paths: [], json: false })
    process.on("exit", () => writeFileSync(file + ".cache", script.createCachedData()))`
  const { status, stderr } = spawnSync(process.execPath, ["-e", keep, file, name], {
    cwd: root,
    encoding: "utf8"
  })
  if (status !== 0) throw new Error(`${name} does not run on rules/: ${stderr}`)
}

/** Schemas only say what data looks like: those of plans and refusals are made by nobody who does not read or write them. */
function leaveOutSchemas({ onLoad }) {
  const made = /(?<![\w.])(?=(?:Schema\.(?:Struct|Union|Literal|Array|NullOr|optionalWith)|coded)\()/g
  onLoad({ filter: /\/src\/(?:domain|engine)\/.*\.ts$/ }, ({ path }) => ({
    loader: "ts",
    contents: readFileSync(path, "utf8").replace(made, "/* @__PURE__ */ ")
  }))
}

/** Licences of the packages that are bundled, then the notices that stand in their files, each once. */
function notices() {
  const folders = [...new Set([...Object.keys(metafile.inputs).flatMap(packageOf), fonts])].sort()
  const legal = Object.keys(metafile.outputs)
    .filter((path) => path.endsWith(".LEGAL.txt"))
    .sort()
  const comments = legal.map((path) => readFileSync(join(root, path), "utf8").trim())
  for (const path of legal) rmSync(join(root, path))
  return `${[...folders.map(licenceOf), ...new Set(comments)].join(`\n\n${"-".repeat(80)}\n\n`)}\n`
}

/** The folder of the package that an input belongs to; none for our own. */
function packageOf(path) {
  const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)
  return found === null ? [] : [found[1]]
}

function licenceOf(folder) {
  const { license, name, version } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
  const texts = readdirSync(join(root, folder))
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .sort()
    .map((file) => readFileSync(join(root, folder, file), "utf8").trim())
  return [`${name} ${version} (${license ?? "no licence named"})`, ...texts].join("\n\n")
}
