/** Campaigns of an account: which there are, and what each is set to (seed 001, "Campaign lists and details"). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CampaignId } from "../../../domain/Ids.js"
import * as Batches from "../../Batches.js"
import type * as Wire from "../../endpoints/Campaigns.js"
import type { Client } from "../../MarketplaceClient.js"
import * as OddEntries from "../../OddEntries.js"
import * as Amounts from "../Amounts.js"

/** A code without a word keeps its number as text. */
export type Status = "deleted" | "ready" | "completed" | "declined" | "active" | "paused" | (string & {})

/** Entry of the campaign lists. */
export interface Listed {
  readonly campaignId: CampaignId
  readonly status: Status | undefined
  /** 9 is the current type; others are history (not-shown §6.1). */
  readonly type: number | undefined
  readonly changedAt: string | undefined
}

/** The campaign lists, and what they themselves show to be missing in them. */
export interface Lists {
  /** All types and states, ordered by id. */
  readonly listed: ReadonlyArray<Listed>
  /** Campaigns that are counted without being named, those that can be changed and those of which nobody can tell. */
  readonly unnamed: number
  /** The same of completed ones: no rule can change them, and what they spent today is spent. */
  readonly unnamedCompleted: number
  /** The same of all others: nothing is asked about them. */
  readonly unnamedOthers: number
  /** Every campaign that is counted is named. */
  readonly isWhole: boolean
}

export const make = ({ api }: Client) => ({
  /** Every campaign of the account in one call; one that cannot be read is counted without being named. */
  lists: Effect.map(OddEntries.apart(api.campaigns.listCampaignIds()), listsOf),

  /**
   * Details by id; an id that is missing in the answer is unknown to this seller (field note M39), and one whose entry
   * cannot be read, or may be it, is a failure.
   */
  byIds: (ids: ReadonlyArray<CampaignId>): Effect.Effect<Batches.Batched<CampaignId, Campaign>> =>
    Batches.run(
      ids,
      50,
      (chunk) =>
        OddEntries.apart(api.campaigns.getCampaigns({ urlParams: { ids: chunk } })).pipe(
          Effect.map(({ answer, odd }) => [
            OddEntries.parted({
              operation: "getCampaigns",
              asked: chunk,
              nameOf: Number,
              rows: answer.adverts.map(fromWire),
              keyOf: ({ campaignId }) => campaignId,
              odd,
              whose: OddEntries.named(Schema.Struct({ id: CampaignId }), ({ id }) => id)
            })
          ])
        ),
      { concurrency: 4 }
    ).pipe(Effect.map(Batches.flat))
})

/** States in which a campaign can be changed; 8 is the retired automatic type, others are history (M38). */
const changeable: ReadonlySet<string | undefined> = new Set(["ready", "active", "paused"])
const currentTypes: ReadonlySet<number | undefined> = new Set([undefined, 8, 9])

/** True for what rules may steer. */
export const isCurrent = ({ status, type }: Pick<Listed, "status" | "type">): boolean =>
  changeable.has(status) && currentTypes.has(type)

/** Of the retired automatic type: its details need not be answered any more. */
export const isRetired = ({ type }: Pick<Listed, "type">): boolean => type === 8

function listsOf({ answer: { adverts, all }, odd }: OddEntries.Told<typeof Wire.CampaignLists.Type>): Lists {
  const groups = adverts.map(({ advert_list, count, status, type }, nth) => ({
    kind: kindOf({ status: statusWord(status), type }),
    listed: advert_list.map(
      ({ advertId, changeTime }): Listed => ({
        campaignId: advertId,
        status: statusWord(status),
        type,
        changedAt: changeTime
      })
    ),
    unnamed: Math.max(odd.filter(({ path }) => path[1] === nth).length, (count ?? 0) - advert_list.length)
  }))
  const listed = groups.flatMap((group) => group.listed).sort((a, b) => a.campaignId - b.campaignId)
  const unnamed = (kind?: Kind) =>
    groups.reduce((sum, group) => sum + (kind === undefined || group.kind === kind ? group.unnamed : 0), 0)
  const ofNoGroup = Math.max(0, (all ?? 0) - listed.length - unnamed())
  return {
    listed,
    unnamed: ofNoGroup + unnamed("current"),
    unnamedCompleted: unnamed("completed"),
    unnamedOthers: unnamed("other"),
    isWhole: unnamed() + ofNoGroup === 0
  }
}

type Kind = "current" | "completed" | "other"

/** A group that does not say what it holds may hold what rules steer. */
const kindOf = ({ status, type }: Pick<Listed, "status" | "type">): Kind => {
  if (status === undefined || isCurrent({ status, type })) return "current"
  return status === "completed" ? "completed" : "other"
}

const statusWords: ReadonlyMap<number, Status> = new Map([
  [-1, "deleted"],
  [4, "ready"],
  [7, "completed"],
  [8, "declined"],
  [9, "active"],
  [11, "paused"]
])

/** Word of a status code. */
export const statusWord = (code: number | undefined): Status | undefined =>
  code === undefined ? undefined : (statusWords.get(code) ?? String(code))

const fromWire = (wire: typeof Wire.Campaign.Type) => ({
  campaignId: wire.id,
  name: wire.settings?.name,
  status: statusWord(wire.status),
  /** `cpm` or `cpc`. */
  payment: wire.settings?.payment_type,
  /** `manual` (custom bid) or `unified` (standard bid). */
  bidType: wire.bid_type,
  currency: wire.currency,
  placements: {
    search: wire.settings?.placements?.search,
    recommendations: wire.settings?.placements?.recommendations
  },
  /** With their bids; a placement that is off may still carry one. */
  items: wire.nm_settings.map(({ nm_id, bids_kopecks, subject }) => ({
    itemId: nm_id,
    searchBidKopecks: Amounts.minor(bids_kopecks?.search),
    recommendationsBidKopecks: Amounts.minor(bids_kopecks?.recommendations),
    subject: subject?.name,
    subjectId: subject?.id
  })),
  /** Undefined when the marketplace does not say. */
  canChangeItems: wire.restrictions?.can_change_nms,
  /** ISO 8601 with offset. */
  createdAt: wire.timestamps?.created,
  startedAt: wire.timestamps?.started,
  updatedAt: wire.timestamps?.updated
})

export type Campaign = Readonly<ReturnType<typeof fromWire>>
export type Item = Campaign["items"][number]
