/**
 * What the marketplace shows of orders, supplies, marks and passes that changes are about, in few calls. An order that is
 * cancelled is gone whatever list still names it: nobody packs it.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { OrderId, SupplyId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import * as Mark from "../../engine/fulfilment/marks/Mark.js"
import type { Change, Of } from "../../engine/kinds/Change.js"
import * as LabelDeletion from "../../engine/kinds/fulfilment/LabelDeletion.js"
import * as OrderCancellation from "../../engine/kinds/fulfilment/OrderCancellation.js"
import * as OrderInSupply from "../../engine/kinds/fulfilment/OrderInSupply.js"
import * as OrderMark from "../../engine/kinds/fulfilment/OrderMark.js"
import * as PassCreation from "../../engine/kinds/fulfilment/PassCreation.js"
import * as ShippingUnits from "../../engine/kinds/fulfilment/ShippingUnits.js"
import * as SupplyCreation from "../../engine/kinds/fulfilment/SupplyCreation.js"
import * as SupplyDeletion from "../../engine/kinds/fulfilment/SupplyDeletion.js"
import * as SupplyDelivery from "../../engine/kinds/fulfilment/SupplyDelivery.js"
import * as Kinds from "../../engine/kinds/Kinds.js"
import type { Live } from "../../engine/kinds/Seen.js"
import * as Labels from "../../services/areas/labels/Labels.js"
import * as OrderRecords from "../../services/areas/orders/OrderRecords.js"
import * as Orders from "../../services/areas/orders/Orders.js"
import * as Passes from "../../services/areas/passes/Passes.js"
import * as State from "../../services/areas/State.js"
import * as Supplies from "../../services/areas/supplies/Supplies.js"
import * as Units from "../../services/areas/supplies/Units.js"
import type { Client } from "../../services/MarketplaceClient.js"
import { type CallError, isMissing } from "../../services/MarketplaceError.js"
import { unreadable } from "../writes/Outcomes.js"
import type { SupplyNames } from "./SupplyNames.js"

type OrderChange = Of<
  | typeof OrderInSupply.name
  | typeof OrderMark.name
  | typeof LabelDeletion.name
  | typeof OrderCancellation.name
>
type SupplyChange = Of<
  | typeof SupplyCreation.name
  | typeof ShippingUnits.name
  | typeof SupplyDelivery.name
  | typeof SupplyDeletion.name
>

/** By the id of the change; changes of other lanes are left out. */
export const read = (
  client: Client,
  names: SupplyNames,
  changes: ReadonlyArray<Change>
): Effect.Effect<ReadonlyMap<string, Live>> =>
  Effect.gen(function* () {
    const own = changes.filter((change) => Kinds.of(change).lane === "orders")
    if (own.length === 0) return new Map()
    const ofOrders = own.filter((change): change is OrderChange => change.subject.orderId !== undefined)
    const ofSupplies = own.filter((change): change is SupplyChange => change.subject.supply !== undefined)
    const ofPasses = own.filter((change) => change.kind === PassCreation.name)
    const all = yield* Effect.all(
      [
        readOrders(client, names, ofOrders),
        readSupplies(client, names, ofSupplies),
        readPasses(client, ofPasses)
      ],
      { concurrency: "unbounded" }
    )
    return new Map(all.flat())
  })

type Lives = ReadonlyArray<readonly [id: string, live: Live]>

