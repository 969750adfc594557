/**
 * What is known of a supply when packing begins, or goes on: its orders in the stored order with what can be scanned of them,
 * the marks they want, what was packed before, and stickers and marks of other open supplies, so that a stranger is told.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { OrderId, SupplyId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import { identity, isKind, isUnique, kinds, Mark, type MarkKind } from "../../engine/fulfilment/marks/Mark.js"
import * as Verdict from "../../engine/fulfilment/marks/Verdict.js"
import type * as Packing from "../../engine/fulfilment/packing/Packing.js"
import * as OrderMark from "../../engine/kinds/fulfilment/OrderMark.js"
import * as Parcels from "../../marketplace/fulfilment/Parcels.js"
import type { Label } from "../../services/areas/labels/LabelRecords.js"
import * as Labels from "../../services/areas/labels/Labels.js"
import * as OrderRecords from "../../services/areas/orders/OrderRecords.js"
import * as Orders from "../../services/areas/orders/Orders.js"
import * as State from "../../services/areas/State.js"
import * as Supplies from "../../services/areas/supplies/Supplies.js"
import { type Client, MarketplaceClient } from "../../services/MarketplaceClient.js"
import type { CallError } from "../../services/MarketplaceError.js"
import { MarkVault } from "../../services/ports/MarkVault.js"
import { type OrderEvent, OrderEvents } from "../../services/ports/OrderEvents.js"
import { SupplyOrders } from "../../services/ports/SupplyOrders.js"
import type * as Account from "../account/Account.js"
import * as Print from "../labels/Print.js"
import * as Stickers from "../labels/Stickers.js"
import * as SupplyLines from "../supplies/SupplyLines.js"
import { ofCall, stop } from "../terminal/Stop.js"
import * as KeptMarks from "./KeptMarks.js"
import type * as LabelPrinter from "./LabelPrinter.js"

export interface Known {
  readonly told: SupplyLines.Told
  /** How labels look. */
  readonly look: Print.Look
  readonly work: Packing.Work
  /** Marks that were given to orders of other supplies from here. */
  readonly elsewhere: KeptMarks.Holders
  readonly stickers: Stickers.Answer
  /** Packed before, with their marks. */
  readonly done: ReadonlyMap<OrderId, ReadonlyArray<Mark>>
  /** Marks of packed orders that are kept here and not at the marketplace yet. */
  readonly unset: ReadonlyArray<Packed>
  /** Packed orders whose marks the marketplace still looks at. */
  readonly pending: ReadonlyArray<Packed>
  /** Packed before, and to be packed again: a mark of theirs was refused. `kind` is undefined where nothing shows by now which. */
  readonly refused: ReadonlyArray<{ readonly orderId: OrderId; readonly kind: MarkKind | undefined }>
  readonly notes: ReadonlyArray<string>
}

export interface Packed {
  readonly orderId: OrderId
  readonly marks: ReadonlyArray<Mark>
}

