/** `bidhelm orders history ID`: what happened to one order, here and at the marketplace. Marks are masked. */
import * as Effect from "effect/Effect"
import type { OrderId } from "../../domain/Ids.js"
import * as TextOrder from "../../domain/TextOrder.js"
import * as When from "../../domain/When.js"
import { ChangeLog } from "../../engine/door/ChangeLog.js"
import type { JournalRow } from "../../engine/door/Journal.js"
import * as Mark from "../../engine/fulfilment/marks/Mark.js"
import * as LabelDeletion from "../../engine/kinds/fulfilment/LabelDeletion.js"
import * as OrderCancellation from "../../engine/kinds/fulfilment/OrderCancellation.js"
import * as OrderInSupply from "../../engine/kinds/fulfilment/OrderInSupply.js"
import * as OrderMark from "../../engine/kinds/fulfilment/OrderMark.js"
import * as SupplyDelivery from "../../engine/kinds/fulfilment/SupplyDelivery.js"
import * as SupplyRef from "../../engine/kinds/fulfilment/SupplyRef.js"
import * as OrderLook from "../../marketplace/fulfilment/OrderLook.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as VerdictWords from "../../reporting/fulfilment/VerdictWords.js"
import * as Reasons from "../../reporting/Reasons.js"
import * as Wording from "../../reporting/Wording.js"
import * as Labels from "../../services/areas/labels/Labels.js"
import type { Order } from "../../services/areas/orders/OrderRecords.js"
import * as Orders from "../../services/areas/orders/Orders.js"
import * as State from "../../services/areas/State.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import { type OrderEvent, OrderEvents } from "../../services/ports/OrderEvents.js"
import * as Account from "../account/Account.js"
import * as Named from "../fulfilment/Named.js"
import type * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import { stop } from "../terminal/Stop.js"

interface Asked extends Flags.Session {
  readonly order: string
}

/** Something that happened; epoch milliseconds, undefined where nobody says when. */
interface Event {
  readonly atMs: number | undefined
  readonly by: "marketplace" | "bidhelm"
  readonly what: string
}

export const show = (asked: Asked) =>
  Effect.gen(function* () {
    const [orderId] = yield* Named.orders([asked.order])
    if (orderId === undefined) return
    yield* Account.run(asked, (chosen) =>
      Effect.gen(function* () {
        const told = yield* ProgressBar.shown(read(chosen, orderId))
        if (told.events.length === 0 && told.status === undefined)
          return yield* stop(
            1,
            `nothing is known of order ${orderId}: not here, and not in the marketplace's lists of three months`
          )
        if (asked.json)
          return yield* Output.json("orders-history", {
            account: chosen.name,
            orderId,
            ...told,
            events: told.events.map(({ atMs, ...event }) => ({
              at: When.iso(atMs),
              ...event
            }))
          })
        yield* Output.text(text(orderId, told, chosen).map(cleanLine).join("\n"))
      })
    )
  })

const read = (chosen: Account.Chosen, orderId: OrderId) =>
  Effect.gen(function* () {
    const client = yield* MarketplaceClient
    const orders = Orders.make(client)
    const { found, notes } = yield* OrderLook.find(client, [orderId], undefined)
    const record = found.get(orderId)
    const statuses = yield* orders.statuses([orderId])
    const [status] = statuses.values
    const labels = status === undefined ? undefined : yield* Labels.make(client).read([orderId])
    const abroad = record?.crossBorder === true ? yield* orders.history([orderId]) : undefined
    const rows = yield* rowsOf(chosen, orderId, record)
    const own = yield* (yield* OrderEvents).of(chosen.name, [orderId])
    const events: ReadonlyArray<Event> = [
      ...(record?.createdAtMs === undefined
        ? []
        : [{ atMs: record.createdAtMs, by: "marketplace" as const, what: "ordered" }]),
      ...(abroad?.values ?? []).flatMap(({ steps }) =>
        steps.map(({ atMs, code }) => ({ atMs, by: "marketplace" as const, what: `abroad: ${code}` }))
      ),
      ...own.map((event) => ({ atMs: event.at, by: "bidhelm" as const, what: eventText(event) })),
      ...rows.map((row) => ({
        atMs: row.sentAt ?? row.updatedAt,
        by: "bidhelm" as const,
        what: changeText(row, chosen)
      }))
    ]
    return {
      article: record?.article ?? null,
      supplyId: record?.supplyId ?? null,
      status: status === undefined ? undefined : (State.textOf(status.supplier) ?? null),
      platformStatus: status === undefined ? undefined : (State.textOf(status.platform) ?? null),
      marks: (labels?.values[0]?.labels ?? []).map(({ decision, key, value }) => ({
        key,
        mark: value === undefined ? null : masked(key, value),
        decision: State.textOf(decision) ?? null
      })),
      events: events.toSorted((a, b) => (a.atMs ?? 0) - (b.atMs ?? 0) || TextOrder.compare(a.what, b.what)),
      notes: [...notes, ...statuses.failures.map(({ error }) => error.message)]
    }
  })

