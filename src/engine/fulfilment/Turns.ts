/**
 * What a turn does beside filling supplies: marks that the seller gave are set, a supply whose wave is packed is handed over
 * or what keeps it back is moved on, one that stayed empty is deleted, and passes are booked. Pure.
 */
import type { OrderId, SupplyId } from "../../domain/Ids.js"
import type { Change } from "../kinds/Change.js"
import * as OrderMark from "../kinds/fulfilment/OrderMark.js"
import * as PassCreation from "../kinds/fulfilment/PassCreation.js"
import * as SupplyDeletion from "../kinds/fulfilment/SupplyDeletion.js"
import * as SupplyDelivery from "../kinds/fulfilment/SupplyDelivery.js"
import type { FulfilmentPolicy } from "../language/Fulfilment.js"
import * as Assembly from "./Assembly.js"
import type { Board, Closing, KeptMark, OpenSupply, WaitingOrder } from "./Board.js"
import * as HandOver from "./HandOver.js"
import type * as Passes from "./Passes.js"
import * as Waves from "./Waves.js"

/** An open supply that a turn made, with what it was made for. */
export interface Ours {
  readonly supply: OpenSupply
  readonly policy: FulfilmentPolicy
  readonly warehouseId: number | undefined
  readonly wave: string
  readonly handOverByMs: number
}

/** Whether a supply's wave is packed: its orders are gathered, and its car has not left. */
export const isPacked = ({ handOverByMs, policy, wave }: Ours, nowMs: number): boolean => {
  const trip = Waves.trips(policy.waves, handOverByMs, handOverByMs).find(
    (one) => one.wave.name === wave && one.handOverByMs === handOverByMs
  )
  // Of a wave that the policy does not have any more nobody knows the cut-off: what it has gathered still goes.
  return (trip?.collectUntilMs ?? handOverByMs) <= nowMs
}

export interface Departure {
  readonly changes: ReadonlyArray<Change>
  /** Orders that go with the next wave, so that the others can go. */
  readonly movedOn: ReadonlyArray<WaitingOrder>
  /** What keeps supplies back; empty lists are left out. */
  readonly stops: ReadonlyArray<{ readonly supplyId: SupplyId; readonly checked: HandOver.Checked }>
}

/** Hands over what can go. Half an hour before the car leaves, orders that are known to keep the rest back are moved on. */
export const departure = (
  { account, refused }: Pick<Assembly.Known, "account" | "refused">,
  packed: ReadonlyArray<Ours & { readonly closing: Closing }>,
  passes: Board["passes"],
  nowMs: number
): Departure => {
  const changes: Array<Change> = []
  const movedOn: Array<WaitingOrder> = []
  const stops: Array<Departure["stops"][number]> = []
  for (const ours of packed) {
    const { closing, handOverByMs, policy, supply, warehouseId } = ours
    const checked = HandOver.check({
      supply: supply.record,
      orders: closing.orders,
      parcels: closing.parcels,
      packed: closing.packed,
      scanned: closing.scanned,
      packer: closing.packer,
      shippingRequired: false,
      passForm: policy.passes,
      passes,
      handOverAtMs: Math.max(handOverByMs, nowMs),
      nowMs
    })
    if (checked.reasons.length === 0) {
      const { supplyId } = supply
      const rest = Assembly.restOf({ refused }, SupplyDelivery.slot({ supply: supplyId }), nowMs)
      if (rest === undefined) changes.push(delivery(account, ours, closing))
      else stops.push({ supplyId, checked: { ...checked, reasons: [{ code: "refused_before", ...rest }] } })
      continue
    }
    stops.push({ supplyId: supply.supplyId, checked })
    const isLate = nowMs >= handOverByMs - Waves.nearHandOverMs
    if (!isLate || !checked.restCanGo) continue
    // Of a packed order the parcel would stay behind in the pile.
    const staying = new Set<number>([...checked.unread, ...closing.packed])
    const blocked = new Set([...checked.moveOut, ...checked.waitFor].filter((id) => !staying.has(id)))
    for (const order of closing.orders.filter(({ orderId }) => blocked.has(orderId)))
      movedOn.push({
        orderId: order.orderId,
        article: undefined,
        createdAtMs: undefined,
        status: { supplier: order.status, platform: order.platformStatus, isFinal: false },
        warehouseId,
        cargo: supply.cargo,
        crossBorder: supply.crossBorder,
        b2b: supply.b2b,
        from: { supplyId: supply.supplyId, as: "blocked" }
      })
  }
  return { changes, movedOn, stops }
}