/** Fails when the supply, its statuses or its marks cannot be read: nobody packs on a guess. */
export const read = (
  chosen: Account.Chosen,
  supplyId: SupplyId,
  asked: Pick<LabelPrinter.Asked, "format" | "noOwnPage" | "size">
) =>
  Effect.gen(function* () {
    const client = yield* MarketplaceClient
    const told = yield* SupplyLines.read(chosen, supplyId)
    if (told.supply.closed === true)
      return yield* stop(1, `supply ${supplyId} is closed: nothing is packed into it any more`)
    if (told.crossBorder && asked.format !== "pdf") return yield* stop(1, Print.pdfAlone(supplyId))
    const look = Print.lookOf({ ...asked, ownPage: false, separators: false }, told.labels)
    const inside = told.lines.map(({ orderId }) => orderId)
    const stored = yield* (yield* SupplyOrders).list(chosen.name, supplyId)
    const gone = stored.filter((orderId) => !inside.includes(orderId))
    const cancelled = yield* cancelledOf(client, inside, gone)
    const live = inside.filter((orderId) => !cancelled.has(orderId))
    const events = yield* (yield* OrderEvents).of(chosen.name, [...inside, ...gone])
    const piled = Parcels.piledInto(events, supplyId)
    const labels = yield* labelsOf(client, live)
    const stickers = yield* Stickers.read({
      format: asked.format,
      size: look.size,
      orders: live,
      crossBorder: told.crossBorder,
      waitMs: 0
    })
    // Their parcels would travel with the wrong supply.
    const movedAway = gone.filter((orderId) => piled.has(orderId) && !cancelled.has(orderId))
    const notHere = new Set([...cancelled, ...movedAway])
    const codes = yield* codesBefore(events, notHere, told.crossBorder)
    const others = yield* othersOf(client, chosen, supplyId)
    const elsewhere = yield* KeptMarks.read(
      chosen,
      new Set([...inside, ...gone.filter((id) => cancelled.has(id))])
    )
    const { found, notOurs } = yield* packedBefore(chosen, client, { elsewhere, labels, notHere, piled })
    const done = found.filter(({ lost }) => lost === undefined)
    const isDone = new Set(done.map(({ orderId }) => orderId))
    const orderOf = orderWith(
      told,
      labels,
      (orderId) => stickers.stickers.get(orderId)?.codes ?? codes.get(orderId) ?? []
    )
    const again = [...piled.keys()].filter((orderId) => !isDone.has(orderId))
    return {
      told,
      look,
      work: {
        supplyId,
        orders: [...inside, ...gone.filter((orderId) => notHere.has(orderId))].map(orderOf),
        strangers: others.stickers,
        cancelledStrangers: others.cancelled,
        liveMarks: new Map([...KeptMarks.firstAsked(elsewhere), ...others.marks, ...identitiesOf(labels)]),
        cancelled: [...inside, ...gone].filter((orderId) => cancelled.has(orderId)),
        moved: movedAway,
        again
      },
      elsewhere,
      stickers,
      done: new Map(done.map(({ marks, orderId }) => [orderId, marks])),
      unset: done.flatMap(({ orderId, unset }) => (unset.length === 0 ? [] : [{ orderId, marks: unset }])),
      pending: done.flatMap(({ orderId, pending }) =>
        pending.length === 0 ? [] : [{ orderId, marks: pending }]
      ),
      refused: again.map((orderId) => ({
        orderId,
        kind: found.find((one) => one.orderId === orderId)?.lost ?? orderOf(orderId).needs[0]
      })),
      notes: [...told.notes, ...stickers.notes, ...others.notes, ...notOurs.map(takenNote)]
    } satisfies Known
  })

/** What can be scanned of an order, and the marks that it still wants. */
const orderWith =
  (
    { barcodes, lines }: SupplyLines.Told,
    labels: LabelsByOrder,
    stickersOf: (orderId: OrderId) => ReadonlyArray<string>
  ) =>
  (orderId: OrderId): Packing.PackOrder => {
    const line = lines.find((one) => one.orderId === orderId)
    const wanted = (labels.get(orderId) ?? []).filter(isWanted).map(({ key }) => key)
    return {
      orderId,
      basketId: line?.basketId,
      barcodes: barcodes.get(orderId) ?? [],
      stickers: stickersOf(orderId),
      needs: kinds.filter((kind) => wanted.includes(kind))
    }
  }

/**
 * What labels say, as it was when they were printed or packed here; of an order that is not packed here any more, whose label may stick on something, else as
 * the marketplace still tells it.
 */
const codesBefore = (
  events: ReadonlyArray<OrderEvent>,
  notHere: ReadonlySet<OrderId>,
  crossBorder: boolean
) =>
  Effect.gen(function* () {
    const codes = keptCodes(events)
    const orders = [...notHere].filter((orderId) => !codes.has(orderId))
    if (orders.length === 0) return codes
    const { stickers } = yield* Stickers.read({
      format: "zpl",
      size: "58x40",
      orders,
      crossBorder,
      waitMs: 0,
      evenCancelled: true
    })
    return new Map([...codes, ...[...stickers].map(([orderId, own]) => [orderId, own.codes] as const)])
  })

