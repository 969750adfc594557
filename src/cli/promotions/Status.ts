/** What we filed for promotions and what is in: every promotion of ours, with what did not enter said first. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { ItemId, PromotionId } from "../../domain/Ids.js"
import * as Money from "../../domain/Money.js"
import * as Plural from "../../domain/Plural.js"
import * as When from "../../domain/When.js"
import { ChangeLog } from "../../engine/door/ChangeLog.js"
import * as Enrolment from "../../engine/kinds/Enrolment.js"
import * as PromotionFacts from "../../marketplace/facts/PromotionFacts.js"
import { clean } from "../../reporting/Clean.js"
import * as Wording from "../../reporting/Wording.js"
import * as Account from "../account/Account.js"
import type * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import * as Calendar from "./Calendar.js"
import * as CalendarRead from "./CalendarRead.js"
import * as Filed from "./Filed.js"

/** Ends with 4 when something that we filed is not in a promotion that has begun. */
export const show = (flags: Flags.Session & { readonly id: Option.Option<string> }) =>
  Account.run(flags, (chosen) =>
    Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const filings = Filed.filings(
        yield* (yield* ChangeLog).ofSlotsNamed(chosen.name, `${Enrolment.prefix}:`)
      )
      const { promotions, unread } = yield* CalendarRead.ahead
      const known = knownOf(promotions, filings)
      const wanted = Option.isNone(flags.id) ? undefined : yield* CalendarRead.named(flags.id.value, known)
      const reports = yield* Effect.forEach(
        known.filter(({ id }) =>
          wanted === undefined ? isOfInterest(id, promotions, filings, nowMs) : id === wanted
        ),
        (one) =>
          reportOf(
            one,
            promotions.find(({ id }) => id === one.id),
            filings,
            nowMs
          )
      )
      yield* flags.json
        ? Output.json("promos-status", { account: chosen.name, promotions: reports.map(plain), unread })
        : Output.text(
            reports.length === 0
              ? nothing(filings.length)
              : reports.map((one) => text(one, nowMs, Wording.sign(chosen.config.currency))).join("\n\n")
          )
      const missed = reports
        .filter(({ hasBegun }) => hasBegun === true)
        .reduce((sum, one) => sum + of(one, "left_out").length + of(one, "gone").length, 0)
      if (missed > 0)
        return yield* stop(
          4,
          flags.json
            ? ""
            : `${Plural.of(missed, "item")} we filed ${Plural.choose(missed, "is", "are")} not in a promotion that has begun. Look at ${Plural.choose(missed, "its", "their")} price and stock in the cabinet; the marketplace tells no reason here.`
        )
    })
  )

interface Known {
  readonly id: PromotionId
  readonly name: string
}

/** Those of the calendar, and those that we filed something for and that are in it no more. */
const knownOf = (
  promotions: ReadonlyArray<CalendarRead.Details>,
  filings: ReadonlyArray<Filed.Filing>
): ReadonlyArray<Known> => {
  const known = new Map<PromotionId, string>(promotions.map(({ id, name }) => [id, name ?? ""]))
  for (const { details, promotionId } of filings)
    if (!known.has(promotionId)) known.set(promotionId, details.promotionName)
  return [...known].map(([id, name]) => ({ id, name }))
}

/** Items of a promotion that is over are no news for longer. */
const recentMs = 30 * 86_400_000

/** Where we filed something lately, and where items are of which we do not know who put them there. */
const isOfInterest = (
  id: PromotionId,
  promotions: ReadonlyArray<CalendarRead.Details>,
  filings: ReadonlyArray<Filed.Filing>,
  nowMs: number
): boolean => {
  const details = promotions.find((one) => one.id === id)
  const own = filings.filter(({ promotionId }) => promotionId === id)
  if (details === undefined) return own.some(({ sentAt }) => nowMs - sentAt < recentMs)
  return own.length > 0 || (!Calendar.isAutomatic(details) && details.inPromoActionTotal !== 0)
}

interface Report extends Known {
  readonly details: CalendarRead.Details | undefined
  readonly filed: ReadonlyArray<
    Filed.Filing & {
      readonly standing: Filed.Standing
      /** Its price in the promotion as the list has it now; undefined where it does not say. */
      readonly listedKopecks: number | undefined
    }
  >
  /** In it, and not by us. */
  readonly others: ReadonlyArray<ItemId>
  /** Undefined where nobody knows. */
  readonly hasBegun: boolean | undefined
  /** Why its list could not be read, or is not whole. */
  readonly unread: string | undefined
}

