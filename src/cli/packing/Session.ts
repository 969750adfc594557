/**
 * Packing a supply, from the first scan to the last: what is scanned goes through the machine (`Packing`), and what it says
 * is shown, printed, written down and set. Ctrl-C and the end of the input keep what was done; beginning again goes on.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { OrderId, SupplyId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import { kinds, Mark } from "../../engine/fulfilment/marks/Mark.js"
import * as Packing from "../../engine/fulfilment/packing/Packing.js"
import { cleanLine } from "../../reporting/Clean.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import { MarkVault } from "../../services/ports/MarkVault.js"
import { OrderEvents } from "../../services/ports/OrderEvents.js"
import type * as Account from "../account/Account.js"
import * as Print from "../labels/Print.js"
import * as Stickers from "../labels/Stickers.js"
import * as KeptMarks from "./KeptMarks.js"
import * as Known from "./Known.js"
import type * as LabelPrinter from "./LabelPrinter.js"
import * as MarkSetter from "./MarkSetter.js"
import type * as Screen from "./Screen.js"

/** A table with what it is given. */
export interface Table {
  readonly chosen: Account.Chosen
  readonly supplyId: SupplyId
  readonly known: Known.Known
  readonly printer: LabelPrinter.Printer | undefined
  readonly screen: Screen.Screen
}

/** What comes to the table, one after the other. */
export type Happening =
  | { readonly _tag: "Line"; readonly text: string }
  | { readonly _tag: "End"; readonly why?: string }
  | {
      readonly _tag: "Looked"
      readonly cancelled: ReadonlySet<OrderId>
      /** In the supply; undefined where that was not answered. */
      readonly inside: ReadonlySet<OrderId> | undefined
    }
  /** The supply was closed or deleted elsewhere: nothing more is looked at. */
  | { readonly _tag: "Gone"; readonly how: Packing.Gone }
  | { readonly _tag: "Mark"; readonly news: MarkSetter.News }
  | { readonly _tag: "Label"; readonly orderId: OrderId; readonly at?: string; readonly why?: string }
  | { readonly _tag: "Sticker"; readonly sticker: Stickers.Sticker }
  | { readonly _tag: "Unread"; readonly why: string }

/** Labels are printed one after the other, while packing goes on. */
export interface Labelling {
  readonly add: (label: LabelPrinter.Labelled) => Effect.Effect<void>
  /** Labels whose turn has not come are not printed. */
  readonly drop: Effect.Effect<void>
  /** Ends when nothing is printed any more. */
  readonly finish: Effect.Effect<void>
}

/** Words that are typed, or scanned from a card at the table. */
const words: Readonly<Record<string, "PutBack" | "Finished" | "Left">> = {
  "put back": "PutBack",
  putback: "PutBack",
  вернуть: "PutBack",
  finish: "Finished",
  готово: "Finished",
  left: "Left",
  осталось: "Left"
}

/** What stands on the table. */
export class Session {
  private state: Packing.State
  isOver = false
  private readonly stickers: Map<OrderId, Stickers.Sticker>
  private unread: string | undefined
  /** Not found in the supply by the last look. */
  private missing: ReadonlySet<OrderId> = new Set()
  /** Seen in the supply at any time. */
  private readonly met: Set<OrderId>
  /** Marks that are kept here and were given up for now. */
  private unset = 0
  /** Who may have a mark by what is kept here, without those who were asked and have it not. */
  private elsewhere: KeptMarks.Holders

  constructor(
    private readonly table: Table,
    private readonly setter: MarkSetter.Setter,
    private readonly printing: Labelling
  ) {
    const { done, elsewhere, stickers, work } = table.known
    this.elsewhere = elsewhere
    this.state = Packing.resume(work, done)
    // What was moved away may come back.
    this.met = new Set(work.orders.map(({ orderId }) => orderId).filter((id) => !work.moved.includes(id)))
    this.stickers = new Map(stickers.stickers)
  }

  /** Orders whose statuses are asked. */
  get watched(): ReadonlyArray<OrderId> {
    return this.state.work.orders
      .map(({ orderId }) => orderId)
      .filter((orderId) => !this.state.cancelled.has(orderId))
  }

  get unlabelled(): ReadonlyArray<OrderId> {
    return this.watched.filter((orderId) => !this.stickers.has(orderId))
  }

  /** In a sentence; undefined when all is packed, and of so many marks that still wait all are set. */
  left(waiting = 0): string | undefined {
    const { supplyId } = this.table
    const [orders, parcels] = [Packing.left(this.state).length, this.state.toTakeOut.size]
    const unset = this.unset + waiting
    const what = [
      ...(orders > 0 ? [`${Plural.of(orders, "order")} to pack`] : []),
      ...(parcels > 0 ? [`${Plural.of(parcels, "parcel")} to take out`] : []),
      ...(unset > 0 ? [`${Plural.of(unset, "mark")} to set`] : [])
    ]
    if (what.length === 0) return undefined
    const { gone } = this.state
    return gone === "closed" || gone === "deleted"
      ? `${supplyId} was ${gone} elsewhere while it was packed here. Not done until then: ${what.join(", ")}`
      : `left in ${supplyId}: ${what.join(", ")}. What is packed is kept; go on with: bidhelm pack ${supplyId}`
  }