/** What labels said when they were printed or packed here. */
const keptCodes = (events: ReadonlyArray<OrderEvent>): ReadonlyMap<OrderId, ReadonlyArray<string>> =>
  new Map(
    events.flatMap(({ detail, orderId }) => {
      const own = Stickers.ofKept(String(detail.stickers ?? ""))
      return own.length === 0 ? [] : [[orderId, own] as const]
    })
  )

// Statuses.

/**
 * Orders that nobody packs any more. Fails where the statuses cannot be read, or one is not answered; of `others`, which are not in
 * the supply any more, what is answered counts.
 */
export const cancelledOf = (
  client: Client,
  orders: ReadonlyArray<OrderId>,
  others: ReadonlyArray<OrderId> = []
) =>
  Effect.gen(function* () {
    const answered = yield* Orders.make(client).statuses([...orders, ...others])
    const { failures, values } = answered
    const missing = answered.missing.filter((orderId) => orders.includes(orderId))
    const [failed] = failures
    if (failed !== undefined)
      return yield* ofCall(failed.error, `which orders are cancelled was not read: ${failed.error.message}`)
    if (missing.length > 0)
      return yield* stop(1, `whether ${named(missing)} cancelled was not answered: begin again in a minute`)
    return new Set(values.filter(isOver).map(({ orderId }) => orderId))
  })

/** A cancel of the seller counts whatever the platform's side says: its goods go back. */
const isOver = (state: OrderRecords.OrderState): boolean =>
  OrderRecords.isFinal(state) || state.supplier._tag === "cancel" || state.supplier._tag === "cancel_carrier"

// Marks.

type LabelsByOrder = ReadonlyMap<OrderId, ReadonlyArray<Label>>

const labelsOf = (client: Client, orders: ReadonlyArray<OrderId>) =>
  Effect.gen(function* () {
    const { failures, missing, values } = yield* Labels.make(client).read(orders)
    const [failed] = failures
    if (failed !== undefined)
      return yield* ofCall(failed.error, `which marks the orders need was not read: ${failed.error.message}`)
    if (missing.length > 0)
      return yield* stop(
        1,
        `which marks ${named(missing)} in need of was not answered: begin again in a minute`
      )
    return new Map(values.map(({ labels, orderId }) => [orderId, labels]))
  })

/** `order 5001 is`, `orders 5001, 5002 are`. */
const named = (orders: ReadonlyArray<OrderId>): string =>
  `${Plural.choose(orders.length, "order", "orders")} ${orders.join(", ")} ${Plural.choose(orders.length, "is", "are")}`

/** The verdict on a label as it was read. */
export const verdictOf = ({ decision, key, value }: Label): Verdict.Verdict =>
  Verdict.of({ key, value, decision: State.textOf(decision) })

/** Missing and required, or refused by its check. What the marketplace says nothing of is no reason to ask for another. */
const isWanted = (label: Label): boolean => {
  const verdict = verdictOf(label)
  return (
    isKind(label.key) &&
    verdict._tag === "Refused" &&
    verdict.code !== "no_decision" &&
    verdict.code !== "unknown_decision"
  )
}

const marksOf = (labels: ReadonlyArray<Label>): ReadonlyArray<Mark> => labels.flatMap(KeptMarks.marksOf)

const identitiesOf = (labels: LabelsByOrder): ReadonlyArray<readonly [string, OrderId]> =>
  [...labels].flatMap(([orderId, own]) =>
    marksOf(own).flatMap((mark) => (isUnique(mark.kind) ? [[identity(mark), orderId] as const] : []))
  )

// What was packed before.

/** How the event of a packed order names the fingerprint of a mark. */
export const fingerprintField = (kind: MarkKind): string => `mark ${kind}`

/** Marks that are kept here, by order, kind and fingerprint. */
type Kept = ReadonlyMap<string, ReadonlyArray<string>>

