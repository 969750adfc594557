/**
 * Campaigns of which the marketplace has just refused something. The last look does not read the campaign of a minus phrase or of a
 * cluster that has its own bid, so that one that ended after the plan is found out by a refusal: what more there is for it is not
 * sent to be refused as well.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { CampaignId } from "../../domain/Ids.js"
import type { OutcomeReason } from "../../domain/OutcomeReason.js"
import { type AdChange, type Change, isOfCampaign } from "../kinds/Change.js"
import * as Kinds from "../kinds/Kinds.js"
import * as Seen from "../kinds/Seen.js"
import { type WriteOutcome, Writer } from "./Writer.js"

/** Statuses show after a minute (seed 001 "Timing"): sooner the same would be answered. */
const againMs = 60_000

export interface RefusedCampaigns {
  /** Takes notice of what a request came to. */
  readonly note: (changes: ReadonlyArray<Change>, outcomes: ReadonlyMap<string, WriteOutcome>) => void
  /**
   * Which changes are not worth their request, since nothing of their campaign can be set any more, and why. Asks once for each
   * campaign that is suspect, and not for what a token may read a few times an hour.
   */
  readonly against: (
    changes: ReadonlyArray<Change>
  ) => Effect.Effect<ReadonlyMap<Change, OutcomeReason>, never, Writer>
}

/** Those of one run. */
export const make = (): RefusedCampaigns => {
  const suspect = new Set<CampaignId>()
  const askedAt = new Map<CampaignId, number>()
  const over = new Map<CampaignId, OutcomeReason>()
  const look = (changes: ReadonlyArray<AdChange>) =>
    Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const isDue = ({ subject: { campaignId } }: AdChange) =>
        suspect.has(campaignId) && nowMs - (askedAt.get(campaignId) ?? Number.NEGATIVE_INFINITY) >= againMs
      const asked = new Map(
        changes.filter(isDue).flatMap((change) => {
          const telling = Kinds.tellingOfCampaign(change)
          return telling === undefined ? [] : [[change.subject.campaignId, telling] as const]
        })
      )
      if (asked.size === 0) return
      const live = yield* (yield* Writer).readLive([...asked.values()], "sparing")
      for (const [campaignId, { id }] of asked) {
        askedAt.set(campaignId, nowMs)
        suspect.delete(campaignId)
        const reason = closed(Seen.toWrite(live.get(id)))
        if (reason !== undefined) over.set(campaignId, reason)
      }
    })
  return {
    note: (changes, outcomes) => {
      for (const change of changes)
        if (isOfCampaign(change) && isRefused(outcomes.get(change.id))) suspect.add(change.subject.campaignId)
    },
    against: (changes) => {
      const own = changes.filter(isOfCampaign)
      return Effect.map(
        look(own),
        () =>
          new Map(
            own.flatMap((change) => {
              const reason = over.get(change.subject.campaignId)
              return reason === undefined ? [] : [[change, reason] as const]
            })
          )
      )
    }
  }
}

const isRefused = (outcome: WriteOutcome | undefined): boolean =>
  outcome !== undefined &&
  (outcome._tag === "Rejected" || outcome._tag === "Doubted") &&
  reasons.has(outcome.reason.code)

/** What the marketplace says of what was to be set, and not of the token or the call. */
const reasons: ReadonlySet<OutcomeReason["code"]> = new Set([
  "refused",
  "refused_without_reason",
  "minus_list_refused"
])

const closed = (live: Seen.Live | undefined): OutcomeReason | undefined => {
  if (live?._tag === "Gone") return { code: "gone", what: live.what }
  return live?._tag === "Unreadable" && live.isClosed === true
    ? { code: "closed", said: live.why }
    : undefined
}
