/**
 * What a turn of the orders' lane does: orders whose time has come go into the supply of their wave and kind, which is made
 * where it is not there yet. Pure: the board, what is known of supplies that were made before, and the instant are arguments.
 * The same board gives the same changes, so a crash at any point loses nothing.
 */
import * as Days from "../../domain/Days.js"
import * as Hash from "../../domain/Hash.js"
import type { SupplyRef as Ref } from "../../domain/Target.js"
import * as TextOrder from "../../domain/TextOrder.js"
import * as When from "../../domain/When.js"
import type { Change, Part } from "../kinds/Change.js"
import * as OrderInSupply from "../kinds/fulfilment/OrderInSupply.js"
import * as SupplyCreation from "../kinds/fulfilment/SupplyCreation.js"
import * as SupplyRef from "../kinds/fulfilment/SupplyRef.js"
import { note } from "../kinds/Kind.js"
import * as Kinds from "../kinds/Kinds.js"
import type { Standing } from "../kinds/Past.js"
import { type FulfilmentPolicy, nameOf } from "../language/Fulfilment.js"
import type { Board, Company, OpenSupply, WaitingOrder } from "./Board.js"
import * as Waves from "./Waves.js"

/** What is known beside the board. */
export interface Known {
  readonly account: string
  /** What became of supplies that were asked for, by name; a name that is missing was never asked for. */
  readonly made: ReadonlyMap<string, Asked>
  /** Slots of changes that were refused a while ago. */
  readonly refused: ReadonlyMap<string, Rest>
}

/** Until when what was refused is left alone, epoch milliseconds; `page`: not the marketplace did it, but a web page of somebody on the way. */
export interface Rest {
  readonly untilMs: number
  readonly page?: true
}

/** The rest of a slot that is not over. */
export const restOf = (
  { refused }: Pick<Known, "refused">,
  slot: string,
  nowMs: number
): Rest | undefined => {
  const rest = refused.get(slot)
  return rest === undefined || nowMs >= rest.untilMs ? undefined : rest
}

/** A supply that was asked for: what became of it, and when it was asked for, epoch milliseconds. */
export interface Asked {
  readonly standing: Standing
  readonly atMs: number
}

/**
 * Lists are behind by seconds (field note O28): what was made so long ago and is nowhere listed, somebody has deleted; or it was
 * never made, where no answer came. Milliseconds.
 */
const goneAfterMs = 10 * 60_000

/** Why an order is in no supply yet; instants in epoch milliseconds. */
export type Why =
  /** Its buyer may still cancel it. */
  | { readonly code: "left_alone"; readonly untilMs: number }
  /** Its wave is being packed: a person takes it along, or it goes with the next. */
  | { readonly code: "on_the_dock"; readonly wave: string; readonly untilMs: number }
  | { readonly code: "status_unread" }
  | { readonly code: "created_unknown" }
  | { readonly code: "cancelled"; readonly status: string }
  | { readonly code: "no_policy"; readonly warehouseId: number | undefined }
  /** The supply it is for was asked for, and no list shows it yet. */
  | { readonly code: "supply_not_listed"; readonly name: string }
  /** The orders of the supply it is for could not be read. */
  | { readonly code: "supply_unread"; readonly name: string }
  | ({ readonly code: "refused_before" } & Rest)
  /** The supply it is for was asked for, and the marketplace refused to make it. */
  | ({ readonly code: "supply_refused"; readonly name: string } & Rest)

/** An order that stays where it is. */
export interface Left {
  readonly orderId: number
  readonly policy: string | undefined
  readonly why: Why
}

export interface Turn {
  /** Supplies first, then orders by supply and number. */
  readonly changes: ReadonlyArray<Change>
  readonly left: ReadonlyArray<Left>
  /** Names of supplies that the turn looked for and found nowhere on the board. */
  readonly lookedFor: ReadonlyArray<string>
  /** Supplies that orders are to go into and of which it is not known what is in them. */
  readonly unread: ReadonlyArray<OpenSupply>
}