const keptMarks = (chosen: Account.Chosen, orders: ReadonlyArray<OrderId>) =>
  Effect.map(
    Effect.flatMap(MarkVault, (vault) => vault.of(chosen.name, orders)),
    (all): Kept =>
      new Map(all.map((one) => [`${one.orderId} ${one.key} ${one.fingerprint}`, Redacted.value(one.marks)]))
  )

/** How a packed order stands now. */
interface Standing {
  readonly orderId: OrderId
  readonly marks: ReadonlyArray<Mark>
  /** The kind of a mark that is to be scanned again. */
  readonly lost: MarkKind | undefined
  /** Kept here, and not at the marketplace yet. */
  readonly unset: ReadonlyArray<Mark>
  readonly pending: ReadonlyArray<Mark>
}

const standing = (
  orderId: OrderId,
  { detail }: OrderEvent,
  labels: ReadonlyArray<Label>,
  kept: Kept
): Standing => {
  const [marks, unset, pending]: [Array<Mark>, Array<Mark>, Array<Mark>] = [[], [], []]
  let lost: MarkKind | undefined
  for (const kind of kinds) {
    const own = labels.filter(({ key }) => key === kind)
    const print = detail[fingerprintField(kind)]
    const mine = kept.get(`${orderId} ${kind} ${print}`)?.map((text) => Mark.of(kind, text))
    const there = marksOf(own)
    const isThere = OrderMark.fingerprint(own.flatMap(({ value }) => value ?? [])) === print
    // What stands there unrefused was set since, by whoever meant it: a restored store may not know of it.
    const isReplaced = marksOf(own).length > 0 && !own.some(isWanted)
    if (!isThere && mine !== undefined && !isReplaced) {
      marks.push(...mine)
      unset.push(...mine)
    } else if (own.some(isWanted)) lost ??= kind
    else {
      marks.push(...there)
      if (own.some((label) => verdictOf(label)._tag === "Pending")) pending.push(...there)
    }
  }
  return { orderId, marks, lost, unset, pending }
}

/** How packed orders stand now; `notOurs` are marks of theirs that others have by now. */
const packedBefore = (
  chosen: Account.Chosen,
  client: Client,
  {
    elsewhere,
    labels,
    notHere,
    piled
  }: {
    readonly elsewhere: KeptMarks.Holders
    readonly labels: LabelsByOrder
    readonly notHere: ReadonlySet<OrderId>
    readonly piled: ReadonlyMap<OrderId, OrderEvent>
  }
) =>
  Effect.gen(function* () {
    const kept = yield* keptMarks(chosen, [...piled.keys()])
    const standings = [...piled].flatMap(([orderId, event]): ReadonlyArray<Standing> => {
      if (notHere.has(orderId)) return [{ orderId, marks: [], lost: undefined, unset: [], pending: [] }]
      return Parcels.isPacked(event) ? [standing(orderId, event, labels.get(orderId) ?? [], kept)] : []
    })
    const unset = standings.flatMap((one) => one.unset)
    const shown = yield* KeptMarks.shown(client, elsewhere, unset)
    const notOurs = standings.flatMap((one) => takenOf(one.orderId, one.unset, shown))
    const found = standings.map((one): Standing => {
      const taken = notOurs.find(({ orderId }) => orderId === one.orderId)
      return taken === undefined ? one : { ...one, lost: taken.kind }
    })
    return { found, notOurs }
  })

interface Taken {
  readonly orderId: OrderId
  readonly kind: MarkKind
  readonly by: OrderId
}

/** Marks that an order was packed with and another one has by now: a restored store may not know that they were given to it. */
const takenOf = (
  orderId: OrderId,
  unset: ReadonlyArray<Mark>,
  shown: ReadonlyMap<string, OrderId>
): ReadonlyArray<Taken> =>
  unset.flatMap((mark) => {
    const by = isUnique(mark.kind) ? shown.get(identity(mark)) : undefined
    return by === undefined ? [] : [{ orderId, kind: mark.kind, by }]
  })

const takenNote = ({ by, kind, orderId }: Taken): string =>
  `order ${orderId} was packed here with a mark (${kind}) that order ${by} has by now: it is not set again`