/** The list is not asked for where it cannot be read (field note P02). */
const reportOf = (
  known: Known,
  details: CalendarRead.Details | undefined,
  filings: ReadonlyArray<Filed.Filing>,
  nowMs: number
) =>
  Effect.gen(function* () {
    const own = filings.filter(({ promotionId }) => promotionId === known.id)
    const startsAt = PromotionFacts.instant(details?.startDateTime)
    const unreadable =
      details === undefined
        ? "it is over, or was taken out of the calendar"
        : Calendar.isAutomatic(details)
          ? "the marketplace shows no items of automatic promotions"
          : undefined
    const list =
      unreadable === undefined ? yield* CalendarRead.items(known.id, true) : Either.left(unreadable)
    const members = Either.isRight(list) ? membersOf(list.right, details?.inPromoActionTotal) : undefined
    const listed = new Map(
      (Either.isRight(list) ? list.right : []).map((one) => [one.itemId, one.planPriceKopecks])
    )
    const ours = new Set(own.map(({ itemId }) => itemId))
    const hasBegun = startsAt === undefined ? undefined : nowMs >= startsAt
    return {
      ...known,
      details,
      hasBegun,
      filed: own.map((one) => ({
        ...one,
        standing: Filed.standingOf(one, members, hasBegun, nowMs),
        listedKopecks: listed.get(one.itemId)
      })),
      others: [...(members?.ids ?? [])].filter((itemId) => !ours.has(itemId)),
      unread: Either.isLeft(list)
        ? list.left
        : members?.isWhole === false
          ? `its list has ${members.ids.size} of ${details?.inPromoActionTotal ?? "an unknown number of"} items that are in`
          : undefined
    } satisfies Report
  })

/** An empty list proves nothing where the promotion does not say how many are in. */
const membersOf = (
  list: ReadonlyArray<{ readonly itemId?: ItemId | undefined }>,
  total: number | undefined
): Filed.Members => {
  const ids = new Set(list.flatMap(({ itemId }) => itemId ?? []))
  return { ids, isWhole: total === undefined ? list.length > 0 : list.length >= total }
}

const of = ({ filed }: Report, standing: Filed.Standing) => filed.filter((one) => one.standing === standing)

const nothing = (filed: number): string =>
  filed === 0
    ? "Nothing was filed for a promotion, and no item is in one. What is ahead: bidhelm promos"
    : `Nothing is filed for a promotion of these weeks, and no item is in one. ${Plural.of(filed, "older enrolment")}: bidhelm history`

/** Items are named up to this many. */
const mostNamed = 12

const names = (ids: ReadonlyArray<ItemId>): string => Plural.named(ids, mostNamed)

/** Items that the marketplace has at a lower price by now than that at which they were filed, with both. */
const cheaper = ({ filed }: Report, sign: string): ReadonlyArray<string> => {
  const money = (kopecks: number) => Money.format(Money.Kopecks(kopecks), sign)
  return filed.flatMap(({ details: { planPriceKopecks: then }, itemId, listedKopecks: now }) =>
    then !== undefined && now !== undefined && now < then
      ? [`${itemId} (${money(then)} → ${money(now)})`]
      : []
  )
}

const text = (report: Report, nowMs: number, sign: string): string => {
  const { details, filed, id, name, others, unread } = report
  const where = details === undefined ? "" : `  ${CalendarRead.standing(details, nowMs)}`
  const line = (standing: Filed.Standing, words: string): ReadonlyArray<string> => {
    const some = of(report, standing)
    if (some.length === 0) return []
    return [`  ${some.length} ${words}: ${names(some.map(({ itemId }) => itemId))}${tasks(some)}`]
  }
  const fallen = cheaper(report, sign)
  const since = Math.min(...of(report, "waiting").map(({ sentAt }) => sentAt))
  return [
    clean(`${id}${where}  "${name}"`),
    ...(filed.length === 0
      ? []
      : [`  filed ${filed.length}${unread === undefined ? `, in ${of(report, "in").length}` : ""}`]),
    ...(fallen.length === 0
      ? []
      : [`  ${fallen.length} AT A LOWER PRICE than when filed: ${Plural.named(fallen, mostNamed)}`]),
    ...line("left_out", "DID NOT ENTER, though the promotion has begun"),
    ...line("gone", "WAS IN AND IS NOT ANY MORE"),
    ...line("waiting", `not in yet, the oldest filed ${When.length(nowMs - since)} ago`),
    ...line("was_in", "in when last seen"),
    ...line("unseen", "nobody can tell"),
    ...(others.length === 0 ? [] : [`  ${others.length} in it that we did not put there: ${names(others)}`]),
    ...(unread === undefined ? [] : [clean(`  who is in could not be read: ${unread}`)])
  ].join("\n")
}

/** ` (task 7001, 7002)`. */
const tasks = (some: ReadonlyArray<Filed.Filing>): string => {
  const ids = [...new Set(some.flatMap(({ task }) => task.uploadId ?? []))].sort((a, b) => a - b)
  return ids.length === 0 ? "" : ` (task ${ids.slice(0, mostNamed).join(", ")})`
}

const plain = (report: Report) => {
  const { details, filed, id, name, others, unread } = report
  return {
    id,
    name,
    startsAt: details?.startDateTime ?? null,
    endsAt: details?.endDateTime ?? null,
    items: filed.map(
      ({
        details: { planPriceKopecks, priceKopecks },
        itemId,
        listedKopecks,
        row,
        sentAt,
        standing,
        task
      }) => ({
        itemId,
        standing,
        filedAt: new Date(sentAt).toISOString(),
        runId: row.runId,
        changeId: row.change.id,
        origin: row.change.origin,
        uploadId: task.uploadId ?? null,
        alreadyExists: task.alreadyExists ?? null,
        priceKopecks: priceKopecks ?? null,
        planPriceKopecks: planPriceKopecks ?? null,
        planPriceNowKopecks: listedKopecks ?? null
      })
    ),
    notOurs: others,
    unread: unread ?? null
  }
}
