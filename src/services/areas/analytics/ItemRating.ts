/** Ratings and reviews of the items (seed 002, "Item rating"). Personal and Service tokens only (field note A20). */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Wire from "../../endpoints/ItemRating.js"
import * as Periods from "../../endpoints/Periods.js"
import type { Client } from "../../MarketplaceClient.js"
import type { CallError } from "../../MarketplaceError.js"
import * as Pages from "../../Pages.js"
import * as Asked from "../Asked.js"
import * as Measures from "./Measures.js"
import * as Reach from "./Reach.js"

type SortField = (typeof Wire.sortFields)[number]

export interface Request extends Reach.Compared, Asked.Filters {
  readonly items?: Asked.Items
  /** The most reviews first unless set. */
  readonly sort?: Periods.Sort<SortField>
}

/** Both periods end yesterday at the latest and reach 364 days back from it (A20). */
export const reach: Reach.Reach = { oldest: 365, newest: 1 }

const operation = "getItemRating"
const pageSize = 1000

export const make = ({ api }: Client) => {
  const page = (
    request: Request,
    { days, past }: Reach.Asked,
    nmIds: Asked.Items,
    limit: number,
    offset: number
  ) =>
    Effect.map(
      api.itemRating.getItemRating({
        payload: {
          currentPeriod: Periods.ofRange(days),
          pastPeriod: past === undefined ? undefined : Periods.ofRange(past),
          nmIds,
          ...Asked.filtersToWire(request),
          orderBy: request.sort ?? { field: "feedbackCount", mode: "desc" },
          limit,
          offset
        }
      }),
      ({ data }) => data
    )

  return {
    /** Items page by page, each once; the periods are clipped to the report's reach. */
    items: (request: Request): Stream.Stream<RatedItem, CallError> =>
      Stream.unwrap(
        Effect.map(Reach.clipBoth(operation, request, reach), (asked) =>
          Asked.stream(operation, request.items, 50, (nmIds) =>
            Pages.byOffset(pageSize, (limit, offset) =>
              Effect.map(page(request, asked, nmIds, limit, offset), (data) => (data?.items ?? []).map(item))
            )
          )
        )
      ),

    /** The seller's rating and the reviews of the whole selection, at most 50 items where items are named. */
    overall: (request: Request) =>
      Effect.gen(function* () {
        yield* Asked.named(operation, request.items)
        const asked = yield* Reach.clipBoth(operation, request, reach)
        const data = yield* page(request, asked, request.items, 1, 0)
        return {
          /** Absent when the answer holds no data. */
          sellerRating: data?.sellerRating === undefined ? undefined : Measures.measure(data.sellerRating),
          reviews: increases(data?.feedbackIncrease)
        }
      })
  }
}

const item = (wire: typeof Wire.RatingItem.Type) => {
  const itemId = Asked.itemId(wire.nmId)
  if (itemId === undefined) return undefined
  return {
    itemId,
    title: Measures.filled(wire.title),
    vendorCode: Measures.filled(wire.vendorCode),
    subjectId: Measures.id(wire.subjectId),
    subject: Measures.filled(wire.subjectName),
    brand: Measures.filled(wire.brandName),
    tagId: Measures.id(wire.tagId),
    tag: Measures.filled(wire.tagName),
    reviewPinned: wire.pinnedFeedback,
    /** Quality of the card, 0 to 10. */
    cardRating: wire.rating,
    /** Buyers' rating, 0 to 5; `percentile` may be absent (field note A20). */
    feedbackRating: Measures.ranked(wire.feedbackRating),
    reviews: Measures.measure(wire.feedbackCount),
    stars: stars(wire, Measures.measure),
    /** Reviews that do not count. */
    disqualified: wire.disqualified,
    shadowed: wire.isShadowed
  }
}

export type RatedItem = Readonly<NonNullable<ReturnType<typeof item>>>

/** A value for each number of stars. */
const stars = <W, A>(
  wire: Readonly<Partial<Record<`${"five" | "four" | "three" | "two" | "one"}Star`, W | undefined>>>,
  of: (value: W | undefined) => A
) => ({
  five: of(wire.fiveStar),
  four: of(wire.fourStar),
  three: of(wire.threeStar),
  two: of(wire.twoStar),
  one: of(wire.oneStar)
})

type WireIncrease = typeof Wire.FeedbackIncrease.Type

const increases = (wire: WireIncrease | undefined) =>
  wire && { ...increase(wire), stars: stars(wire, increase) }

/** New reviews of the period, and all there are. */
const increase = (wire: Pick<WireIncrease, "current" | "dynamics" | "total"> | undefined) => ({
  ...Measures.measure(wire),
  total: wire?.total
})