// Other supplies.

interface Others {
  readonly stickers: ReadonlyMap<string, OrderId>
  /** Without those that were packed: their parcels are taken out at their own table, by their labels. */
  readonly cancelled: ReadonlySet<OrderId>
  readonly marks: ReadonlyArray<readonly [string, OrderId]>
  readonly notes: ReadonlyArray<string>
}

/** Orders of other supplies that are looked at: stickers come a hundred a call. */
const mostOthers = 1000

/** What cannot be read of them is a note: their codes are told as unknown ones then. */
const othersOf = (
  client: Client,
  { name }: Account.Chosen,
  supplyId: SupplyId
): Effect.Effect<Others, never, OrderEvents | SupplyOrders> =>
  Effect.gen(function* () {
    const supplies = Supplies.make(client)
    const open = yield* Stream.runCollect(
      Stream.filter(supplies.list, (one) => one.closed === false && one.supplyId !== supplyId)
    )
    const [ids, stored]: [Array<OrderId>, Array<OrderId>] = [[], []]
    for (const one of open) {
      if (ids.length >= mostOthers) break
      ids.push(...(yield* supplies.orderIds(one.supplyId)))
      stored.push(...(yield* (yield* SupplyOrders).list(name, one.supplyId)))
    }
    const orders = ids.slice(0, mostOthers)
    // Cancelled by the seller, an order is in no supply any more.
    const gone = [...new Set(stored)].filter((orderId) => !ids.includes(orderId)).slice(0, mostOthers)
    const asked = [...orders, ...gone]
    const states = yield* Orders.make(client).statuses(asked)
    const cancelled = states.values.filter(OrderRecords.isCancelled).map(({ orderId }) => orderId)
    const events = yield* (yield* OrderEvents).of(name, cancelled)
    const packed = Parcels.piled(events)
    const labels = yield* Labels.make(client).read(orders)
    const undeclared = new Set(labels.values.filter(Stickers.lacksDeclaration).map(({ orderId }) => orderId))
    const printed = yield* Stickers.domestic(
      client,
      orders.filter((orderId) => !undeclared.has(orderId)),
      { format: "zpl", size: "58x40" }
    )
    return {
      // The last four digits alone are of too many.
      stickers: new Map(
        [
          ...keptCodes(events),
          ...[...printed.stickers].map(([orderId, { codes }]) => [orderId, codes] as const)
        ].flatMap(([orderId, codes]) =>
          codes.filter((code) => code.length > 4).map((code) => [code, orderId] as const)
        )
      ),
      cancelled: new Set(cancelled.filter((orderId) => !packed.has(orderId))),
      marks: identitiesOf(new Map(labels.values.map((one) => [one.orderId, one.labels]))),
      notes: [
        ...(ids.length > orders.length
          ? [`of other supplies only ${Plural.of(mostOthers, "order")} are known`]
          : []),
        ...unread("which orders of other supplies are cancelled", states.failures),
        ...unread("which marks orders of other supplies have", labels.failures),
        ...unread(
          "what labels of other supplies say",
          printed.lacking.flatMap(({ lack, orderId }) =>
            lack._tag === "refused" ? [{ error: lack.error, keys: [orderId] }] : []
          )
        )
      ]
    }
  }).pipe(
    Effect.catchAll(({ message }) =>
      Effect.succeed({
        stickers: new Map(),
        cancelled: new Set<OrderId>(),
        marks: [],
        notes: [`orders of other supplies were not read: ${message}`]
      })
    )
  )

/** What was not read, and why; nothing where all was. */
const unread = (
  what: string,
  failures: ReadonlyArray<{ readonly error: CallError; readonly keys: ReadonlyArray<OrderId> }>
): ReadonlyArray<string> => {
  const [first] = failures
  const orders = failures.flatMap(({ keys }) => keys).length
  return first === undefined
    ? []
    : [`${what} was not read of ${Plural.of(orders, "order")}: ${first.error.message}`]
}
