/** Whether a campaign runs (seed 001 "States and transitions"): one that is ready or paused starts, an active one pauses. */
import * as Days from "../../domain/Days.js"
import type { Target } from "../../domain/Target.js"
import type { Of } from "./Change.js"
import * as Keys from "./Keys.js"
import { deadlines, type Kind, note } from "./Kind.js"

export const name = "campaign_status" as const
export const prefix = "status"

export const slot = ({ campaignId }: Pick<Target, "campaignId">): string => `${prefix}:${campaignId}`

/** Details of a pause: the day whose running figures asked for it, where any did, and the tier of its rule, where that goes before the usual one. */
export const pausing = (day: Days.Day | undefined, tier?: string): Of<typeof name>["details"] => ({
  ...(day === undefined ? {} : { day }),
  ...(tier === "safety" || tier === "event" ? { tier } : {})
})

export const kind: Kind<Of<typeof name>> = {
  lane: "ads",
  prefix,
  slotOf: ({ subject: target }) => slot(target),
  targetOf: Keys.campaignOf,
  shownBy: () => ({ each: "campaign", fact: "campaign.status" }),
  live: (facts) => facts("campaign.status"),
  leaves: ({ after }) => ({ "campaign.status": after }),
  order: 1,
  writeClass: "A",
  deadlineMs: deadlines.status,
  holdsUntil: ({ details: { day = "" } }) => {
    const asked = Days.parse(day)
    return asked === undefined ? undefined : Days.startOfMarket(Days.shift(asked, 1))
  },
  // What was spent by yesterday's midnight says nothing of a day that has spent nothing yet.
  stale: ({ after, details: { day } }, _, nowMs) =>
    after === "paused" && day !== undefined && Days.ofMarket(nowMs) !== day
      ? { code: "day_over", day }
      : undefined,
  operations: ({ after }) => [after === "active" ? "startCampaign" : "pauseCampaign"],
  isSteered: false,
  isDearer: ({ after }) => after === "active",
  switches: ({ after }) => (after === "active" ? "on" : after === "paused" ? "off" : undefined),
  // A campaign that runs out of money stands still as one that a person paused.
  setsItself: (live) => live === "paused",
  // One that ended or was refused was not stopped by a person.
  isSettable: (live) => live === "active" || live === "paused",
  risk: "notable",
  // A campaign that is paused could not spend a deposit, and the two would fight.
  overtakes: ({ after, subject: target }) =>
    after === "paused" ? `money of ${target.campaignId}` : undefined,
  overtaking: {
    does: "pauses the campaign",
    would: "pause the campaign",
    so: "which gets no money then"
  },
  inexact: ({ before }) =>
    before === "ready" ? "a campaign that has run cannot become ready again; undo pauses it" : undefined,
  inverse: ({ change: { after, before } }) => {
    const back = before === "ready" ? "paused" : before
    const isStart = back === "active"
    const notes = isStart
      ? [note("starts spending again", "an active campaign spends money")]
      : before === "ready"
        ? [note("comes near to what was there", "it was ready, and cannot become so again: it is paused")]
        : []
    return { action: isStart ? "start" : "pause", before: after, after: back, details: {}, notes }
  },
  backwards: ({ after }) => (after === "active" ? "start" : "pause"),
  print: (value) => String(value),
  effect: ({ after, before }) => `${before} → ${after}`
}