const delivery = (
  account: string,
  { handOverByMs, policy, supply, wave }: Ours,
  { orders }: Closing
): Change => {
  const { supplyId } = supply
  const details = SupplyDelivery.details(
    orders.map(({ orderId }) => orderId),
    supply.name
  )
  const said = `is handed over by ${Assembly.leaving(policy, wave, handOverByMs)}`
  return Assembly.made(
    { account },
    Assembly.envelope(policy, wave, wave, said),
    {
      kind: SupplyDelivery.name,
      subject: { supply: supplyId },
      details,
      before: false,
      action: "deliver",
      after: true
    },
    `${details.orderIds}`
  )
}

/**
 * Deletes empty supplies that turns made once their car has long left: what a network made twice, and what all orders left
 * (field note O29).
 */
export const strays = (
  { account, refused }: Pick<Assembly.Known, "account" | "refused">,
  opened: ReadonlyArray<Ours>,
  nowMs: number
): ReadonlyArray<Change> =>
  opened.flatMap(({ handOverByMs, policy, supply, wave }): ReadonlyArray<Change> => {
    const subject = { supply: supply.supplyId }
    const isStray = supply.orders?.length === 0 && nowMs >= handOverByMs + strayAfterMs
    if (!isStray || Assembly.restOf({ refused }, SupplyDeletion.slot(subject), nowMs) !== undefined) return []
    const said = `is empty, and its car left ${Assembly.leaving(policy, wave, handOverByMs)}`
    return [
      Assembly.made({ account }, Assembly.envelope(policy, wave, wave, said), {
        kind: SupplyDeletion.name,
        subject,
        details: { supplyName: supply.name },
        before: true,
        action: "delete_supply",
        after: false
      })
    ]
  })

/** Lists are behind by seconds; a person may still fill a supply whose car is late. Milliseconds. */
const strayAfterMs = 60 * 60_000

/** Sets what the seller gave for orders in assembly and nobody has sent yet; `policyOf` answers for each order. */
export const marks = (
  known: Pick<Assembly.Known, "account" | "refused">,
  policyOf: (orderId: OrderId) => FulfilmentPolicy | undefined,
  kept: ReadonlyArray<KeptMark>,
  nowMs: number
): ReadonlyArray<Change> => {
  const bySlot = new Map<string, Array<KeptMark>>()
  for (const mark of kept) {
    const slot = OrderMark.slot(mark, mark.key)
    bySlot.set(slot, [...(bySlot.get(slot) ?? []), mark])
  }
  return [...bySlot].flatMap(([slot, all]): ReadonlyArray<Change> => {
    // The last that a person gave holds.
    const mark = all.at(-1)
    if (mark === undefined) return []
    if (Assembly.restOf(known, slot, nowMs) !== undefined) return []
    const policy = policyOf(mark.orderId)
    if (policy === undefined) return []
    const { fingerprint, key, masked, orderId } = mark
    return [
      Assembly.made(known, Assembly.envelope(policy, "marks", "marks", "the seller gave it for this order"), {
        kind: OrderMark.name,
        subject: { orderId },
        details: { key, masked },
        before: "",
        action: "set_mark",
        after: fingerprint
      })
    ]
  })
}

/** The pass whose time has come; undefined where none has. */
export const pass = (
  { account, refused }: Pick<Assembly.Known, "account" | "refused">,
  { due }: Passes.Plan,
  policies: ReadonlyArray<FulfilmentPolicy>,
  listed: ReadonlyArray<Passes.Listed>,
  nowMs: number
): Change | undefined => {
  const [first] = due?.covers ?? []
  const policy = policies.find(({ id }) => id === first?.policyId)
  if (due === undefined || first === undefined || policy === undefined) return undefined
  const { form } = due
  const subject = { pass: `${form.officeId}/${form.carNumber}` }
  const slot = PassCreation.slot(subject)
  if (Assembly.restOf({ refused }, slot, nowMs) !== undefined) return undefined
  const same = listed.filter(
    (one) =>
      one.officeId === form.officeId &&
      one.carNumber === form.carNumber &&
      one.firstName === form.firstName &&
      one.lastName === form.lastName
  )
  const { handOverByMs, wave } = first.trip
  const said = `leaves ${Assembly.leaving(policy, wave.name, handOverByMs)} and has no pass`
  return Assembly.made({ account }, Assembly.envelope(policy, wave.name, wave.name, said), {
    kind: PassCreation.name,
    subject,
    details: form,
    before: Math.max(0, ...same.map(({ validUntilMs = 0 }) => validUntilMs)),
    action: "book_pass",
    after: Math.max(...due.covers.map(({ trip }) => trip.handOverByMs))
  })
}
