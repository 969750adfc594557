/**
 * Sets the marks of packed orders while packing goes on: several at once, as changes through the one door, so that rows and
 * history are as for every change; then looks at them until their checks have ended. What is kept in the vault and not set
 * when the program ends is set when packing goes on.
 */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import * as Schedule from "effect/Schedule"
import type { OrderId } from "../../domain/Ids.js"
import * as ScaledClock from "../../domain/ScaledClock.js"
import type { JournalRow } from "../../engine/door/Journal.js"
import { KillSwitch } from "../../engine/door/Stopping.js"
import { kinds, Mark, type MarkKind } from "../../engine/fulfilment/marks/Mark.js"
import * as Verdict from "../../engine/fulfilment/marks/Verdict.js"
import * as OrderMark from "../../engine/kinds/fulfilment/OrderMark.js"
import * as CallPlan from "../../engine/planning/CallPlan.js"
import * as Cycle from "../../engine/planning/Cycle.js"
import * as HeldReasons from "../../reporting/HeldReasons.js"
import * as Reasons from "../../reporting/Reasons.js"
import * as Labels from "../../services/areas/labels/Labels.js"
import * as Orders from "../../services/areas/orders/Orders.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import type * as Account from "../account/Account.js"
import * as Holder from "../account/Holder.js"
import * as Person from "../terminal/Person.js"
import * as Known from "./Known.js"

/** What became of a mark. */
export type News =
  | { readonly _tag: "Set"; readonly orderId: OrderId; readonly kind: MarkKind }
  /** The check let it pass. */
  | {
      readonly _tag: "Passed"
      readonly orderId: OrderId
      readonly kind: MarkKind
      readonly code: Verdict.AllowanceCode
    }
  /** Not taken, or found wanting: another is needed. `why` where the marketplace refused to take it. */
  | {
      readonly _tag: "Refused"
      readonly orderId: OrderId
      readonly kind: MarkKind
      readonly refusal: { readonly code: Verdict.RefusalCode; readonly decision?: string } | undefined
      readonly why: string | undefined
    }
  /** Never set: its order is cancelled. */
  | { readonly _tag: "Dropped"; readonly orderId: OrderId; readonly kind: MarkKind }
  /** Never set: its order was handed over first. */
  | { readonly _tag: "Late"; readonly orderId: OrderId; readonly kind: MarkKind }
  /** Not set yet; `isOver` when it is not tried again before packing is begun anew. */
  | {
      readonly _tag: "Waits"
      readonly orderId: OrderId
      readonly kind: MarkKind
      readonly why: string
      readonly isOver: boolean
    }

export interface Setter {
  readonly add: (packed: Known.Packed) => Effect.Effect<void>
  /** Takes what is set already, and looks at its check. */
  readonly watch: (packed: Known.Packed) => Effect.Effect<void>
  /** Nothing is added any more; ends when nothing waits to be set, or has waited long, and everything was looked at once. */
  readonly finish: Effect.Effect<void, never, MarketplaceClient>
  /** Sets and watches until interrupted. */
  readonly run: Effect.Effect<never, Failure, Needs>
  /** Marks whose checks have not ended. */
  readonly pending: Effect.Effect<number>
  /** Marks that wait to be set. */
  readonly waiting: Effect.Effect<number>
}

type Needs =
  | Effect.Effect.Context<ReturnType<typeof CallPlan.make> | ReturnType<typeof Cycle.apply>>
  | MarketplaceClient

interface Mine {
  readonly orderId: OrderId
  readonly kind: MarkKind
  readonly marks: ReadonlyArray<Mark>
  readonly tries: number
  /** Why the last try set nothing. */
  readonly why?: string
}

interface Watched extends Mine {
  readonly course: Verdict.Course
  readonly atMs: number
}

/** Orders in one plan: each mark is a call of its own, and their outcomes are read back together. */
const together = 25

/** Each try reads what is there before it sends. */
const firstPauseMs = 15_000
const longestPauseMs = 600_000
/** At the end a mark that waits is tried so often, and all of them for so long by the machine. */
const mostTries = 3
const patienceMs = 180_000