/** The turn of all policies that are due, at `nowMs`. */
export const turn = (
  policies: ReadonlyArray<FulfilmentPolicy>,
  board: Board,
  known: Known,
  nowMs: number
): Turn => {
  const state: State = {
    open: new Map(
      board.supplies.flatMap((supply) => {
        const marker = SupplyRef.markerOf(supply.name)
        return marker === undefined ? [] : [[marker, supply] as const]
      })
    ),
    closed: new Set([...board.closedNames].flatMap((name) => SupplyRef.markerOf(name) ?? [])),
    known,
    nowMs,
    changes: [],
    left: [],
    lookedFor: new Set(),
    unread: []
  }
  const byWarehouse = new Map(
    policies.flatMap((policy) => policy.warehouseIds.map((id) => [id, policy] as const))
  )
  const groups = new Map<string, Group>()
  for (const order of board.waiting.toSorted((a, b) => a.orderId - b.orderId)) {
    const policy = order.warehouseId === undefined ? undefined : byWarehouse.get(order.warehouseId)
    const trip = policy === undefined ? undefined : tripOf(state, policy, order)
    if (policy === undefined)
      leave(state, order, undefined, { code: "no_policy", warehouseId: order.warehouseId })
    if (policy === undefined || trip === undefined) continue
    const key = keyOf(policy, trip, order)
    const group = groups.get(key) ?? {
      policy,
      trip,
      company: order,
      key,
      orders: [],
      envelope: envelope(
        policy,
        trip.wave.name,
        `goes with wave ${trip.wave.name}`,
        `handed over by ${leaving(policy, trip.wave.name, trip.handOverByMs)}`
      )
    }
    group.orders.push(order)
    groups.set(key, group)
  }
  for (const group of [...groups.values()].sort((a, b) => TextOrder.compare(a.key, b.key))) fill(state, group)
  return { changes: state.changes, left: state.left, lookedFor: [...state.lookedFor], unread: state.unread }
}

interface State {
  /** By the marker in their names. */
  readonly open: ReadonlyMap<string, OpenSupply>
  readonly closed: ReadonlySet<string>
  readonly known: Known
  readonly nowMs: number
  readonly changes: Array<Change>
  readonly left: Array<Left>
  readonly lookedFor: Set<string>
  readonly unread: Array<OpenSupply>
}

/** Orders that go together on one trip. */
interface Group {
  readonly policy: FulfilmentPolicy
  readonly trip: Waves.Trip
  readonly company: Company
  readonly key: string
  readonly orders: Array<WaitingOrder>
  readonly envelope: ReturnType<typeof envelope>
}

const leave = (state: State, { orderId }: WaitingOrder, policy: string | undefined, why: Why): void =>
  void state.left.push({ orderId, policy, why })

const keyOf = (
  { id }: FulfilmentPolicy,
  { day, wave }: Waves.Trip,
  { b2b, cargo, crossBorder, warehouseId }: Company
): string =>
  JSON.stringify([id, wave.name, day, ...[warehouseId, cargo, crossBorder, b2b].map((part) => part ?? null)])

/** The trip on which an order goes now; undefined where it stays, with its reason noted. */
const tripOf = (state: State, policy: FulfilmentPolicy, order: WaitingOrder): Waves.Trip | undefined => {
  const { known, nowMs } = state
  const stays = (why: Why) => leave(state, order, policy.id, why)
  const { createdAtMs, status } = order
  if (status?.supplier === undefined) return void stays({ code: "status_unread" })
  const isHere = order.from !== undefined || status.supplier === "new"
  if (status.isFinal || !isHere)
    return void stays({ code: "cancelled", status: status.platform ?? status.supplier })
  const rest = restOf(known, OrderInSupply.slot(order), nowMs)
  if (rest !== undefined) return void stays({ code: "refused_before", ...rest })
  // What must be shipped again was agreed to long ago: nobody waits for its buyer.
  if (order.from !== undefined) return Waves.ofOrder(policy, nowMs)
  if (createdAtMs === undefined) return void stays({ code: "created_unknown" })
  const place = Waves.placeOf(policy, createdAtMs, nowMs)
  switch (place._tag) {
    case "Due":
      return place.trip
    case "Waits":
      return void stays({ code: "left_alone", untilMs: place.untilMs })
    case "Dock":
      return void stays({ code: "on_the_dock", wave: place.packing.wave.name, untilMs: place.untilMs })
  }
}

