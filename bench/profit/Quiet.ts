/**
 * Runs of the daily stop that certainly find nothing are left out: nine of ten. They are only ever questions between two
 * answers, so what is decided does not change.
 */
import type { Policy } from "../../src/engine/language/Policy.js"
import type * as Ledger from "../../src/sandbox/Ledger.js"
import * as Moscow from "../../src/sandbox/Moscow.js"
import * as Blueprint from "../../src/sandbox/market/Blueprint.js"
import * as Purse from "../../src/sandbox/market/Purse.js"
import * as Statistics from "../../src/sandbox/market/Statistics.js"
import type * as World from "../../src/sandbox/market/World.js"
import * as Timeline from "../../src/sandbox/Timeline.js"
import * as Stop from "../../test/simulation/Quiet.js"
import * as Truth from "../../test/simulation/Truth.js"

const minuteMs = 60_000
/** Spend may grow faster than the hours say, by what rules raise bids meanwhile; they are asked again after any other run. */
const slack = 1.1

/** Knows until when the daily stop needs no look; forget it whenever something else was changed. */
export class Quiet {
  private lookedFor = 0

  constructor(
    private readonly world: World.World,
    private readonly ledger: Ledger.Ledger,
    private readonly limitKopecks: number
  ) {}

  forget(): void {
    this.lookedFor = 0
  }

  /** True when a run of these policies now would change nothing. */
  is(policies: ReadonlyArray<Policy>, atMs: number): boolean {
    if (policies.some(({ id }) => id !== Stop.stopId)) return false
    if (atMs < this.lookedFor) return true
    const day = Moscow.dayOf(atMs)
    const until = Math.min(
      ...Truth.campaigns(this.world).map((campaign) => this.quietUntil(campaign, atMs, day))
    )
    if (until <= atMs) return false
    this.lookedFor = until
    return true
  }

  /** Until when this campaign gives the stop nothing to do; `atMs` when it has something now. */
  private quietUntil(campaign: World.Campaign, atMs: number, day: number): number {
    const tomorrow = Moscow.startOf(day + 1)
    if (campaign.blueprint.status !== Blueprint.status.active) return tomorrow
    Purse.settle(this.world, campaign, atMs)
    const shown = this.shownSpend(campaign, atMs, day)
    // As the rule has it: what was paused starts again under half of the limit.
    if (Timeline.at(campaign.status, atMs) !== Blueprint.status.active)
      return shown >= this.limitKopecks / 2 ? tomorrow : atMs
    if (shown >= this.limitKopecks) return atMs
    // Late statistics show an hour later at the earliest what is spent now.
    const isLate = this.world.model.statistics === "late"
    const spent = isLate ? Truth.spentToday(this.world, campaign, atMs) : shown
    const passed = Moscow.passed(atMs, day)
    if (spent === 0 || passed === 0) return Math.min(tomorrow, atMs + 10 * minuteMs)
    const reached = (passed * this.limitKopecks) / (spent * slack)
    const reachedAt = Moscow.instantOf(Math.min(1, reached), day) + (isLate ? 60 * minuteMs : 0)
    return Math.min(tomorrow, Math.max(reachedAt, atMs + minuteMs))
  }

  /** Kopecks of today as the statistics show them. */
  private shownSpend(campaign: World.Campaign, nowMs: number, day: number): number {
    const context = { operation: "look", world: this.world, ledger: this.ledger, nowMs }
    let sum = 0
    for (const { item, traffic } of Truth.streams(this.world, campaign))
      for (const { totals } of Statistics.shown(context, campaign, item, traffic, { from: day, to: day }))
        sum += totals.spend
    return sum
  }
}