const readOrders = (client: Client, names: SupplyNames, changes: ReadonlyArray<OrderChange>) =>
  Effect.gen(function* () {
    if (changes.length === 0) return []
    const idsOf = (some: ReadonlyArray<OrderChange>) => some.map(({ subject }) => subject.orderId)
    const { failures, values } = yield* Orders.make(client).statuses(idsOf(changes))
    const statuses = new Map(values.map((one) => [one.orderId, one]))
    const failed = new Map(failures.flatMap(({ error, keys }) => keys.map((id) => [id, error] as const)))
    const places = yield* placesOf(client, names, changes.filter(isPlacing))
    const marks = yield* marksOf(client, idsOf(changes.filter(isMarking)))
    return changes.map((change): Lives[number] => {
      const { orderId } = change.subject
      const status = statuses.get(orderId)
      if (status === undefined)
        return [change.id, unreadable(failed.get(orderId) ?? "the marketplace does not know the order")]
      if (change.kind === OrderCancellation.name) return [change.id, statusOf(status)]
      if (OrderRecords.isFinal(status)) return [change.id, { _tag: "Gone", what: "order" }]
      return [change.id, isPlacing(change) ? places(change, status) : marks(change, status)]
    })
  })

const isPlacing = (change: Change): change is Of<typeof OrderInSupply.name> =>
  change.kind === OrderInSupply.name

const isMarking = (change: OrderChange): change is Of<typeof OrderMark.name | typeof LabelDeletion.name> =>
  change.kind === OrderMark.name || change.kind === LabelDeletion.name

const statusOf = ({ supplier }: OrderRecords.OrderState): Live => {
  const text = State.textOf(supplier)
  return text === undefined
    ? unreadable("the order's status was not answered")
    : { _tag: "Value", value: text }
}

/** In which of the supplies that a change names its order is. */
const placesOf = (
  client: Client,
  names: SupplyNames,
  changes: ReadonlyArray<Of<typeof OrderInSupply.name>>
) =>
  Effect.gen(function* () {
    const refs = [...new Set(changes.flatMap(({ after, before }) => [String(after), String(before)]))]
    const named = yield* Effect.either(
      names.resolve(refs.filter((ref) => ref !== "" && ref !== OrderInSupply.elsewhere))
    )
    const inside = new Map<string, Either.Either<ReadonlySet<OrderId>, CallError>>()
    if (named._tag === "Right")
      for (const [ref, found] of named.right) {
        if (Either.isLeft(found)) continue
        const ids = yield* Effect.either(Supplies.make(client).orderIds(found.right))
        inside.set(
          ref,
          Either.map(ids, (found) => new Set(found))
        )
      }
    return (change: Of<typeof OrderInSupply.name>, { supplier }: OrderRecords.OrderState): Live => {
      if (named._tag === "Left") return unreadable(named.left)
      for (const ref of [String(change.after), String(change.before)]) {
        const ids = inside.get(ref)
        if (ids?._tag === "Left") return unreadable(ids.left)
        if (ids?.right.has(change.subject.orderId) === true) return { _tag: "Value", value: ref }
      }
      if (supplier._tag === "new") return { _tag: "Value", value: "" }
      // A handed-over one may have been left unscanned: then the marketplace lets it move (field note O21).
      return supplier._tag === "confirm" || supplier._tag === "complete"
        ? { _tag: "Value", value: OrderInSupply.elsewhere }
        : { _tag: "Gone", what: "order" }
    }
  })

const marksOf = (client: Client, orders: ReadonlyArray<OrderId>) =>
  Effect.gen(function* () {
    const { failures, values } =
      orders.length === 0 ? { failures: [], values: [] } : yield* Labels.make(client).read(orders)
    const labels = new Map(values.map((one) => [one.orderId, one.labels]))
    const failed = new Map(failures.flatMap(({ error, keys }) => keys.map((id) => [id, error] as const)))
    return (change: OrderChange, { supplier }: OrderRecords.OrderState): Live => {
      const { orderId } = change.subject
      const own = labels.get(orderId)
      if (own === undefined)
        return unreadable(failed.get(orderId) ?? "the order's label identifiers were not answered")
      const key = isMarking(change) ? change.details.key : ""
      const ofKey = own.filter((label) => label.key === key)
      if (ofKey.length === 0) return { _tag: "Unreadable", why: `the order takes no ${key}`, isClosed: true }
      return {
        _tag: "Value",
        value: OrderMark.fingerprint(
          ofKey.flatMap(({ value }) => Mark.ofLabel(key, value).map(Mark.Mark.whole))
        ),
        ...(supplier._tag === "confirm" ? {} : { closed: "the order is not in assembly" })
      }
    }
  })