export const make = (chosen: Account.Chosen, tell: (news: News) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const queue = yield* Mailbox.make<Mine>()
    const looks = yield* Effect.makeSemaphore(1)
    let open = 0
    let isFinishing = false
    const watched = new Map<string, Watched>()
    const add = ({ marks, orderId }: Known.Packed) =>
      Effect.sync(() => {
        for (const one of byKind(orderId, marks)) {
          open += 1
          queue.unsafeOffer(one)
        }
      })
    const watch = (packed: Known.Packed) =>
      Effect.map(Clock.currentTimeMillis, (nowMs) => {
        for (const one of byKind(packed.orderId, packed.marks)) watched.set(keyOf(one), begun(one, nowMs))
      })
    const settled = (one: Mine, news: News) =>
      Effect.gen(function* () {
        open -= 1
        if (news._tag === "Set") watched.set(keyOf(one), begun(one, yield* Clock.currentTimeMillis))
        yield* tell(news)
      })
    const again = (one: Mine, why: string) =>
      Effect.gen(function* () {
        const { kind, orderId, tries } = one
        const isOver = isFinishing && tries + 1 >= mostTries
        if (isOver || why !== one.why) yield* tell({ _tag: "Waits", orderId, kind, why, isOver })
        if (isOver) open -= 1
        else
          yield* Effect.fork(
            Effect.delay(
              Effect.sync(() => queue.unsafeOffer({ ...one, why, tries: tries + 1 })),
              Math.min(firstPauseMs * 2 ** tries, isFinishing ? firstPauseMs : longestPauseMs)
            )
          )
      })
    const setting = Effect.gen(function* () {
      for (;;) {
        const [all] = yield* queue.takeAll
        // Of a mark that was scanned anew only the last counts.
        const last = new Map([...all].map((one) => [keyOf(one), one]))
        open -= all.length - last.size
        for (const batch of Arr.chunksOf(last.values(), together))
          yield* set(chosen, batch, { settled, again })
      }
    })
    const looking = Effect.gen(function* () {
      for (;;) {
        yield* Effect.sleep(lookEveryMs)
        yield* looks.withPermits(1)(look(watched, tell, false))
      }
    })
    return {
      add,
      watch,
      finish: Effect.gen(function* () {
        isFinishing = true
        const deadlineMs = (yield* Clock.currentTimeMillis) + (yield* ScaledClock.ofMachine(patienceMs))
        while (open > 0 && (yield* Clock.currentTimeMillis) < deadlineMs) yield* Effect.sleep("1 seconds")
        yield* looks.withPermits(1)(look(watched, tell, true))
      }),
      run: Effect.raceFirst(setting, looking),
      pending: Effect.sync(() => watched.size),
      waiting: Effect.sync(() => open)
    }
  })

const keyOf = ({ kind, orderId }: Mine): string => `${orderId} ${kind}`

const byKind = (orderId: OrderId, marks: ReadonlyArray<Mark>): ReadonlyArray<Mine> =>
  kinds.flatMap((kind) => {
    const own = marks.filter((mark) => mark.kind === kind)
    return own.length === 0 ? [] : [{ orderId, kind, marks: own, tries: 0 }]
  })

/** What is planned and kept of marks: their fingerprint. */
export const fingerprintOf = (marks: ReadonlyArray<Mark>): string =>
  OrderMark.fingerprint(marks.map(Mark.whole))

interface Told {
  readonly settled: (one: Mine, news: News) => Effect.Effect<void>
  readonly again: (one: Mine, why: string) => Effect.Effect<void>
}

const busyPause = "2 seconds"

/** One plan for all; where the state of one cannot be told, each for itself. */
const set = (
  chosen: Account.Chosen,
  batch: ReadonlyArray<Mine>,
  told: Told
): Effect.Effect<void, Failure, Needs> =>
  Effect.gen(function* () {
    const alone = () => Effect.forEach(batch, (one) => set(chosen, [one], told), { discard: true })
    const killed = yield* (yield* KillSwitch).engaged
    if (killed !== undefined)
      return yield* Effect.forEach(batch, (one) => told.again(one, `sending is stopped: ${killed}`), {
        discard: true
      })
    const { config, name } = chosen
    const call = { account: name, operation: "pack", currency: config.currency, zone: config.timeZone }
    const planned = yield* CallPlan.make(call, batch.map(wanted))
    if (planned._tag === "Unclear") {
      if (batch.length > 1) return yield* alone()
      const [one] = batch
      if (planned.isGone === true) return yield* told.settled(one!, { _tag: "Dropped", ...about(one!) })
      return yield* (yield* isHandedOver(one!))
        ? told.settled(one!, { _tag: "Late", ...about(one!) })
        : told.again(one!, planned.why.join("; "))
    }
    if (planned._tag === "There")
      return yield* Effect.forEach(batch, (one) => told.settled(one, { _tag: "Set", ...about(one) }), {
        discard: true
      })
    const { plan } = planned.reviewed
    const [held] = plan.held
    if (held !== undefined)
      return yield* batch.length > 1 ? alone() : told.again(batch[0]!, HeldReasons.text(held, plan))
    const { rows } = yield* Cycle.apply(
      planned.reviewed,
      { approvedBy: `${Person.name()} (pack)`, account: name },
      { holder: Holder.name(), abandoned: Holder.abandoned }
    ).pipe(Effect.retry({ while: ({ _tag }) => _tag === "ApplyBusy", schedule: Schedule.spaced(busyPause) }))
    for (const one of batch) {
      const row = rows.find(
        ({ change }) =>
          change.kind === OrderMark.name &&
          change.subject.orderId === one.orderId &&
          change.details.key === one.kind
      )
      yield* cameOf(one, row, told)
    }
  })

