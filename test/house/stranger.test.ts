/** What a stranger with ARCHITECTURE.md alone must find: its paths exist (and those of CONTRIBUTING.md), and twelve questions lead to their files. */
import { existsSync, readFileSync, statSync } from "node:fs"
import { describe, expect, it } from "vitest"

const page = readFileSync("ARCHITECTURE.md", "utf8")

/** How the pages write paths: from the root, from `src`, from `src/engine`, as a module of a package; a file may leave its ending out. */
const found = (written: string): string | undefined =>
  ["", "src/", "src/engine/", "node_modules/"]
    .flatMap((base) => [`${base}${written}`, `${base}${written}.ts`, `${base}${written}/package.json`])
    .find((path) => existsSync(path))

const pathsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/`([A-Za-z][\w.-]*(?:\/[\w.-]+)+)`/g)].map(([, path = ""]) => path)
const paths = pathsOf(page)
const named = new Set(paths.flatMap((path) => found(path)?.replace(/\/$/, "") ?? []))

/** A question, the file that answers it, and a name that stands there: it is the right file, not only one that exists. */
const questions: ReadonlyArray<readonly [asks: string, file: string, name: string]> = [
  ["A raise went a step past its cap. Where is it rounded?", "src/engine/decide/intents/Clamp.ts", "raise"],
  [
    "The answer to a deposit was lost. What says whether it was paid?",
    "src/engine/kinds/DepositProof.ts",
    "verdict"
  ],
  ["The process died after sending. What settles the row?", "src/engine/door/Recover.ts", "settle"],
  [
    "Who refuses a runner whose lock was taken over while it slept?",
    "src/store/journal/JournalSql.ts",
    "epoch"
  ],
  [
    "An order waits while 3,000 bids are sent. Which share has it?",
    "src/services/limiter/Shares.ts",
    "weights"
  ],
  ["How many minutes old may a reading of the budget be?", "src/engine/facts/Sources.ts", "freshMinutes"],
  ["A row says “skipped”. Where is its sentence written?", "src/reporting/Reasons.ts", "ofRow"],
  ["How is the request of `bidhelm call` read as changes?", "src/marketplace/Calls.ts", "readings"],
  ["A plan file was edited by hand. What of it is still done?", "src/engine/decide/Elsewhere.ts", "straysOf"],
  ["A report at nine every morning: what does it have to be?", "src/engine/schedule/Job.ts", "Runnable"],
  [
    "Is a lost answer of a new operation that writes harmless?",
    "src/engine/door/WriteClass.ts",
    "ofOperation"
  ],
  ["Where does a new command stand in the help?", "src/cli/terminal/Commands.ts", "commands"]
]

describe("a stranger with ARCHITECTURE.md alone", () => {
  it("meets no path that is not there", () => {
    expect(paths.length).toBeGreaterThan(60)
    const all = [...paths, ...pathsOf(readFileSync("CONTRIBUTING.md", "utf8"))]
    expect(all.filter((path) => found(path) === undefined)).toEqual([])
  })

  it.each(questions)("finds: %s", (_, file, name) => {
    expect(named).toContain(file)
    expect(readFileSync(file, "utf8")).toMatch(new RegExp(`\\b${name}\\b`))
  })

  it("learns of every room", () => {
    const rooms = "domain engine services marketplace editor reporting store runtime sandbox cli".split(" ")
    expect(rooms.filter((room) => !page.includes(`\`src/${room}`))).toEqual([])
  })

  it("has read it after ten minutes", () => {
    // 200 words a minute is a slow reader of technical prose.
    expect(page.split(/\s+/).length).toBeLessThan(2800)
    expect(statSync("ARCHITECTURE.md").size).toBeLessThan(24_000)
  })
})
