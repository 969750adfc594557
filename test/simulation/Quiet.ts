/**
 * Runs that certainly find nothing need not be made; that saves nine runs of ten. Every whole hour is run all the
 * same, so what is left out is only ever a question asked between two answers that it could not change.
 */
import * as Overlays from "../../src/engine/decide/intents/Overlays.js"
import type { Policy } from "../../src/engine/language/Policy.js"
import * as Moscow from "../../src/sandbox/Moscow.js"
import * as Blueprint from "../../src/sandbox/market/Blueprint.js"
import * as Purse from "../../src/sandbox/market/Purse.js"
import type * as World from "../../src/sandbox/market/World.js"
import * as Timeline from "../../src/sandbox/Timeline.js"
import * as Truth from "./Truth.js"

const hourMs = 3_600_000

/** True when a run of this policy now would change nothing. */
export const is = (policy: Policy, world: World.World, atMs: number, stopKopecks: number): boolean => {
  if (atMs % hourMs === 0) return false
  if (policy.during !== undefined)
    return [0, hourMs].every((ago) => !Overlays.isAwake(policy, atMs - ago, "Europe/Moscow"))
  if (policy.id !== stopId) return false
  return Truth.campaigns(world).every((campaign) => {
    if (campaign.blueprint.status !== Blueprint.status.active) return true
    Purse.settle(world, campaign, atMs)
    const status = Timeline.at(campaign.status, atMs)
    const spent = Truth.spentToday(world, campaign, atMs)
    if (status === Blueprint.status.active) return spent < stopKopecks * 0.9
    // A paused campaign may be started again at the beginning of the day, or where little was spent.
    return spent >= stopKopecks * 0.5 && Moscow.passed(atMs, Moscow.dayOf(atMs)) > 0.01
  })
}

/** The policy that stops campaigns for the day. */
export const stopId = "03-daily-budget-stop"