/** Marks are set in assembly only, and a supply opens no more. */
const isHandedOver = ({ orderId }: Mine) =>
  Effect.map(
    Effect.flatMap(MarketplaceClient, (client) => Orders.make(client).statuses([orderId])),
    ({ values }) => values.some(({ supplier }) => supplier._tag === "complete")
  )

type Failure = Effect.Effect.Error<ReturnType<typeof CallPlan.make> | ReturnType<typeof Cycle.apply>>

const about = ({ kind, orderId }: Mine) => ({ kind, orderId })

const wanted = ({ kind, marks, orderId }: Mine): CallPlan.Wanted => ({
  kind: OrderMark.name,
  action: "set_mark",
  subject: { orderId },
  details: { key: kind, masked: marks.map(String).join(", ") },
  after: () => fingerprintOf(marks)
})

/** Without a row it was there already. */
const cameOf = (one: Mine, row: JournalRow | undefined, { again, settled }: Told): Effect.Effect<void> => {
  if (row === undefined || row.state === "applied") return settled(one, { _tag: "Set", ...about(one) })
  const why = Reasons.ofRow(row) ?? row.state
  if (row.state === "rejected" || row.reason?.code === "unfit")
    return settled(one, { _tag: "Refused", ...about(one), refusal: undefined, why })
  if (row.reason?.code === "gone") return settled(one, { _tag: "Dropped", ...about(one) })
  // Whoever set another mark meanwhile meant it.
  return row.state === "conflict"
    ? settled(one, { _tag: "Waits", ...about(one), why, isOver: true })
    : again(one, why)
}

// Checks.

const lookEveryMs = 5000
const unreadPauseMs = 60_000

const begun = (one: Mine, nowMs: number): Watched => ({
  ...one,
  course: { setAtMs: nowMs, lookedAtMs: undefined, setAgain: 0 },
  atMs: nowMs + lookEveryMs
})

/** Reads the records of marks whose time has come, and tells what their checks came to. */
const look = (
  watched: Map<string, Watched>,
  tell: (news: News) => Effect.Effect<void>,
  all: boolean
): Effect.Effect<void, never, MarketplaceClient> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const due = [...watched.values()].filter(({ atMs }) => all || atMs <= nowMs)
    if (due.length === 0) return
    const orders = [...new Set(due.map(({ orderId }) => orderId))]
    const { values } = yield* Labels.make(yield* MarketplaceClient).read(orders)
    for (const one of due) {
      const label = values
        .find(({ orderId }) => orderId === one.orderId)
        ?.labels.find(({ key }) => key === one.kind)
      if (label === undefined) {
        watched.set(keyOf(one), { ...one, atMs: nowMs + unreadPauseMs })
        continue
      }
      const verdict = Known.verdictOf(label)
      const course = { ...one.course, lookedAtMs: nowMs }
      const next = Verdict.next(one.kind, verdict, course)
      const later = next._tag === "Look" || next._tag === "SetAgain" ? next.atMs : undefined
      if (later !== undefined && (next._tag === "Look" || later > nowMs)) {
        watched.set(keyOf(one), { ...one, course, atMs: later })
        continue
      }
      watched.delete(keyOf(one))
      if (verdict._tag === "Ready") yield* tell({ _tag: "Passed", ...about(one), code: verdict.code })
      if (verdict._tag === "Refused")
        yield* tell({ _tag: "Refused", ...about(one), refusal: refusalOf(verdict), why: undefined })
    }
  })

const refusalOf = ({ code, decision }: Extract<Verdict.Verdict, { readonly _tag: "Refused" }>) => ({
  code,
  ...(decision === undefined ? {} : { decision })
})
