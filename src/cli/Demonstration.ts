/** The demo's story: a fresh marketplace, the shipped rules, plan → apply → second plan → history → the ledger. */
import { dirname, join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import { AccountName } from "../domain/Ids.js"
import { Journal } from "../engine/run/Journal.js"
import * as History from "../reporting/History.js"
import * as Plural from "../reporting/Plural.js"
import { sandboxToken } from "../sandbox/SandboxToken.js"
import type { Scale } from "../sandbox/Scale.js"
import * as Account from "./Account.js"
import * as Applying from "./Applying.js"
import * as LedgerCheck from "./LedgerCheck.js"
import * as Output from "./Output.js"
import { shippedRules } from "./PackageFiles.js"
import * as Planning from "./Planning.js"
import * as Preview from "./Preview.js"
import * as RuleFiles from "./RuleFiles.js"
import * as SandboxServer from "./SandboxServer.js"
import { stop } from "./Stop.js"
import * as Store from "./Store.js"

/** An hour of the marketplace passes in a minute. */
const speed = 60

/** An afternoon in Moscow, so that today's spend has come together; the same for everybody. */
const originMs = Date.parse("2026-09-01T15:00:00+03:00")

/** Small enough to read its plan from end to end. */
const scale: Scale = { campaigns: 3, items: 2, clusters: 10 }

export const run = (json: boolean) =>
  Effect.gen(function* () {
    const url = yield* SandboxServer.start({ port: 0, seed: 1, speed, scale, originMs })
    yield* Output.note(`A sandbox marketplace answers at ${url}; its clock runs ${speed} times faster.`)
    const chosen = yield* account(url)
    const story = yield* Account.during(chosen, told(chosen, json))
    const ledger = yield* Effect.provide(LedgerCheck.fetch(url), NodeHttpClient.layerUndici)
    const comparison = LedgerCheck.compare(story.applied, ledger)
    if (json) yield* Output.json("demo", { ...story.summary, ledger: comparison, breaches: ledger.breaches })
    else yield* verdict(comparison, ledger.breaches)
    const same = comparison.missing.length === 0 && comparison.surplus.length === 0
    if (!same || story.second > 0 || ledger.breaches > 0)
      return yield* stop(1, "the demo did not come out as it should")
  })

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
const told = (chosen: Account.Chosen, json: boolean) =>
  Effect.gen(function* () {
    const rules = yield* RuleFiles.load(chosen.config.rulesFolder, "rules")
    const say = (text: string) => (json ? Effect.void : Output.text(text))
    const plan = Effect.gen(function* () {
      const { reviewed } = yield* Effect.provide(Planning.plan(chosen, rules), Planning.layer(chosen))
      yield* say(yield* Preview.print(reviewed.plan, "text", { all: false, colour: Output.coloured() }))
      return reviewed
    })
    yield* say("\n# 1. Plan: what the rules would change. Nothing is sent.\n")
    const first = yield* plan
    yield* say("# 2. Apply: every change is journaled, sent, and read back.\n")
    const { counts, rows, status } = yield* Applying.carryOut(first, chosen, "demo").pipe(
      Effect.provide(Planning.layer(chosen))
    )
    yield* say(History.changes(rows, first.plan.currency))
    yield* say("\n# 3. A second plan: nothing is left to do.\n")
    const second = (yield* plan).plan.changes.length
    yield* say("# 4. History\n")
    const runs = yield* Effect.flatMap(Journal, (journal) => journal.runs(chosen.name, 10)).pipe(
      Effect.provide(Store.layer(chosen.config))
    )
    yield* say(History.runs(runs))
    const summary = { planId: first.plan.id, status, counts, secondPlanChanges: second, runs }
    return { applied: first.appliable, second, summary }
  })

const verdict = ({ agreed, missing, surplus }: LedgerCheck.Comparison, breaches: number) =>
  Effect.gen(function* () {
    yield* Output.text("\n# 5. The marketplace's own ledger\n")
    for (const fact of missing) yield* Output.text(`  planned, never accepted: ${fact}`)
    for (const fact of surplus) yield* Output.text(`  accepted, never planned: ${fact}`)
    if (missing.length + surplus.length === 0) {
      yield* Output.text(
        `The marketplace accepted exactly ${Plural.choose(agreed, "this", "these")} ${Plural.of(agreed, "change")}, none twice, and nothing else.`
      )
    }
    yield* Output.text(
      breaches === 0
        ? "No call was refused for being too early."
        : `${Plural.of(breaches, "call was", "calls were")} refused for being too early.`
    )
  })
