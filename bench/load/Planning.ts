/**
 * One plan of a whole account: gather, decide, review, keep. Facts come from arithmetic in this process and time is
 * virtual, so what is measured is this program's own work and memory, and no waiting for a marketplace.
 */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { KillSwitch } from "../../src/engine/door/Stopping.js"
import { FactSource } from "../../src/engine/gather/FactSource.js"
import type { RuleSet } from "../../src/engine/language/Policy.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Catalogue from "../../src/services/Catalogue.js"
import * as LimitsMemorySql from "../../src/store/accounts/LimitsMemorySql.js"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as FactMemorySql from "../../src/store/facts/FactMemorySql.js"
import * as SnapshotsSql from "../../src/store/facts/SnapshotsSql.js"
import * as ChangeLogSql from "../../src/store/journal/ChangeLogSql.js"
import * as JournalSql from "../../src/store/journal/JournalSql.js"
import * as RuleMemorySql from "../../src/store/journal/RuleMemorySql.js"
import * as Migrations from "../../src/store/schema/Migrations.js"
import * as Scenario from "../../test/scenario/Scenario.js"
import * as VirtualClock from "../../test/scenario/VirtualClock.js"
import * as Synthetic from "../demand/SyntheticAccount.js"
import * as OptimiseAccount from "./OptimiseAccount.js"

export interface Planned {
  readonly campaigns: number
  readonly rows: number
  readonly changes: number
  readonly held: number
  readonly clockSeconds: number
  readonly cpuSeconds: number
  readonly peakMiB: number
}

const itemsPerCampaign = 10

/** Share of the pairs that the rules act on. */
const share = 0.05

const shape = (campaigns: number, clusters: number): Synthetic.Shape => ({
  campaigns,
  itemsPerCampaign,
  clustersPerItem: clusters,
  share
})

/** A rule about every item, as the shipped ones about clusters. */
const items = (): RuleSet =>
  Scenario.check([
    {
      path: "rules/items.yaml",
      text: `version: 1
name: raise items that sell
each: campaign_item
where: [campaign.status = active, campaign.payment = cpm]
window: 7d
when: [orders >= 5, acos <= 10%]
do: {raise_bid: {by: 10%, cap: 1000 ₽}}
`
    }
  ])

/** Raise, minus and pause: the three rules that `bench/demand` plans. */
const shipped = (): RuleSet =>
  Scenario.check(Scenario.shippedRules().filter(({ path }) => /0[123]-|_shared/.test(path)))

/** Limits of a Personal token: answers come as slowly as in life, and time jumps over the waits. */
const quota = (operation: string): Synthetic.Quota => {
  const found = Catalogue.find(operation)
  if (found === undefined) throw new Error(`no operation ${operation}`)
  return found.limits.personal
}

/** The shipped optimiser alone, turned on. */
const optimise = (): RuleSet =>
  Scenario.check(
    Scenario.shippedRules()
      .filter(({ path }) => /10-|_shared/.test(path))
      .map(({ path, text }) => ({ path, text: text.replace("mode: disabled", "mode: apply") }))
  )

/** What is planned: 100,000 items by a rule of their own, as many clusters as asked by the shipped rules, or by `optimise`. */
export type Kind = "items" | "clusters" | "manyClusters" | "optimise"

const kinds: Readonly<
  Record<Kind, { readonly clusters: number; readonly rules: () => RuleSet; readonly rowsOfCampaign: number }>
> = {
  items: { clusters: 1, rules: items, rowsOfCampaign: 10 },
  clusters: { clusters: 1, rules: shipped, rowsOfCampaign: 10 },
  manyClusters: { clusters: 5, rules: shipped, rowsOfCampaign: 50 },
  optimise: { clusters: 50, rules: optimise, rowsOfCampaign: 500 }
}

export const isKind = (word: string): word is Kind => word in kinds

/** Plans once in this process; its peak memory is the process's. */
export const measure = async (kind: Kind, campaigns: number): Promise<Planned> => {
  const { clusters, rowsOfCampaign, rules } = kinds[kind]
  const folder = mkdtempSync(join(tmpdir(), "bidhelm-load-"))
  try {
    const drawn =
      kind === "optimise"
        ? OptimiseAccount.rowsOf({ itemsPerCampaign, clustersPerItem: clusters })
        : undefined
    const account = Synthetic.make(shape(campaigns, clusters), quota, true, drawn)
    const time = VirtualClock.make(Date.parse("2026-09-01T06:00:00Z"))
    const store = Layer.mergeAll(
      JournalSql.layer,
      RuleMemorySql.layer,
      LimitsMemorySql.layer,
      ChangeLogSql.layer,
      FactMemorySql.layer,
      SnapshotsSql.layer(),
      Migrations.layer
    ).pipe(Layer.provideMerge(SqliteClient.layer({ filename: join(folder, "store.sqlite") })))
    const set = rules()
    const begun = { at: performance.now(), cpu: process.cpuUsage() }
    const { reviewed } = await Effect.runPromise(
      time
        .run(Cycle.plan(set, { zone: "Europe/Moscow" }))
        .pipe(
          Effect.provideService(FactSource, account.source),
          Effect.provideService(KillSwitch, { engaged: Effect.succeed(undefined) }),
          Effect.provide(store)
        )
    )
    const { system, user } = process.cpuUsage(begun.cpu)
    return {
      campaigns,
      rows: campaigns * rowsOfCampaign,
      changes: reviewed.plan.changes.length,
      held: reviewed.plan.held.length,
      clockSeconds: (performance.now() - begun.at) / 1000,
      cpuSeconds: (system + user) / 1e6,
      peakMiB: process.resourceUsage().maxRSS / 1024
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
