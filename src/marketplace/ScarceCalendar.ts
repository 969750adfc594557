/**
 * The calendar for a token that may ask it once an hour (field note P07): what it answers is kept as it came, page by
 * page, and later runs take from there what is young enough, so that one after the other they complete it. It is for plans
 * alone: whoever sends looks at the marketplace itself. What became of our own filings since makes an answer too old.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { PromotionId } from "../domain/Ids.js"
import type { ChangeLog } from "../engine/door/ChangeLog.js"
import * as Sources from "../engine/facts/Sources.js"
import type * as FactSource from "../engine/gather/FactSource.js"
import * as Enrolment from "../engine/kinds/Enrolment.js"
import * as Promo from "../services/areas/promotions/Promo.js"
import type * as Batches from "../services/Batches.js"
import type { PromotionDetails } from "../services/endpoints/Promo.js"
import * as Limiter from "../services/Limiter.js"
import type { Client, Methods } from "../services/MarketplaceClient.js"
import type { CallError } from "../services/MarketplaceError.js"
import * as OddEntries from "../services/OddEntries.js"
import type { CalendarMemory, Kept } from "../services/ports/CalendarMemory.js"
import type { Answered } from "./facts/Answered.js"
import * as PromotionFacts from "./facts/PromotionFacts.js"

type Service = ReturnType<typeof Promo.make>
type Details = typeof PromotionDetails.Type

export interface ScarceCalendar extends FactSource.ScarceCalendar {
  readonly promo: Pick<Service, "list" | "details" | "items">
  /** One reading after the other, in the order they came; it answers when the oldest part of it was read. */
  readonly reading: (read: Effect.Effect<Answered>) => Effect.Effect<Answered>
}

/** Base tokens alone have one call an hour. */
export const isScarce = ({ tokenKind }: Client): boolean => tokenKind === "base"

export const make = (
  client: Client,
  memory: typeof CalendarMemory.Service,
  log: typeof ChangeLog.Service
): ScarceCalendar => {
  const run = new Run(client.account, memory, log)
  const promo = Promo.make({ ...client, api: { ...client.api, promo: paged(client.api.promo, run) } })
  const turns = Effect.unsafeMakeSemaphore(1)
  return {
    promo: { ...promo, details: (ids) => details(Promo.make(client), run, [...new Set(ids)]) },
    reading: (read) => turns.withPermits(1)(run.aged(read)),
    inTurn: (promotions) =>
      Effect.forEach(promotions, (one) =>
        Effect.map(oldestOf(run, one.promotionId), (at) => ({ at, one }))
      ).pipe(Effect.map((all) => all.toSorted((a, b) => a.at - b.at).map(({ one }) => one))),
    unread: Effect.sync(() => [...run.unread.values()])
  }
}

/** An answer may be this old: what sources of the calendar allow. */
const oldMs = Sources.sources.promotionItems.freshMinutes * 60_000

/** What one run asks and remembers. */
class Run {
  readonly unread = new Map<string, FactSource.CalendarUnread>()
  /** When the oldest answer of the present reading was read. */
  private oldest = Number.POSITIVE_INFINITY

  constructor(
    private readonly account: string,
    private readonly memory: typeof CalendarMemory.Service,
    private readonly log: typeof ChangeLog.Service
  ) {}

  aged(read: Effect.Effect<Answered>): Effect.Effect<Answered> {
    return Effect.suspend(() => {
      this.oldest = Number.POSITIVE_INFINITY
      return Effect.map(read, (answered) =>
        this.oldest === Number.POSITIVE_INFINITY ? answered : { ...answered, readAt: this.oldest }
      )
    })
  }

  /** What cannot be recalled is asked again. */
  recall(questions: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, Kept>> {
    return Effect.catchAll(this.memory.recall(this.account, questions), ({ message }) =>
      Effect.as(Effect.logWarning(message), new Map())
    )
  }

  keep(answers: ReadonlyArray<Kept>): Effect.Effect<void> {
    return Effect.catchAll(this.memory.keep(this.account, answers), ({ message }) =>
      Effect.logWarning(message)
    )
  }

  /** An answer from the future has no age: the clock was set back. */
  isYoung({ readAt }: Kept, nowMs: number, touchedAt: number): boolean {
    return readAt <= nowMs && nowMs - readAt < oldMs && readAt > touchedAt
  }

  take({ readAt }: Kept): void {
    this.oldest = Math.min(this.oldest, readAt)
  }

  /** When something last became of what we filed for a promotion; its lists and figures of before say nothing. */
  touchedAt(promotionId: PromotionId | undefined): Effect.Effect<number> {
    if (promotionId === undefined) return Effect.succeed(Number.NEGATIVE_INFINITY)
    return this.log.ofSlotsNamed(this.account, `${Enrolment.prefix}:${promotionId}/`).pipe(
      Effect.map((rows) =>
        rows.reduce(
          (latest, row) => Math.max(latest, row.updatedAt, row.sentAt ?? 0),
          Number.NEGATIVE_INFINITY
        )
      ),
      Effect.catchAll(({ message }) => Effect.as(Effect.logWarning(message), Number.POSITIVE_INFINITY))
    )
  }

  /** Says what the limit left no room for. */
  leave(error: CallError, what: Omit<FactSource.CalendarUnread, "readAt">, kept: Kept | undefined): void {
    const name = `${what.what} ${what.promotionId ?? ""}`
    if (Limiter.isNoRoom(error) && !this.unread.has(name))
      this.unread.set(name, { ...what, readAt: kept?.readAt })
  }
}

const detailsOf = (promotionId: PromotionId): string => `details ${promotionId}`
const pageOf = (promotionId: PromotionId, enrolled: boolean, offset: number): string =>
  `items ${promotionId} ${enrolled ? "in" : "may join"} ${offset}`

/** The lists, of which each page is a question of its own: walking one may take as many hours as it has pages. */
const paged = (api: Methods["promo"], run: Run): Methods["promo"] => ({
  ...api,
  listPromotions: (request) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      Effect.map(
        asked(
          run,
          `list ${request.urlParams.offset ?? 0}`,
          { what: "list", promotionId: undefined },
          api.listPromotions(request)
        ),
        (answer) => ({ ...answer, data: withoutOver(answer.data, nowMs) })
      )
    ),
  listPromotionItems: (request) => {
    const { inAction, offset = 0, promotionID: promotionId } = request.urlParams
    return asked(
      run,
      pageOf(promotionId, inAction, offset),
      { what: "items", promotionId },
      api.listPromotionItems(request)
    )
  }
})