/** Tells supplies of an account apart whatever their names say (field note O29). */
const markerOf = (account: string, key: string, n: number): string =>
  `#${Hash.of([account, key, n]).slice(0, 8)}`

/** A supply as lists show it. */
export type Named = Pick<OpenSupply, "b2b" | "cargo" | "createdAtMs" | "crossBorder" | "name">

/** What a turn made a supply for. */
export interface MadeFor {
  readonly policy: FulfilmentPolicy
  readonly warehouseId: number
  readonly trip: Waves.Trip
}

/** A turn's request may wait so long for a person. */
const askedBeforeMs = Days.dayMs
/** The marketplace's clock and ours. */
const clocksDifferMs = 3_600_000
/** More supplies of one trip and kind than a warehouse loads. */
const mostOfTrip = 100

/**
 * What turns of these policies made a supply for, as its marker says it: a store that was restored has no record of it. Undefined
 * where no trip around its creation has that marker, as that of a wave with another name by now.
 */
export const madeFor = (
  policies: ReadonlyArray<FulfilmentPolicy>,
  account: string,
  { b2b, cargo, createdAtMs, crossBorder, name }: Named
): MadeFor | undefined => {
  if (createdAtMs === undefined || !isMarked(name)) return undefined
  const marker = SupplyRef.markerOf(name)
  const companies = among(cargo).flatMap((cargo) =>
    among(crossBorder).flatMap((crossBorder) => among(b2b).map((b2b) => ({ cargo, crossBorder, b2b })))
  )
  for (const policy of policies) {
    const last = Waves.ofOrder(policy, createdAtMs + clocksDifferMs).collectUntilMs
    for (const trip of Waves.trips(policy.waves, createdAtMs - askedBeforeMs, last))
      for (const warehouseId of policy.warehouseIds)
        for (const company of companies) {
          const key = keyOf(policy, trip, { ...company, warehouseId })
          for (let n = 1; n <= mostOfTrip; n++)
            if (markerOf(account, key, n) === marker) return { policy, warehouseId, trip }
        }
  }
  return undefined
}

/** Lists of orders may have left out what those of supplies tell. */
const among = <A>(told: A | undefined): ReadonlyArray<A | undefined> =>
  told === undefined ? [undefined] : [told, undefined]

const isMarked = (name: string): boolean => /#[0-9a-f]{8}$/.test(name)

/** Whether a supply's name ends as turns end it, and not as a person's would: `Supply #20260901` is a date. */
export const looksMade = (name: string): boolean => isMarked(name) && !/#\d{8}$/.test(name)

const supplyName = (known: Known, group: Group, n: number): string => {
  const { company, policy, trip } = group
  const words = {
    warehouse: String(company.warehouseId ?? ""),
    date: trip.day,
    wave: trip.wave.name,
    cargo: company.cargo ?? "unknown cargo",
    border: company.crossBorder === true ? "cross-border" : "domestic",
    buyer: company.b2b === true ? "business" : "private",
    n: String(n)
  }
  return `${nameOf(policy.supply.nameTemplate, words)} ${markerOf(known.account, group.key, n)}`
}

/** Puts the orders of a group into its supplies, one after the other, until none is left or one cannot be told. */
const fill = (state: State, group: Group): void => {
  let rest: ReadonlyArray<WaitingOrder> = group.orders
  for (let n = 1; rest.length > 0; n++) {
    const name = supplyName(state.known, group, n)
    const place = placeFor(state, group, name)
    if (place._tag === "Stop") {
      for (const order of rest) leave(state, order, group.policy.id, place.why)
      return
    }
    const some = rest.slice(0, place.room)
    rest = rest.slice(place.room)
    if (some.length === 0) continue
    if (place._tag === "New") state.changes.push(creation(state, group, name, some.length))
    for (const order of some) state.changes.push(putting(state, group, order, place.ref, name))
  }
}

type Room =
  | { readonly _tag: "Open" | "New"; readonly ref: Ref; readonly room: number }
  /** Full, closed, never made or deleted: the next one. */
  | { readonly _tag: "Over"; readonly room: 0; readonly ref: "" }
  | { readonly _tag: "Stop"; readonly why: Why }