  readonly begin = Effect.suspend(() => {
    const { known, screen, supplyId } = this.table
    const { cancelled, moved, packed, toTakeOut } = this.state
    const [left, cancelledOrders] = [Packing.left(this.state).length, cancelled.size - moved.size]
    return Effect.gen(this, function* () {
      for (const note of known.notes) yield* screen.note("Note", note)
      yield* screen.note(
        "Begun",
        `packing ${supplyId}: ${Plural.of(left, "order")} to pack${packed.size > 0 ? `, ${packed.size} packed before` : ""}${cancelledOrders > 0 ? `, ${cancelledOrders} cancelled` : ""}`,
        { supplyId, left, packed: packed.size, cancelled: cancelledOrders }
      )
      for (const { lack, orderId } of known.stickers.lacking)
        if (!cancelled.has(orderId)) yield* screen.label(orderId, { why: cleanLine(Print.sentence(lack)) })
      for (const { kind, orderId } of known.refused)
        yield* this.alarm({ code: "mark_refused", orderId, kind, refusal: undefined })
      for (const orderId of toTakeOut.keys()) yield* this.alarm(Packing.takeOut(this.state, orderId))
      for (const one of known.unset) yield* this.setter.add(one)
      for (const one of known.pending) yield* this.setter.watch(one)
    })
  })

  private alarm(alarm: Packing.Alarm) {
    return this.table.screen.told({ _tag: "Alarm", alarm })
  }

  /** An order that two looks in a row do not find here travels with another supply: one look may be behind. */
  private membership(inside: ReadonlySet<OrderId>) {
    return Effect.gen(this, function* () {
      const { screen } = this.table
      const missing = this.watched.filter((orderId) => !inside.has(orderId))
      for (const orderId of missing.filter((one) => this.missing.has(one))) {
        const says = `order ${orderId} is not in this supply any more: it is left out here`
        yield* screen.note("MovedAway", says, { orderId })
        yield* this.next({ _tag: "Moved", orderId })
        // It may come back.
        this.met.delete(orderId)
      }
      this.missing = new Set(missing)
      yield* this.gone(inside.size === 0 && this.watched.length === 0 ? "emptied" : undefined)
      const came = [...inside].filter((orderId) => !this.met.has(orderId))
      if (came.length === 0) return
      for (const orderId of came) this.met.add(orderId)
      const says = `${Plural.of(came.length, "order")} came into this supply: end and begin packing again to pack ${came.length === 1 ? "it" : "them"}`
      yield* screen.note("Came", says, { orders: came.length })
    })
  }

  private gone(how: Packing.Gone | undefined) {
    return Effect.gen(this, function* () {
      if (how !== undefined) yield* this.printing.drop
      yield* this.next({ _tag: "Gone", how })
    })
  }

  readonly happens = (what: Happening) =>
    what._tag === "Line"
      ? this.line(what.text)
      : what._tag === "End"
        ? this.end(what.why)
        : this.besides(what)

  /** What comes while nothing is scanned any more. */
  readonly besides = (what: Happening) =>
    Effect.gen(this, function* () {
      const { screen } = this.table
      switch (what._tag) {
        case "Line":
        case "End":
          return
        case "Looked":
          for (const orderId of what.cancelled) yield* this.next({ _tag: "Cancelled", orderId })
          if (what.inside === undefined) return
          this.unread = undefined
          yield* this.membership(what.inside)
          return
        case "Gone":
          return yield* this.gone(what.how)
        case "Sticker": {
          const { codes, orderId } = what.sticker
          this.stickers.set(orderId, what.sticker)
          this.state = Packing.withStickers(this.state, new Map([[orderId, codes]]))
          if (this.state.hand?.orderId === orderId) yield* this.print(orderId)
          return
        }
        case "Label": {
          const { at, orderId, why } = what
          yield* screen.label(orderId, at === undefined ? { why: why ?? "" } : { at })
          if (at !== undefined) yield* this.record(orderId, "printed", { stickers: this.codesOf(orderId) })
          return
        }
        case "Mark":
          yield* screen.mark(what.news)
          if (what.news._tag === "Waits" && what.news.isOver) this.unset += 1
          if (what.news._tag === "Refused") yield* this.next(what.news)
          if (what.news._tag === "Dropped")
            yield* this.next({ _tag: "Cancelled", orderId: what.news.orderId })
          return
        case "Unread":
          // Said once, until another reason or a look that succeeds.
          if (this.unread !== what.why)
            yield* screen.note("Unread", `${what.why}. A cancelled order may not be told in time`)
          this.unread = what.why
      }
    })