type Listed = Effect.Effect.Success<ReturnType<Methods["promo"]["listPromotions"]>>["data"]

/** Those that have ended since they were listed; the marketplace would list them no more. */
const withoutOver = (data: Listed, nowMs: number): Listed => {
  const promotions = data?.promotions
  // A full page must stay one: a shorter page is the last.
  if (promotions === undefined || promotions.length >= Promo.pageSize) return data
  return {
    ...data,
    promotions: promotions.filter(
      ({ endDateTime }) => (PromotionFacts.instant(endDateTime) ?? Number.POSITIVE_INFINITY) > nowMs
    )
  }
}

/** What is remembered, if it is young enough; else the marketplace's answer, which is remembered whole or not at all. */
const asked = <A>(
  run: Run,
  question: string,
  what: Omit<FactSource.CalendarUnread, "readAt">,
  live: Effect.Effect<A, CallError>
): Effect.Effect<A, CallError> =>
  Effect.gen(function* () {
    const kept = (yield* run.recall([question])).get(question)
    const touchedAt = yield* run.touchedAt(what.promotionId)
    if (kept !== undefined && run.isYoung(kept, yield* Clock.currentTimeMillis, touchedAt)) {
      run.take(kept)
      return kept.answer as A
    }
    const { answer, odd } = yield* OddEntries.passing(live).pipe(
      Effect.tapError((error) => Effect.sync(() => run.leave(error, what, kept)))
    )
    const readAt = yield* Clock.currentTimeMillis
    if (odd.length === 0) yield* run.keep([{ question, readAt, answer }])
    return answer
  })

/**
 * The details of promotions: where some are missing or too old a call is made, and takes the others along. One that is not
 * answered is remembered as such, or it would be asked for every hour.
 */
const details = (
  live: Service,
  run: Run,
  ids: ReadonlyArray<PromotionId>
): Effect.Effect<Batches.Batched<PromotionId, Details>> =>
  Effect.gen(function* () {
    const recalled = yield* run.recall(ids.map(detailsOf))
    const nowMs = yield* Clock.currentTimeMillis
    const young = new Map<PromotionId, Details | null>()
    for (const id of ids) {
      const kept = recalled.get(detailsOf(id))
      if (kept !== undefined && run.isYoung(kept, nowMs, yield* run.touchedAt(id)))
        young.set(id, kept.answer as Details | null)
    }
    const readAt = (id: PromotionId) => recalled.get(detailsOf(id))?.readAt ?? 0
    const due = ids.filter((id) => !young.has(id)).toSorted((a, b) => readAt(a) - readAt(b))
    const room = (perCall - (due.length % perCall)) % perCall
    const along = [...young.keys()].slice(0, room)
    const answer = due.length === 0 ? nothing : yield* live.details([...due, ...along])
    const failed = new Set(answer.failures.flatMap(({ keys }) => keys))
    const found = new Map(
      answer.values.flatMap((one) => (one.id === undefined ? [] : [[one.id, one] as const]))
    )
    const told = due.length === 0 ? [] : [...due, ...along].filter((id) => !failed.has(id))
    const at = yield* Clock.currentTimeMillis
    yield* run.keep(
      told.map((id) => ({
        question: detailsOf(id),
        readAt: at,
        answer: found.get(id) ?? null
      }))
    )
    const isTold = new Set(told)
    for (const { error, keys } of answer.failures)
      for (const promotionId of keys.filter((id) => !young.has(id)))
        run.leave(error, { what: "details", promotionId }, recalled.get(detailsOf(promotionId)))
    for (const id of young.keys()) if (!isTold.has(id)) run.take(recalled.get(detailsOf(id))!)
    return {
      values: ids.flatMap((id) => (isTold.has(id) ? found.get(id) : young.get(id)) ?? []),
      failures: answer.failures
        .map(({ error, keys }) => ({ error, keys: keys.filter((id) => !young.has(id)) }))
        .filter(({ keys }) => keys.length > 0)
    }
  })

const perCall = 100
const nothing: Batches.Batched<PromotionId, Details> = { values: [], failures: [] }

/** When the oldest page of both lists of a promotion was read; long ago where one is missing. */
const oldestOf = (run: Run, promotionId: PromotionId | undefined): Effect.Effect<number> =>
  Effect.gen(function* () {
    if (promotionId === undefined) return 0
    let oldest = Number.POSITIVE_INFINITY
    for (const enrolled of [false, true]) {
      for (let offset = 0; ; offset += Promo.pageSize) {
        const question = pageOf(promotionId, enrolled, offset)
        const kept = (yield* run.recall([question])).get(question)
        if (kept === undefined) return 0
        oldest = Math.min(oldest, kept.readAt)
        const { data } = kept.answer as Page
        if ((data?.nomenclatures?.length ?? 0) < Promo.pageSize) break
      }
    }
    return oldest
  })

type Page = Effect.Effect.Success<ReturnType<Methods["promo"]["listPromotionItems"]>>
