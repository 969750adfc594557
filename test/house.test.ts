/** The house rules of ARCHITECTURE.md as a test: who may import whom, and what no file may contain. */
import { readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, posix, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { all } from "../src/engine/kinds/All.js"

interface Import {
  readonly clause: string
  readonly from: string
  readonly typeOnly: boolean
  readonly isDynamic: boolean
}

interface SourceFile {
  /** Path from the root of the repository, with forward slashes. */
  readonly path: string
  readonly text: string
  /** Without comments. */
  readonly code: string
  readonly imports: ReadonlyArray<Import>
}

const root = join(dirname(fileURLToPath(import.meta.url)), "..")

const importsOf = (path: string, text: string): ReadonlyArray<Import> => {
  const statics = text.matchAll(/^(?:import|export)\s+(type\s+)?([^"';]*?)\s*from\s+"([^"]+)"/gm)
  const bare = text.matchAll(/^import\s+"([^"]+)"/gm)
  const dynamic = text.matchAll(/\bimport\(\s*"([^"]+)"\s*\)/g)
  const resolve = (from: string): string =>
    from.startsWith(".") ? posix.join(posix.dirname(path), from).replace(/\.js$/, ".ts") : from
  return [
    ...[...statics].map((m) => ({
      clause: m[2] ?? "",
      from: resolve(m[3] ?? ""),
      typeOnly: m[1] !== undefined,
      isDynamic: false
    })),
    ...[...bare].map((m) => ({ clause: "", from: resolve(m[1] ?? ""), typeOnly: false, isDynamic: false })),
    ...[...dynamic].map((m) => ({ clause: "*", from: resolve(m[1] ?? ""), typeOnly: false, isDynamic: true }))
  ]
}

const load = (folder: string): ReadonlyArray<SourceFile> =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => {
      const absolute = join(entry.parentPath, entry.name)
      const path = relative(root, absolute).replaceAll("\\", "/")
      const text = readFileSync(absolute, "utf8")
      const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/[^\n]*/g, "$1")
      return { path, text, code, imports: importsOf(path, text) }
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1))

const sources = load("src")
const tests = load("test")

/** Modules of effect that hold data and do nothing by themselves: the pure core may use them. */
const effectData = new Set(
  (
    "Array BigDecimal Brand Chunk Data Either Equal Equivalence Function Hash HashMap HashSet Match Number Option Order " +
    "ParseResult Predicate Record Schema SchemaAST JSONSchema String Struct Tuple Types"
  )
    .split(" ")
    .map((name) => `effect/${name}`)
)

interface Room {
  readonly folder: string
  readonly mayImport: ReadonlyArray<string>
  readonly packages: (from: string) => boolean
}

const anyEffect = (from: string): boolean => from.startsWith("effect/")
const node = (from: string): boolean => from.startsWith("node:")
const core = [
  "src/engine/language/",
  "src/engine/facts/",
  "src/engine/kinds/",
  "src/engine/decide/",
  "src/engine/optimise/",
  "src/engine/schedule/LocalTime.ts",
  "src/domain/"
]

/** Opening and reading a report that came as an archive. */
const reports = new Set(["yauzl", "csv-parse"])
/** PDF, letters, and the squares of codes. */
const printing = new Set(["@cantoo/pdf-lib", "fontkit", "bwip-js"])
/** The language server's protocol. */
const languageServer = new Set(["vscode-languageserver/node", "vscode-languageserver-textdocument"])
/** What an operation is and how its refusals look: facts that client and sandbox share. */
const declarations = ["src/services/Operation.ts", "src/services/ErrorBody.ts"]

/** The first room whose folder fits a file is its room. */
const rooms: ReadonlyArray<Room> = [
  {
    folder: "src/domain/",
    mayImport: ["src/domain/"],
    // `Hash` opens the first by the second, when something is named.
    packages: (p) => anyEffect(p) || p === "node:crypto" || p === "node:module"
  },
  {
    folder: "src/engine/kinds/",
    mayImport: ["src/engine/kinds/", "src/domain/"],
    packages: (p) => effectData.has(p)
  },
  {
    folder: "src/engine/optimise/",
    mayImport: ["src/engine/optimise/", "src/domain/"],
    packages: () => false
  },
  {
    folder: "src/engine/door/",
    mayImport: ["src/engine/door/", "src/engine/kinds/", "src/domain/"],
    packages: anyEffect
  },
  {
    folder: "src/engine/gather/",
    mayImport: ["src/engine/gather/", ...core],
    packages: (p) => anyEffect(p) || p === "node:crypto"
  },
  {
    folder: "src/engine/planning/",
    mayImport: [
      "src/engine/planning/",
      "src/engine/fulfilment/",
      "src/engine/gather/",
      "src/engine/door/",
      "src/engine/backtest/",
      "src/engine/schedule/",
      "src/engine/fulfilment/",
      ...core
    ],
    packages: anyEffect
  },
  {
    folder: "src/engine/schedule/",
    mayImport: ["src/engine/schedule/", "src/domain/"],
    packages: anyEffect
  },
  {
    folder: "src/engine/fulfilment/",
    mayImport: [
      "src/engine/fulfilment/",
      "src/engine/kinds/",
      "src/engine/language/Fulfilment.ts",
      "src/engine/schedule/LocalTime.ts",
      "src/domain/"
    ],
    packages: (p) => effectData.has(p)
  },
  {
    folder: "src/engine/testing/",
    mayImport: [...core, "src/engine/testing/", "src/engine/gather/Match.ts"],
    packages: (p) => effectData.has(p)
  },
  {
    folder: "src/engine/backtest/",
    mayImport: [
      ...core,
      "src/engine/backtest/",
      "src/engine/gather/Match.ts",
      "src/engine/schedule/Timetable.ts",
      "src/engine/testing/Trial.ts"
    ],
    packages: (p) => effectData.has(p)
  },
  {
    folder: "src/engine/",
    mayImport: core,
    packages: (p) => effectData.has(p) || p === "yaml" || p === "node:crypto"
  },
  {
    folder: "src/services/",
    mayImport: ["src/services/", "src/domain/"],
    packages: (p) => anyEffect(p) || p.startsWith("@effect/platform/") || node(p) || reports.has(p)
  },
  {
    folder: "src/marketplace/",
    mayImport: ["src/marketplace/", "src/engine/", "src/services/", "src/domain/"],
    packages: (p) => anyEffect(p) || p.startsWith("@effect/platform/")
  },
  {
    folder: "src/editor/",
    mayImport: ["src/editor/", "src/engine/", "src/domain/"],
    packages: (p) => effectData.has(p) || languageServer.has(p) || p === "node:path" || p === "node:url"
  },
  {
    folder: "src/reporting/",
    mayImport: ["src/reporting/", "src/engine/", "src/domain/"],
    packages: (p) => effectData.has(p)
  },
  {
    folder: "src/printing/",
    mayImport: ["src/printing/", "src/domain/"],
    packages: (p) => effectData.has(p) || p === "node:zlib" || printing.has(p)
  },
  {
    folder: "src/store/",
    mayImport: [
      "src/store/",
      "src/engine/gather/FactSource.ts",
      "src/engine/door/Journal.ts",
      "src/engine/door/ObserveOnly.ts",
      "src/engine/door/HoldStore.ts",
      "src/engine/planning/ApprovalStore.ts",
      "src/engine/schedule/DueTimes.ts",
      "src/engine/door/ChangeLog.ts",
      "src/engine/planning/Snapshots.ts",
      "src/engine/planning/RuleMemory.ts",
      "src/engine/planning/LimitsMemory.ts",
      "src/engine/door/CreationLog.ts",
      "src/engine/decide/",
      "src/engine/kinds/",
      "src/services/ports/",
      "src/services/Limiter.ts",
      "src/domain/"
    ],
    packages: (p) => anyEffect(p) || p.startsWith("@effect/") || p === "@photostructure/sqlite" || node(p)
  },
  {
    folder: "src/runtime/",
    mayImport: ["src/runtime/", "src/engine/", "src/services/", "src/store/", "src/domain/"],
    packages: (p) => anyEffect(p) || p.startsWith("@effect/") || node(p) || p === "node-cron"
  },
  {
    folder: "src/sandbox/",
    mayImport: ["src/sandbox/", "src/services/endpoints/", ...declarations, "src/domain/"],
    packages: (p) => anyEffect(p) || p.startsWith("@effect/platform") || node(p) || p === "fflate"
  },
  { folder: "src/cli/", mayImport: ["src/"], packages: () => true },
  { folder: "src/main.ts", mayImport: ["src/cli/"], packages: node }
]

const roomOf = (path: string): Room | undefined => rooms.find((room) => path.startsWith(room.folder))

const trespasses = (file: SourceFile): ReadonlyArray<string> => {
  const room = roomOf(file.path)
  if (room === undefined) return [`${file.path} is in no known folder`]
  return file.imports
    .filter(({ from }) =>
      from.startsWith("src/")
        ? !room.mayImport.some((prefix) => from.startsWith(prefix))
        : !room.packages(from)
    )
    .map(({ from }) => `${file.path} imports ${from}`)
}

/** Loops of imports, those of types included: who reads one file of a loop has to read them all. */
const cycles = (files: ReadonlyArray<SourceFile>): ReadonlyArray<string> => {
  const edges = new Map(
    files.map((f) => [f.path, f.imports.filter(({ isDynamic }) => !isDynamic).map(({ from }) => from)])
  )
  const done = new Set<string>()
  const found: Array<string> = []
  const visit = (path: string, trail: ReadonlyArray<string>): void => {
    if (trail.includes(path)) found.push([...trail.slice(trail.indexOf(path)), path].join(" → "))
    if (trail.includes(path) || done.has(path)) return
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of edges.keys()) visit(path, [])
  return found
}

/** Where reading starts: the program, and what `npm run generate` runs. */
const entries = ["src/main.ts", "src/cli/docs/Generate.ts"]

/** Written and tested before what will ask for it: order assembly and reports. The list may only shrink. */
const waiting = [
  "src/services/areas/analytics/OrderFeed.ts",
  "src/services/areas/analytics/SearchReports.ts",
  "src/services/areas/reports/CsvReports.ts",
  "src/services/areas/reports/ReportFile.ts",
  "src/store/facts/ReportStoreSql.ts"
]

/** Files that no import leads to from the entries, types included. */
const unreached = (files: ReadonlyArray<SourceFile>, from: ReadonlyArray<string>): ReadonlyArray<string> => {
  const imports = new Map(files.map((f) => [f.path, f.imports.map((i) => i.from)]))
  const seen = new Set<string>()
  const visit = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    for (const next of imports.get(path) ?? []) visit(next)
  }
  for (const path of from) visit(path)
  return files.map((f) => f.path).filter((path) => !seen.has(path))
}

const containing = (pattern: RegExp, except: ReadonlyArray<string> = []): ReadonlyArray<string> =>
  sources.filter((f) => pattern.test(f.code) && !except.includes(f.path)).map((f) => f.path)

const importing = (wanted: string): ReadonlyArray<string> =>
  sources.filter((f) => f.imports.some((i) => i.from === wanted)).map((f) => f.path)

/** Where something is decided about changes. */
const decides = [
  "src/engine/",
  "src/marketplace/",
  "src/store/journal/",
  "src/runtime/",
  "src/cli/plan/Applying",
  "src/cli/plan/Explaining",
  "src/cli/daemon/"
]

/**
 * Which words they search is what they are for: what a case of `bidhelm test` expects, notes of problems in rule files,
 * and a phrase that the marketplace names in its answer (field note M12).
 */
const readsWords = new Set([
  "src/engine/testing/RunTests.ts",
  "src/engine/language/problems/Diagnostic.ts",
  "src/engine/language/yaml/YamlTraps.ts",
  "src/marketplace/writes/ClusterBids.ts"
])

/** A sentence that is searched, compared, or what rows are counted by. A state, and a problem that is new, may be compared. */
const words = String.raw`(?:why|\w+Why|detail|message|said|sentence)`
const searches = String.raw`(?:includes|startsWith|endsWith|indexOf|search|match)\(`
const onProse = new RegExp(
  [
    String.raw`\b(?:${words}|problem|state)\??\.${searches}`,
    String.raw`\b${words}\??\s*[=!]==\s*(?!undefined|null|""|"string"|message\b)[\w"'\`]`,
    String.raw`\.(?:get|set|has)\((?:\w+\.)?(?:why|\w+Why|detail|said|sentence)\b`,
    String.raw`\.test\([\w.]*\b${words}\b`,
    String.raw`\btest\([\w.]*\.${words}\b`
  ].join("|"),
  "g"
)

describe("the house's own inspector", () => {
  const file = (path: string, text: string): SourceFile => ({
    path,
    text,
    code: text,
    imports: importsOf(path, text)
  })

  it("sees a trespass in every form of import", () => {
    for (const text of [
      'import { Plan } from "../engine/decide/Plan.js"',
      'import type { Plan } from "../engine/decide/Plan.js"',
      'import {\n  Plan,\n  Change\n} from "../engine/decide/Plan.js"',
      'import "../engine/decide/Plan.js"',
      'export { Plan } from "../engine/decide/Plan.js"',
      'const plan = () => import("../engine/decide/Plan.js")'
    ]) {
      expect(trespasses(file("src/domain/Money.ts", text))).toEqual([
        "src/domain/Money.ts imports src/engine/decide/Plan.ts"
      ])
    }
  })

  it("sees the Effect runtime in the pure core, and a stranger's package", () => {
    expect(
      trespasses(file("src/engine/decide/Plan.ts", 'import * as Effect from "effect/Effect"'))
    ).toHaveLength(1)
    expect(trespasses(file("src/engine/decide/Plan.ts", 'import * as Schema from "effect/Schema"'))).toEqual(
      []
    )
    expect(trespasses(file("src/marketplace/Facts.ts", 'import pg from "pg"'))).toHaveLength(1)
  })

  it("sees a cycle, in types too, but not in what is loaded when it is needed", () => {
    const ring = (last: string) => [
      file("src/domain/A.ts", 'import { b } from "./B.js"'),
      file("src/domain/B.ts", 'import type { c } from "./C.js"'),
      file("src/domain/C.ts", last)
    ]
    const loop = ["src/domain/A.ts → src/domain/B.ts → src/domain/C.ts → src/domain/A.ts"]
    expect(cycles(ring('import * as A from "./A.js"'))).toEqual(loop)
    expect(cycles(ring('import type { a } from "./A.js"'))).toEqual(loop)
    expect(cycles(ring('const a = () => import("./A.js")'))).toEqual([])
  })

  it("sees a file that nothing leads to, and that files which only know each other lead nowhere", () => {
    const files = [
      file("src/main.ts", 'const run = () => import("./domain/A.js")'),
      file("src/domain/A.ts", 'import type { b } from "./B.js"'),
      file("src/domain/B.ts", ""),
      file("src/domain/C.ts", 'import { d } from "./D.js"'),
      file("src/domain/D.ts", 'import { c } from "./C.js"')
    ]
    expect(unreached(files, ["src/main.ts"])).toEqual(["src/domain/C.ts", "src/domain/D.ts"])
  })
})

describe("the house", () => {
  it("has every folder that the rules speak of", () => {
    const empty = rooms
      .filter((room) => !sources.some((f) => f.path.startsWith(room.folder)))
      .map((r) => r.folder)
    expect(empty).toEqual([])
  })

  it("lets no folder import what it may not", () => {
    expect(sources.flatMap(trespasses)).toEqual([])
  })

  it("imports no file that is not there", () => {
    const known = new Set(sources.map((f) => f.path))
    const missing = sources.flatMap((f) =>
      f.imports
        .filter((i) => i.from.startsWith("src/") && !known.has(i.from))
        .map((i) => `${f.path}: ${i.from}`)
    )
    expect(missing).toEqual([])
  })

  it("has no import cycles", () => {
    expect(cycles(sources)).toEqual([])
  })

  it("has no file that only tests reach, but for those that wait for who will ask for them", () => {
    expect(unreached(sources, entries)).toEqual(waiting)
  })

  it("has no barrels, neither its own nor those of its packages", () => {
    expect(sources.filter((f) => basename(f.path) === "index.ts").map((f) => f.path)).toEqual([])
    const barrels = /^(effect|@effect\/(platform|platform-node|cli|sql|printer|printer-ansi))$/
    expect(sources.filter((f) => f.imports.some((i) => barrels.test(i.from))).map((f) => f.path)).toEqual([])
  })

  it("names every file after its one concept", () => {
    const banned = /^(utils?|helpers?|common|misc|manager|shared|types)\.ts$/i
    expect(sources.filter((f) => banned.test(basename(f.path))).map((f) => f.path)).toEqual([])
  })

  it("keeps folders to what a newcomer reads at once: 30 files", () => {
    const folders = new Map<string, number>()
    for (const { path } of sources) {
      const folder = posix.dirname(path)
      folders.set(folder, (folders.get(folder) ?? 0) + 1)
    }
    expect([...folders].filter(([, files]) => files > 30)).toEqual([])
  })

  // A subject in one file of 420 lines is read faster than in four of 105 that only know each other. Beyond 300 ask
  // whether there are two subjects; beyond 600 there are.
  it("keeps files under 600 lines", () => {
    expect(sources.filter((f) => f.text.split("\n").length > 601).map((f) => f.path)).toEqual([])
  })

  it("names a kind of change in its own rooms only: others ask its record", () => {
    const kind = new RegExp(`"(${Object.keys(all).join("|")})"`)
    const slot = new RegExp(
      `["\`](${Object.values(all)
        .map(({ prefix }) => prefix)
        .join("|")}):`
    )
    const naming = sources.filter(
      ({ code, path }) =>
        !/^src\/(engine\/kinds|marketplace|sandbox|services)\//.test(path) &&
        (kind.test(code) || slot.test(code))
    )
    expect(naming.map(({ path }) => path)).toEqual([])
  })

  const issuersOf = (file: string): ReadonlyArray<string> =>
    sources
      .filter((f) =>
        f.imports.some((i) => {
          if (i.from !== file || i.typeOnly) return false
          const namespace = /\*\s+as\s+(\w+)/.exec(i.clause)?.[1]
          return namespace === undefined ? /\bissue\b/.test(i.clause) : f.code.includes(`${namespace}.issue`)
        })
      )
      .map(({ path }) => path)

  it("decides by codes: no part of the engine, of sending or of the journal searches or compares a sentence", () => {
    const found = sources
      .filter(({ path }) => decides.some((folder) => path.startsWith(folder)))
      .filter(({ path }) => !readsWords.has(path))
      .flatMap(({ code, path }) => [...code.matchAll(onProse)].map(([words]) => `${path}: ${words}`))
    expect(found).toEqual([])
    for (const words of [
      "row.detail.includes(",
      "outcome.why === LookAgain",
      'one.stoppedWhy?.startsWith("could not")',
      'state.startsWith("unknown")',
      'why.startsWith("held',
      "counts.get(why)",
      "test(error.message"
    ])
      expect(words).toMatch(new RegExp(onProse.source))
  })

  it("hands out write permits in one file only", () => {
    expect(issuersOf("src/domain/WritePermit.ts")).toEqual(["src/engine/door/Permit.ts"])
  })

  it("approves plans in the review only", () => {
    expect(issuersOf("src/engine/kinds/Approved.ts")).toEqual(["src/engine/decide/Review.ts"])
  })

  it("knows the YAML library in one place", () => {
    expect(importing("yaml")).toEqual(["src/engine/language/yaml/Yaml.ts"])
  })

  it("knows the language server's library in one place", () => {
    expect(importing("vscode-languageserver/node")).toEqual(["src/editor/Server.ts"])
  })

  it("passes time, chance and the terminal in", () => {
    expect(containing(/\bnew Date\(\s*\)|\bDate\.now\b|\bMath\.random\b|\bperformance\.now\b/)).toEqual([])
    expect(containing(/\bconsole\.\w+\(/)).toEqual([])
    const doors = ["src/cli/terminal/Output.ts", "src/cli/Process.ts", "src/main.ts"]
    expect(containing(/\bprocess\.std(out|err)\b/, doors)).toEqual([])
  })

  it("reads JSON from outside in one place, which bounds how deep it goes", () => {
    const own = /^src\/(domain\/Json|engine\/backtest\/Recording|sandbox\/Faults)\.ts$|^src\/store\//
    expect(containing(/\bJSON\.parse\(/).filter((path) => !own.test(path))).toEqual([])
  })

  it("does not talk the compiler out of its checks", () => {
    // The client's interpreter handles endpoints without knowing which; its types are given back right there.
    expect(containing(/\bas any\b/, ["src/services/MarketplaceClient.ts"])).toEqual([])
    expect(containing(/\bas unknown as\b/)).toEqual([])
    expect(
      sources.filter((f) => /@ts-(ignore|nocheck|expect-error)/.test(f.text)).map((f) => f.path)
    ).toEqual([])
  })

  it("does not sort by the machine's language", () => {
    expect(containing(/\blocaleCompare\b|\btoLocale\w*\(/)).toEqual([])
  })

  it("orders texts in one place", () => {
    const byHand = /< [\w.()]+ \? -1 : (?:1\b|[\w.()]+ > )/
    const allowed = [
      "src/domain/TextOrder.ts",
      // A script of the page itself.
      "src/reporting/preview/HtmlPreview.ts"
    ]
    expect(containing(byHand, allowed)).toEqual([])
    for (const words of [
      "(a < b ? -1 : a > b ? 1 : 0)",
      "(a.slot < b.slot ? -1 : 1)",
      "(key(a) < key(b) ? -1 : 1)"
    ])
      expect(words).toMatch(byHand)
  })

  it("has nothing left for later, and no test switched off", () => {
    const later = new RegExp(["TO", "DO|FIX", "ME|not imple", "mented"].join(""))
    expect([...sources, ...tests].filter((f) => later.test(f.text)).map((f) => f.path)).toEqual([])
    const off = new RegExp(
      `\\b(it|test|describe)(\\.\\w+)*\\.(${["on", "ly|sk", "ip|to", "do"].join("")})\\b`
    )
    expect(tests.filter((f) => off.test(f.code)).map((f) => f.path)).toEqual([])
  })
})