  private line(text: string) {
    return Effect.gen(this, function* () {
      const bare = text.trim()
      if (bare === "") return
      const word = words[bare.toLowerCase()]
      if (word === "Left") {
        const orders = Packing.left(this.state)
        return yield* this.table.screen.note(
          "Left",
          orders.length === 0 ? "every order is packed" : `${orders.length} left: ${orders.join(", ")}`,
          { orders }
        )
      }
      if (word === "Finished") {
        yield* this.next({ _tag: "Finished" })
        this.isOver =
          this.state.isFinished || (this.state.gone !== undefined && this.state.toTakeOut.size === 0)
        return
      }
      const nowMs = yield* Clock.currentTimeMillis
      yield* this.next(word === undefined ? { _tag: "Scanned", text, nowMs } : { _tag: "PutBack" })
    })
  }

  /** An order in hand was never packed, so it is put back. */
  private end(why: string | undefined) {
    return Effect.gen(this, function* () {
      this.isOver = true
      if (why !== undefined) yield* this.table.screen.note("Stopping", why)
      if (this.state.hand !== undefined) yield* this.next({ _tag: "PutBack" })
      if (!this.state.isFinished && this.left() === undefined) yield* this.next({ _tag: "Finished" })
    })
  }

  /** Whoever is said to have a mark by what is kept here is asked about first, and whoever else may have it then. */
  private step(event: Packing.Event) {
    return Effect.gen(this, function* () {
      let before = this.state
      while (true) {
        const step = Packing.next(before, event)
        const [first] = step.told
        if (first?._tag !== "Alarm" || first.alarm.code !== "mark_used") return step
        const { by } = first.alarm
        const released = yield* KeptMarks.released(yield* MarketplaceClient, this.elsewhere, [by])
        if (released.length === 0) return step
        this.elsewhere = this.elsewhere.filter((one) => !released.includes(one))
        const marks = released.map(([mark]) => mark)
        before = Packing.withoutMarks(before, by, marks, KeptMarks.firstAsked(this.elsewhere))
      }
    })
  }

  private next(event: Packing.Event) {
    return Effect.gen(this, function* () {
      const { state, told } = yield* this.step(event)
      const before = this.state
      this.state = state
      for (const one of told) {
        // Before it is shown, so that what a person saw packed is packed whatever happens next.
        if (one._tag === "Packed") yield* this.keep(one.orderId, one.marks)
        if (one._tag === "TakenOut") yield* this.record(one.orderId, "packed", { undone: true })
        if (one._tag !== "PrintLabel") yield* this.table.screen.told(one)
        else yield* this.print(one.orderId)
      }
      if (event._tag === "Refused" && before.packed.has(event.orderId) && !state.packed.has(event.orderId))
        yield* this.record(event.orderId, "packed", { undone: true, refused: true })
    })
  }

  private keep(orderId: OrderId, marks: ReadonlyArray<Mark>) {
    return Effect.gen(this, function* () {
      const own = kinds.flatMap((kind) => {
        const some = marks.filter((mark) => mark.kind === kind)
        return some.length === 0 ? [] : [{ kind, some, fingerprint: MarkSetter.fingerprintOf(some) }]
      })
      yield* (yield* MarkVault).keep(
        this.table.chosen.name,
        own.map(({ fingerprint, kind, some }) => ({
          orderId,
          key: kind,
          fingerprint,
          marks: Redacted.make(some.map(Mark.whole))
        }))
      )
      yield* this.record(orderId, "packed", {
        stickers: this.codesOf(orderId),
        ...Object.fromEntries(own.map(({ fingerprint, kind }) => [Known.fingerprintField(kind), fingerprint]))
      })
      yield* this.setter.add({ orderId, marks })
    })
  }

  private codesOf(orderId: OrderId): string {
    return Stickers.kept(this.stickers.get(orderId)?.codes ?? [])
  }

  private record(
    orderId: OrderId,
    kind: "packed" | "printed",
    detail: Readonly<Record<string, string | boolean>>
  ) {
    return Effect.gen(this, function* () {
      const { chosen, supplyId } = this.table
      const at = yield* Clock.currentTimeMillis
      yield* (yield* OrderEvents).record(chosen.name, [
        { orderId, at, kind, detail: { supplyId, ...detail } }
      ])
    })
  }

  private print(orderId: OrderId) {
    return Effect.gen(this, function* () {
      const { known, printer, screen } = this.table
      if (printer === undefined) return
      const line = known.told.lines.find((one) => one.orderId === orderId)
      const sticker = this.stickers.get(orderId)
      if (line === undefined || sticker === undefined) {
        const lack = known.stickers.lacking.find((one) => one.orderId === orderId)?.lack
        return yield* screen.label(orderId, {
          why: `${lack === undefined ? "its sticker was not read" : cleanLine(Print.sentence(lack))}. It is asked for every minute`
        })
      }
      yield* this.printing.add({ line, sticker, marks: known.stickers.marks.get(orderId) ?? [] })
    })
  }
}
