/** The demo's story: a fresh marketplace, the shipped rules, plan → apply → second plan → night and morning → history → ledger. */
import { dirname, join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import { AccountName } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import type { Plan } from "../../engine/decide/Plan.js"
import type { ReviewedPlan } from "../../engine/decide/Review.js"
import { Journal } from "../../engine/door/Journal.js"
import * as History from "../../reporting/history/History.js"
import * as ChangeRows from "../../reporting/preview/ChangeRows.js"
import * as TextPreview from "../../reporting/preview/TextPreview.js"
import * as Wording from "../../reporting/Wording.js"
import type { Scale } from "../../sandbox/market/Scale.js"
import { sandboxToken } from "../../sandbox/SandboxToken.js"
import * as Account from "../account/Account.js"
import * as Applying from "../plan/Applying.js"
import * as Planning from "../plan/Planning.js"
import * as Preview from "../plan/Preview.js"
import * as RuleFiles from "../rules/RuleFiles.js"
import * as Store from "../store/Store.js"
import * as Output from "../terminal/Output.js"
import { shippedRules } from "../terminal/PackageFiles.js"
import { stop } from "../terminal/Stop.js"
import * as LedgerCheck from "./LedgerCheck.js"
import * as SandboxServer from "./SandboxServer.js"

/** An hour of the marketplace passes in a minute. */
const speed = 60

/** An afternoon in Moscow, so that today's spend has come together; the same for everybody. */
const originMs = Date.parse("2026-09-01T15:00:00+03:00")

/** Small enough to read its plan from end to end. */
const scale: Scale = { campaigns: 3, items: 2, clusters: 10 }

/** From the afternoon into the night: a new day's spend has begun, and 03 lets its campaign run again. */
const toNightMs = 10 * 3_600_000
/** On to the morning, when 02 looks at all campaigns a second time. */
const toMorningMs = 5 * 3_600_000

/** What the first plan shows of its changes, unless all of them are asked for. */
const shownFirst = 4
/** Changes of each kind that later plans show. */
const shownOfKind = 2

interface Asked {
  readonly json: boolean
  readonly all: boolean
}

export const run = (asked: Asked) =>
  Effect.gen(function* () {
    const { advance, url } = yield* SandboxServer.open({ port: 0, seed: 1, speed, scale, originMs })
    yield* Output.note(`A sandbox marketplace answers at ${url}; its clock runs ${speed} times faster.`)
    const chosen = yield* account(url)
    const today = yield* Account.during(chosen, firstDay(chosen, asked))
    yield* advance(toNightMs)
    const night = yield* Account.during(chosen, later(chosen, asked, nightTitle))
    yield* advance(toMorningMs)
    const morning = yield* Account.during(chosen, later(chosen, asked, morningTitle))
    const runs = yield* Account.during(chosen, history(chosen, asked))
    const ledger = yield* Effect.provide(LedgerCheck.fetch(url), NodeHttpClient.layerUndici)
    const comparison = LedgerCheck.compare([...today.applied, ...night.applied, ...morning.applied], ledger)
    const kinds = LedgerCheck.kinds(ledger)
    const { breaches } = ledger
    if (asked.json)
      yield* Output.json("demo", {
        ...today.summary,
        later: [night.summary, morning.summary],
        runs,
        ledger: comparison,
        kinds,
        breaches
      })
    else yield* verdict(comparison, kinds, breaches)
    const { second } = today
    if (!asExpected({ breaches, comparison, kinds, second }))
      return yield* stop(1, "the demo did not come out as it should")
  })

/** True when the marketplace accepted what was planned and nothing else, and raises, minus phrases and the stop acted by its list. */
export const asExpected = (came: {
  readonly comparison: LedgerCheck.Comparison
  readonly kinds: LedgerCheck.Kinds
  /** Changes of the second plan, which should have none. */
  readonly second: number
  readonly breaches: number
}): boolean => {
  const { breaches, comparison, kinds, second } = came
  const same = comparison.missing.length === 0 && comparison.surplus.length === 0
  const every = kinds.raises > 0 && kinds.minusPhrases > 0 && kinds.pauses > 0
  return same && every && second === 0 && breaches === 0
}

/** An account in a folder of its own that goes away with the demo. */
const account = (url: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const folder = yield* files.makeTempDirectoryScoped({ prefix: "bidhelm-demo-" })
    for (const { content, path } of shippedRules()) {
      const target = join(folder, "rules", path)
      yield* files.makeDirectory(dirname(target), { recursive: true })
      yield* files.writeFileString(target, content)
    }
    const tokenFile = join(folder, "token")
    yield* files.writeFileString(tokenFile, sandboxToken(), { mode: 0o600 })
    const own = {
      name: "demo",
      token: { _tag: "File", path: tokenFile },
      tokenKind: undefined,
      sandbox: true
    } as const
    const chosen: Account.Chosen = {
      name: AccountName("demo"),
      account: own,
      maxWaitMs: Number.POSITIVE_INFINITY,
      config: {
        accounts: [own],
        hosts: { advert: url, calendar: url, marketplace: url, analytics: url },
        header: { name: "Authorization", scheme: "Bearer" },
        word: "platform",
        timeZone: "Europe/Moscow",
        currency: "RUB",
        store: { _tag: "Sqlite", path: join(folder, "bidhelm.sqlite") },
        storePath: join(folder, "bidhelm.sqlite"),
        rulesFolder: join(folder, "rules"),
        maxWaitMs: undefined,
        bidStep: {}
      }
    }
    return chosen
  })