/** What happened at the desk or the table; what a label says is for the scanner, and what stands for marks for nobody. */
const eventText = ({ detail, kind }: OrderEvent): string => {
  const { position, refused, supplyId, undone } = detail
  const supply = supplyId === undefined ? "its supply" : SupplyRef.text(String(supplyId))
  switch (kind) {
    case "printed":
      return `printed its label for ${supply}${position === undefined ? "" : `, place ${position}`}`
    case "packed":
      if (undone !== true) return `packed into ${supply}`
      return refused === true
        ? `to be packed into ${supply} once more: its mark was refused`
        : `taken out of the parcels of ${supply}`
    case "delivered":
      return `delivered with ${supply}`
    default:
      return kind
  }
}

/** Of a kind that is not known nothing is shown: it may be a secret. */
const masked = (key: string, value: string): string =>
  Mark.isKind(key) ? String(Mark.Mark.of(key, value)) : "…"

/** What was planned for the order, and what became of it; also of the hand-over of the supplies it was put into. */
const rowsOf = (chosen: Account.Chosen, orderId: OrderId, record: Order | undefined) =>
  Effect.gen(function* () {
    const log = yield* ChangeLog
    const named = [OrderInSupply, OrderMark, LabelDeletion, OrderCancellation].map(
      ({ prefix }) => `${prefix}:${orderId}`
    )
    const own = (yield* Effect.forEach(named, (slot) => log.ofSlotsNamed(chosen.name, slot)))
      .flat()
      .filter(({ change }) => change.subject.orderId === orderId)
    const refs = new Set([
      ...own.flatMap(({ change: { after, before, kind } }) =>
        kind === OrderInSupply.name ? [before, after].map(String).filter(isSupply) : []
      ),
      ...(record?.supplyId === undefined ? [] : [record.supplyId])
    ])
    const deliveries = yield* Effect.forEach([...refs].sort(TextOrder.compare), (supply) =>
      Effect.map(log.ofSlotsNamed(chosen.name, SupplyDelivery.slot({ supply })), (rows) =>
        rows.filter(
          (row) => row.change.subject.supply === supply && wasIn(supply, row, own, record?.supplyId, orderId)
        )
      )
    )
    return [...own, ...deliveries.flat()]
  })

const isSupply = (ref: string): boolean => ref !== "" && ref !== OrderInSupply.elsewhere

/** Whether the order was in the supply when that was handed over: it may have been moved out before. */
const wasIn = (
  supply: string,
  delivery: JournalRow,
  own: ReadonlyArray<JournalRow>,
  now: string | undefined,
  orderId: OrderId
): boolean => {
  const { change } = delivery
  if (change.kind === SupplyDelivery.name && change.details.orderIds !== undefined)
    return change.details.orderIds.includes(orderId)
  const at = (row: JournalRow) => row.sentAt ?? row.updatedAt
  const moves = own
    .filter(({ change, state }) => change.kind === OrderInSupply.name && tookEffect.has(state))
    .sort((a, b) => at(a) - at(b))
  const before = moves.filter((row) => at(row) <= at(delivery))
  const last = before.at(-1)
  if (last === undefined) return moves.length === 0 ? supply === now : moves[0]?.change.before === supply
  return last.change.after === supply || (supply === now && before.length === moves.length)
}

const tookEffect: ReadonlySet<JournalRow["state"]> = new Set(["accepted", "applied", "unknown"])

const changeText = (row: JournalRow, { config }: Account.Chosen): string => {
  const why = Reasons.ofRow(row)
  return `${Wording.effect(row.change, config.currency)}: ${row.state.replace("_", " ")}${why === undefined || why === "" ? "" : ` (${why})`}  ${row.runId}`
}

const text = (
  orderId: OrderId,
  told: Effect.Effect.Success<ReturnType<typeof read>>,
  { config }: Account.Chosen
): ReadonlyArray<string> => [
  `Order ${orderId}${told.article === null ? "" : `  ${told.article}`}  ${told.status ?? "status unknown"} / ${told.platformStatus ?? "unknown"}  ${told.supplyId === null ? "in no supply" : SupplyRef.text(told.supplyId)}`,
  ...told.marks.map(
    ({ decision, key, mark }) =>
      `  ${VerdictWords.keyName(key)}: ${mark ?? "none"}  ${decision ?? "no verdict"}`
  ),
  ...(told.events.length === 0 ? ["Nothing is written down of it here."] : []),
  ...told.events.map(
    ({ atMs, by, what }) =>
      `${atMs === undefined ? "no date         " : When.text(atMs, config.timeZone)}  ${by}  ${what}`
  ),
  ...told.notes.map((note) => `Note: ${note}.`)
]
