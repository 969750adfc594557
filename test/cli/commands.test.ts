/**
 * Every command once: its exit code, data on stdout, commentary on stderr. Of `npm test` some are processes of their own,
 * where others only show that they start alike; of `npm run test:deep` and `npm run test:faults` all are.
 */
import { realpathSync } from "node:fs"
import { afterAll, beforeAll, expect, it } from "vitest"
import { commands } from "../../src/cli/terminal/Commands.js"
import * as OpenFiles from "../OpenFiles.js"
import * as Shop from "./Shop.js"

let shop: Shop.Shop
beforeAll(async () => {
  shop = await Shop.Shop.open({ speed: 240 })
})
afterAll(() => shop.close())

type Expected = readonly [words: string, code: number, stdout: RegExp, stderr: RegExp]

const nothing = /^$/
const plan = /^Plan \w{12} for account main, 2026-09-01T.*\n\d+ changes, /

/** In the order of a day: each works with what those before it left. */
const day: ReadonlyArray<Expected> = [
  ["init --yes", 0, /^kept +bidhelm\.yaml\n/, /^Next, in another terminal/],
  ["check", 0, nothing, /^19 files, 16 policies: no errors\n$/],
  ["fmt --check", 0, nothing, /^0 of 19 files would change\n$/],
  ["test", 1, /^FAILED +rules\/tests\/02-minus-low-ctr/, /^4 of 81 cases in 16 files failed/],
  ["backtest", 1, nothing, /^bidhelm: there are no snapshots of main yet/],
  ["plan --out plan.json", 0, plan, /^(About .*\n)?Saved\. Apply exactly this within 24 hours/],
  ["show plan.json", 0, plan, nothing],
  ["apply plan.json --yes", 0, /applied \(done and seen\)/, nothing],
  ["approvals", 0, /^nothing of main waits for approval\n$/, nothing],
  ["approve none", 1, nothing, /^bidhelm: there is no approval none/],
  ["reject none", 1, nothing, /^bidhelm: there is no approval none/],
  [
    "hold --target 1000001",
    0,
    /^campaign 1000001: on hold by /,
    /^Its changes are planned and shown, not made/
  ],
  ["holds", 0, /^campaign 1000001: on hold by /, nothing],
  ["forecast none", 1, nothing, /^bidhelm: no rule has the id none\. Possible: /],
  ["resume --target 1000001", 0, /^lifted the hold on campaign 1000001\n$/, nothing],
  ["kill", 0, /^every request of the account \(kill switch\): on hold/, /^Nothing is sent for main/],
  ["resume --kill", 0, /^lifted the hold on every request of the account/, nothing],
  ["run --once", 0, nothing, /^bidhelm run: /],
  ["status", 1, nothing, /^bidhelm: bidhelm run is not running here/],
  ["explain 1000001", 0, /^1000001, campaign "/, nothing],
  ["history --verify", 0, /^main: \d+ records, unbroken; end \w{64}\n$/, nothing],
  ["undo none --yes", 1, nothing, /^bidhelm: there is no run or change none/],
  ["resolve none --created 1", 1, nothing, /^bidhelm: none is no call that created something/],
  ["backup copy.sqlite", 0, /^copy\.sqlite: \d+ rows, SHA-256 \w{64}/, nothing],
  ["restore copy.sqlite", 0, /^Restored \d+ rows of /, /^Until it is known what happened since/],
  ["reconcile", 0, /^0 open changes read back\.\n/, /main may be written to again/],
  ["store purge --dry-run", 0, /^Nothing is old enough to be forgotten\.\n$/, nothing],
  ["account deposits main", 0, /^main: this store knows its deposits since /, nothing],
  ["limits", 0, /^advert\.getBidRecommendations +\d of 5 now/, nothing],
  ["call getBalance", 0, /^\{\n/, nothing],
  ["economics", 0, /^There is no economics table/, /A table with every item, to fill in/],
  [
    "economics template --out costs.xlsx",
    0,
    /^A table of \d+ items is in costs\.xlsx/,
    /An empty cell is unknown/
  ],
  ["promos", 0, /^10\d\d {2}2026-/, /Which items your rules would enrol: bidhelm plan --lane promotions/],
  ["promos preview 1005", 0, /^1005 {2}2026-/, /Which of them your rules would enrol/],
  ["promos status", 0, /^10\d\d {2}/, nothing],
  ["promos exit-sheet 1005 --out prices.xlsx", 0, /^\d+ items? of promotion 1005 written to /, nothing],
  ["orders marks check none.csv", 1, nothing, /^bidhelm: there is no file none\.csv/],
  ["supplies pick-list 1", 1, nothing, /^bidhelm: there is no supply PLATFORM-GI-1 on this account/],
  ["labels print 1", 1, nothing, /^bidhelm: there is no supply PLATFORM-GI-1 on this account/],
  ["pack 1", 1, nothing, /^bidhelm: there is no supply PLATFORM-GI-1 on this account/],
  ["units 1", 1, nothing, /^bidhelm: there is no supply PLATFORM-GI-1 on this account/],
  ["reshipments", 0, /must be shipped again/, nothing],
  ["passes", 0, /No fulfilment policy that is switched on books passes/, nothing],
  ["doctor", 0, /^ok +node +/, nothing],
  ["schema policy", 0, /^\{\n {2}"\$schema"/, nothing],
  ["sandbox --print-token", 0, /^ey[\w.-]+\n$/, nothing],
  [
    "sandbox --print-token --json",
    0,
    /^\{\n {2}"version": 1,\n {2}"kind": "sandbox",\n {2}"token": "ey[\w.-]+"\n\}\n$/,
    nothing
  ]
]

const isOpen = (): boolean =>
  OpenFiles.all()?.some((path) => path.startsWith(realpathSync(shop.folder))) ?? true

/** One that succeeds, fails, reads a file, writes one, sends, is refused; by the first words. */
const processes = /^(init|plan|apply plan|approve|promos exit-sheet|doctor) /

/** Told every five seconds to who reads a file: a busy machine takes as long. */
const progress = /^\S[^/\n]* \d+\/\d+(?:, \S[^/\n]* \d+\/\d+)*\n/gm

it.each(day)("bidhelm %s ends with %i", { timeout: 120_000 }, async (words, code, stdout, stderr) => {
  const typed = words.split(" ")
  // It replaces the store only when nobody has it open.
  if (typed[0] === "restore") await OpenFiles.released(isOpen)
  const ended = await (processes.test(`${words} `) ? Shop.ended(shop.start(...typed)) : shop.run(...typed))
  expect({ ...ended, stderr: ended.stderr.replaceAll(progress, "") }).toEqual({
    code,
    stdout: expect.stringMatching(stdout),
    stderr: expect.stringMatching(stderr)
  })
})

/** `demo.test.ts` and `editor/server.test.ts` start these. */
const elsewhere = ["demo", "lsp"]

it("leaves no command out", () => {
  const names = new Set([...day.map(([words]) => words.split(" ")[0]), ...elsewhere])
  expect([...names].toSorted()).toEqual(Object.keys(commands).toSorted())
})