/** Each step opens the store and the client anew, as a command of its own would. */
const planned = (chosen: Account.Chosen) =>
  Effect.gen(function* () {
    const rules = yield* RuleFiles.load(chosen.config.rulesFolder, "rules")
    const { reviewed } = yield* Effect.provide(Planning.plan(chosen, rules), Planning.layer(chosen))
    return reviewed
  })

const carriedOut = (reviewed: ReviewedPlan, chosen: Account.Chosen, { all, json }: Asked) =>
  Effect.gen(function* () {
    const { counts, rows, status } = yield* Applying.carryOut(reviewed, chosen, "demo").pipe(
      Effect.provide(Planning.layer(chosen))
    )
    const told = all
      ? History.changes(rows, reviewed.plan.currency)
      : `${Plural.of(rows.length, "change")}: ${History.counted(counts)}`
    if (!json) yield* Output.text(told)
    return { planId: reviewed.plan.id, status, counts }
  })

const firstDay = (chosen: Account.Chosen, asked: Asked) =>
  Effect.gen(function* () {
    const say = (text: string) => (asked.json ? Effect.void : Output.text(text))
    yield* say("\n# 1. Plan: what the rules would change. Nothing is sent.\n")
    const first = yield* planned(chosen)
    const view = asked.all ? { all: true } : { top: shownFirst }
    if (!asked.json) yield* Preview.show(first.plan, "text", view)
    yield* say("\n# 2. Apply: every change is journaled, sent, and read back.\n")
    const summary = yield* carriedOut(first, chosen, asked)
    yield* say("\n# 3. A second plan: nothing is left to do.\n")
    const second = yield* planned(chosen)
    yield* say(brief(second.plan, asked))
    const secondPlanChanges = second.plan.changes.length
    return { applied: first.appliable, second: secondPlanChanges, summary: { ...summary, secondPlanChanges } }
  })

const nightTitle = "4. After midnight: 03 lets the campaign run again, for the new day has its own limit."
const morningTitle = "5. In the morning: 02 has found its clusters a second time, and waits no longer."

/** A plan of a later hour, applied. */
const later = (chosen: Account.Chosen, asked: Asked, title: string) =>
  Effect.gen(function* () {
    const say = (text: string) => (asked.json ? Effect.void : Output.text(text))
    yield* say(`\n# ${title}\n`)
    const plan = yield* planned(chosen)
    yield* say(`${brief(plan.plan, asked)}\n\n`)
    const summary = yield* carriedOut(plan, chosen, asked)
    return { applied: plan.appliable, summary }
  })

const history = (chosen: Account.Chosen, { json }: Asked) =>
  Effect.gen(function* () {
    const runs = yield* Effect.flatMap(Journal, (journal) => journal.runs(chosen.name, 10)).pipe(
      Effect.provide(Store.layer(chosen.config))
    )
    if (!json) yield* Output.text(`\n# 6. History\n\n${History.runs(runs)}`)
    return runs
  })

/** A plan's two lines of summary and the largest changes of each kind; every change where all is asked for. */
const brief = (plan: Plan, { all }: Asked): string => {
  if (all) return TextPreview.render(plan, { all, colour: Output.coloured() })
  const rows = ChangeRows.of(plan, "money")
  const kinds = [...new Set(rows.map(({ change }) => change.action))].sort()
  return [
    ...Wording.summary(plan),
    ...kinds.flatMap((kind) => {
      const own = rows.filter(({ change }) => change.action === kind)
      const more = own.length - shownOfKind
      return [
        ...own
          .slice(0, shownOfKind)
          .map(({ row }) => `  ${row.symbol} ${row.name}  ${row.effect}  ${row.stake}`),
        ...(more > 0 ? [`    and ${more} more of ${kind}; bidhelm demo --all shows them`] : [])
      ]
    })
  ].join("\n")
}

const verdict = (
  { agreed, missing, surplus }: LedgerCheck.Comparison,
  { minusPhrases, pauses, raises }: LedgerCheck.Kinds,
  breaches: number
) =>
  Effect.gen(function* () {
    yield* Output.text("\n# 7. The marketplace's own ledger\n")
    for (const fact of missing) yield* Output.text(`  planned, never accepted: ${fact}`)
    for (const fact of surplus) yield* Output.text(`  accepted, never planned: ${fact}`)
    if (missing.length + surplus.length === 0) {
      yield* Output.text(
        `The marketplace accepted exactly ${Plural.choose(agreed, "this", "these")} ${Plural.of(agreed, "change")}, none twice, and nothing else.`
      )
    }
    yield* Output.text(
      `Among them: ${Plural.of(raises, "raised bid")}, ${Plural.of(minusPhrases, "minus phrase")}, ${Plural.of(pauses, "pause")}.`
    )
    yield* Output.text(
      breaches === 0
        ? "No call was refused for being too early."
        : `${Plural.of(breaches, "call was", "calls were")} refused for being too early.`
    )
  })
