/** Budgets of campaigns as the marketplace itself has them. */
import * as Purse from "../../src/sandbox/market/Purse.js"
import * as Market from "../../src/sandbox/market/World.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import type * as Scenario from "./Scenario.js"

/** As it is now. */
export const of = (world: Scenario.World, campaignId: number): Market.Purse => {
  const there = world.sandbox.world(defaultSeller)
  const campaign = Market.campaign(there, campaignId)!
  Purse.settle(there, campaign, world.now())
  return campaign.purse
}

/** Whether it has nothing left. */
export const isDry = (world: Scenario.World, campaignId: number): boolean =>
  of(world, campaignId).dry.at(-1)?.to === Number.POSITIVE_INFINITY

/** Money for all days to come, so that nothing but the market ends a day. */
export const fill = (world: Scenario.World, campaignId: number): void => {
  const purse = of(world, campaignId)
  const last = purse.dry.at(-1)
  if (last?.to === Number.POSITIVE_INFINITY) last.to = world.now()
  purse.leftKopecks = 1e12
}