const over: Room = { _tag: "Over", room: 0, ref: "" }

const placeFor = (
  { closed, known, lookedFor, nowMs, open, unread }: State,
  { policy }: Group,
  name: string
): Room => {
  const { maxOrders } = policy.supply
  const marker = SupplyRef.markerOf(name) ?? name
  const supply = open.get(marker)
  if (supply !== undefined && supply.orders === undefined) unread.push(supply)
  if (supply !== undefined) return roomIn(supply, maxOrders)
  if (closed.has(marker)) return over
  lookedFor.add(name)
  const asked = known.made.get(name)
  const ref = SupplyRef.ofName(name)
  const rest = restOf(known, SupplyCreation.slot({ supply: ref }), nowMs)
  if (asked === undefined && rest !== undefined)
    return { _tag: "Stop", why: { code: "supply_refused", name, ...rest } }
  if (asked === undefined) return { _tag: "New", ref, room: maxOrders }
  const mayBeThere = asked.standing === "applied" || asked.standing === "replaced"
  const isGone = mayBeThere && nowMs >= asked.atMs + goneAfterMs
  return asked.standing === "none" || isGone
    ? over
    : { _tag: "Stop", why: { code: "supply_not_listed", name } }
}

const roomIn = ({ name, orders, supplyId }: OpenSupply, most: number): Room =>
  orders === undefined
    ? { _tag: "Stop", why: { code: "supply_unread", name } }
    : { _tag: "Open", ref: supplyId, room: Math.max(0, most - orders.length) }

const creation = ({ known }: State, group: Group, name: string, orders: number): Change => {
  const { company, trip } = group
  const { warehouseId } = company
  return made(known, group.envelope, {
    kind: SupplyCreation.name,
    subject: { supply: SupplyRef.ofName(name) },
    details: {
      name,
      orders,
      ...(warehouseId === undefined ? {} : { warehouseId }),
      wave: trip.wave.name,
      handOverByMs: trip.handOverByMs
    },
    before: "",
    action: "create_supply",
    after: name
  })
}

const putting = (
  { known }: State,
  group: Group,
  { article, createdAtMs, from, orderId }: WaitingOrder,
  ref: Ref,
  name: string
): Change =>
  made(known, group.envelope, {
    kind: OrderInSupply.name,
    subject: { orderId },
    details: {
      supplyName: name,
      ...(article === undefined ? {} : { article }),
      ...(createdAtMs === undefined ? {} : { createdAtMs }),
      ...(from?.as === "left_over" ? { isReshipment: true } : {})
    },
    before: from?.supplyId ?? "",
    action: "put_in_supply",
    after: ref
  })

/**
 * A change of a turn. Its id, by what it is about and `means`, is equal for the same change of the same account, whenever it is
 * planned.
 */
export const made = (
  { account }: Pick<Known, "account">,
  around: ReturnType<typeof envelope>,
  own: Part<"kind" | "subject" | "details" | "before" | "action" | "after">,
  means: Change["after"] = own.after
): Change => {
  const irreversible = Kinds.of(own).irreversible?.(own)
  return {
    ...around,
    ...own,
    id: Hash.of({ account, slot: Kinds.slotOf(own), after: means }).slice(0, 32),
    ...(irreversible === undefined ? { reversible: true } : { reversible: false, irreversible })
  }
}

/**
 * What all changes of a turn have, beside their own. Reasons hold no ages: the same board must make the same plan at another
 * minute.
 */
export const envelope = (policy: FulfilmentPolicy, rule: string, condition: string, value: string) => ({
  origin: { by: "policy", name: policy.id, rule, line: 1 } as const,
  campaignName: "",
  reason: [note(condition, value)],
  clamps: [],
  overruled: [],
  moneyPerDayKopecks: { unknown: "nobody spends advertising money by it" }
})

/** When the car of a wave leaves, by the wave's clock: `2026-09-01 14:00 Europe/Moscow`. */
export const leaving = ({ waves }: FulfilmentPolicy, wave: string, handOverByMs: number): string => {
  const zone = waves.find(({ name }) => name === wave)?.zone ?? "UTC"
  return `${When.text(handOverByMs, zone)} ${zone}`
}