const readSupplies = (
  client: Client,
  names: SupplyNames,
  changes: ReadonlyArray<SupplyChange>
): Effect.Effect<Lives> =>
  Effect.gen(function* () {
    if (changes.length === 0) return []
    const named = yield* Effect.either(names.resolve(changes.map(({ subject }) => subject.supply)))
    return yield* Effect.forEach(changes, (change) =>
      Effect.map(
        named._tag === "Left"
          ? Effect.succeed(unreadable(named.left))
          : oneSupply(client, change, named.right.get(change.subject.supply)),
        (live) => [change.id, live] as const
      )
    )
  })

const oneSupply = (
  client: Client,
  change: SupplyChange,
  found: ReturnType<SupplyNames["resolve"]> extends Effect.Effect<ReadonlyMap<string, infer F>, unknown>
    ? F | undefined
    : never
): Effect.Effect<Live> => {
  // Several of its name, as a request makes that a network sends twice, show as surely as one that it was made.
  if (change.kind === SupplyCreation.name)
    return Effect.succeed({
      _tag: "Value",
      value: found === undefined ? "" : change.after,
      ...(found === undefined || Either.isLeft(found) ? {} : { made: found.right })
    })
  if (found === undefined || Either.isLeft(found)) return Effect.succeed({ _tag: "Gone", what: "supply" })
  return readSupply(client, change, found.right).pipe(
    Effect.catchAll((error) => Effect.succeed(isMissing(error) ? gone : unreadable(error)))
  )
}

const readSupply = (
  client: Client,
  change: SupplyChange,
  supplyId: SupplyId
): Effect.Effect<Live, CallError> =>
  Effect.gen(function* () {
    if (change.kind === ShippingUnits.name)
      return { _tag: "Value", value: (yield* Units.make(client).list(supplyId)).length }
    const { closed } = yield* Supplies.make(client).details(supplyId)
    if (change.kind === SupplyDelivery.name)
      return closed === undefined
        ? unreadable("whether the supply is closed was not answered")
        : { _tag: "Value", value: closed }
    return { _tag: "Value", value: true, ...(yield* notEmpty(client, change, supplyId)) }
  })

/** Only an empty supply is deleted, and it may have been filled since it was seen empty. */
const notEmpty = (client: Client, { kind }: SupplyChange, supplyId: SupplyId) =>
  Effect.gen(function* () {
    if (kind !== SupplyDeletion.name) return {}
    const inside = yield* Supplies.make(client).orderIds(supplyId)
    if (inside.length === 0) return {}
    return { closed: `only an empty supply is deleted, and it holds ${Plural.of(inside.length, "order")}` }
  })

const gone: Live = { _tag: "Gone", what: "supply" }

/** Until when a pass of the same car, driver and office admits; 0 where there is none. */
const readPasses = (
  client: Client,
  changes: ReadonlyArray<Of<typeof PassCreation.name>>
): Effect.Effect<Lives> =>
  Effect.gen(function* () {
    if (changes.length === 0) return []
    const listed = yield* Effect.either(Passes.make(client).listAll)
    return changes.map(({ details, id }): Lives[number] => {
      if (listed._tag === "Left") return [id, unreadable(listed.left)]
      const same = listed.right.filter((pass) => Passes.same(pass, details))
      const [last] = same.toSorted((a, b) => (b.validUntilMs ?? 0) - (a.validUntilMs ?? 0))
      return [
        id,
        {
          _tag: "Value",
          value: Math.max(0, last?.validUntilMs ?? 0),
          ...(last === undefined ? {} : { made: String(last.passId) })
        }
      ]
    })
  })
