/** Changes of fulfilment as requests: supplies made, filled, handed over and deleted; marks, units, cancellations, passes. */
import * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { OrderId } from "../../domain/Ids.js"
import { type BareCode, of as reasonOf } from "../../domain/OutcomeReason.js"
import type { WritePermit } from "../../domain/WritePermit.js"
import type { WriteBatch, WriteOutcome } from "../../engine/door/Writer.js"
import type { Change, Of } from "../../engine/kinds/Change.js"
import type * as LabelDeletion from "../../engine/kinds/fulfilment/LabelDeletion.js"
import type * as OrderCancellation from "../../engine/kinds/fulfilment/OrderCancellation.js"
import type * as OrderInSupply from "../../engine/kinds/fulfilment/OrderInSupply.js"
import * as OrderMark from "../../engine/kinds/fulfilment/OrderMark.js"
import type * as PassCreation from "../../engine/kinds/fulfilment/PassCreation.js"
import type * as ShippingUnits from "../../engine/kinds/fulfilment/ShippingUnits.js"
import type * as SupplyCreation from "../../engine/kinds/fulfilment/SupplyCreation.js"
import type * as SupplyDeletion from "../../engine/kinds/fulfilment/SupplyDeletion.js"
import type * as SupplyDelivery from "../../engine/kinds/fulfilment/SupplyDelivery.js"
import * as Labels from "../../services/areas/labels/Labels.js"
import * as Orders from "../../services/areas/orders/Orders.js"
import * as Passes from "../../services/areas/passes/Passes.js"
import * as Supplies from "../../services/areas/supplies/Supplies.js"
import * as Units from "../../services/areas/supplies/Units.js"
import type { Client } from "../../services/MarketplaceClient.js"
import type { CallError } from "../../services/MarketplaceError.js"
import { local, Refused } from "../../services/MarketplaceError.js"
import type { MarkVault } from "../../services/ports/MarkVault.js"
import type { OrderEvents } from "../../services/ports/OrderEvents.js"
import type { PackingTables } from "../../services/ports/PackingTables.js"
import type { SupplyOrders } from "../../services/ports/SupplyOrders.js"
import * as Outcomes from "../writes/Outcomes.js"
import * as KeptMarks from "./KeptMarks.js"
import * as MarkHolders from "./MarkHolders.js"
import * as StillFit from "./StillFit.js"
import type * as SupplyNames from "./SupplyNames.js"

/** Most orders of one call (seed 000 "Supplies"). */
const mostOrders = 100

type Sent<A = unknown> = Effect.Effect<A, CallError, WritePermit>

/** What is known here of packing: what was packed, and who packs at this moment. */
export type Packed = Context.Context<OrderEvents | PackingTables | SupplyOrders>

/** Makes the requests of one account. Marks are looked up when their request leaves; without a vault none is sent. */
export const make = (
  client: Client,
  names: SupplyNames.SupplyNames,
  packed: Packed,
  vault: Option.Option<typeof MarkVault.Service>
) => {
  const orders = Orders.make(client)
  const supplies = Supplies.make(client)
  const labels = Labels.make(client)
  const passes = Passes.make(client)
  const units = Units.make(client)

  const creation = (change: Of<typeof SupplyCreation.name>): WriteBatch => {
    const { name } = change.details
    const send = Effect.tap(supplies.create(name), (supplyId) =>
      Effect.sync(() => names.made(name, supplyId))
    )
    return making("createSupply", change, { name }, send)
  }

  /** Up to a hundred orders of one supply; the service halves what is refused, and says of each what became of it (O10). */
  const filling = (changes: ReadonlyArray<Of<typeof OrderInSupply.name>>): ReadonlyArray<WriteBatch> =>
    Object.entries(Arr.groupBy(changes, ({ after }) => String(after))).flatMap(([ref, own]) =>
      Arr.chunksOf(own, mostOrders).map((chunk) => {
        const ids = chunk.map(({ subject }) => subject.orderId)
        return Outcomes.batch(
          "addOrdersToSupply",
          chunk,
          { supply: ref, orders: ids },
          Effect.gen(function* () {
            const found = yield* names.resolve([ref])
            const supply = found.get(ref) ?? Either.left(reasonOf("supply_not_found"))
            if (Either.isLeft(supply)) return forAll(chunk, { _tag: "NotSent", reason: supply.left })
            return filled(chunk, yield* supplies.addOrders(supply.right, ids))
          }).pipe(Effect.catchAll((error) => Effect.succeed(forAll(chunk, Outcomes.ofError(error)))))
        )
      })
    )

  const mark = (
    change: Of<typeof OrderMark.name>,
    own: typeof MarkVault.Service,
    holders: MarkHolders.MarkHolders
  ) =>
    Effect.gen(function* () {
      const { details, subject } = change
      const { key } = details
      const marks = yield* KeptMarks.of(client.account, own, change)
      if (marks === undefined) return forAll([change], notSent("mark_not_kept"))
      const reason = yield* holders.against(subject.orderId, key, marks)
      if (reason !== undefined) return forAll([change], MarkHolders.unsent(reason))
      yield* KeptMarks.keepFormer(client, own, change)
      const outcomes = yield* outcomeOf([change], sending(labels, subject.orderId, key, marks))
      if (mayBeSet(outcomes.get(change.id))) holders.took(subject.orderId, key, marks)
      return outcomes
    })

  return {
    creations: (changes: ReadonlyArray<Of<typeof SupplyCreation.name>>) => changes.map(creation),
    filling,
    marks: (changes: ReadonlyArray<Of<typeof OrderMark.name>>) => {
      const kept = Option.map(vault, (own) => ({ own, holders: MarkHolders.make(client, own) }))
      return changes.map((change) => {
        const { after, details, subject } = change
        const send = Option.match(kept, {
          onNone: () => Effect.succeed(forAll([change], notSent("mark_not_kept"))),
          onSome: ({ holders, own }) => mark(change, own, holders)
        })
        const body = { orderId: subject.orderId, key: details.key, after }
        return Outcomes.batch(OrderMark.operationOf[details.key], [change], body, send)
      })
    },
    labelDeletions: (changes: ReadonlyArray<Of<typeof LabelDeletion.name>>) =>
      changes.map((change) => {
        const { details, subject } = change
        const { key } = details
        const send: Sent =
          key === "expiration"
            ? Effect.fail(
                new Refused(local("deleteOrderLabel", "an expiration date is only replaced, never removed"))
              )
            : labels.remove(subject.orderId, key)
        return single("deleteOrderLabel", change, { orderId: subject.orderId, key }, send)
      }),
    units: (changes: ReadonlyArray<Of<typeof ShippingUnits.name>>) =>
      changes.map((change) => {
        const amount = Number(change.after) - Number(change.before)
        const { supply } = change.subject
        return single(
          "addShippingUnits",
          change,
          { supply, amount },
          ofSupply(names, supply, (id) => units.add(id, amount))
        )
      }),
    deliveries: (changes: ReadonlyArray<Of<typeof SupplyDelivery.name>>) =>
      changes.map((change) => {
        const { supply } = change.subject
        const send = outcomeOf([change], ofSupply(names, supply, supplies.deliver))
        return Outcomes.batch(
          "deliverSupply",
          [change],
          { supply },
          stillFit(client, names, packed, change, send)
        )
      }),
    cancellations: (changes: ReadonlyArray<Of<typeof OrderCancellation.name>>) =>
      changes.map((change) => {
        const { orderId } = change.subject
        // A refusal of one that was cancelled meanwhile is success (field note O11).
        const send = Effect.catchAll(orders.cancel(orderId), (error) =>
          Effect.flatMap(
            Effect.orElseSucceed(orders.isCancelled(orderId, error), () => false),
            (isCancelled) => (isCancelled ? Effect.void : Effect.fail(error))
          )
        )
        return single("cancelOrder", change, { orderId }, send)
      }),
    supplyDeletions: (changes: ReadonlyArray<Of<typeof SupplyDeletion.name>>) =>
      changes.map((change) => {
        const { supply } = change.subject
        return single("deleteSupply", change, { supply }, ofSupply(names, supply, supplies.delete))
      }),
    passes: (changes: ReadonlyArray<Of<typeof PassCreation.name>>) =>
      changes.map((change) => {
        const checked = Passes.check(change.details)
        const send: Sent<number> = Either.isLeft(checked)
          ? Effect.fail(new Refused(local("createPass", checked.left.join("; "))))
          : passes.create(checked.right)
        return making("createPass", change, change.details, send)
      })
  }
}

const forAll = Outcomes.forAll
const mayBeSet = (outcome: WriteOutcome | undefined): boolean =>
  outcome === undefined || outcome._tag === "Accepted" || outcome._tag === "Unknown"
const notSent = (code: BareCode): WriteOutcome => ({ _tag: "NotSent", reason: reasonOf(code) })

const single = (operation: string, change: Change, body: unknown, send: Sent): WriteBatch =>
  Outcomes.batch(operation, [change], body, outcomeOf([change], send))

/** Of what is made the row keeps the id. */
const making = (operation: string, change: Change, body: unknown, send: Sent<number | string>): WriteBatch =>
  Outcomes.batch(
    operation,
    [change],
    body,
    Effect.match(send, {
      onSuccess: (id) => forAll([change], Outcomes.made(id)),
      onFailure: (error) => forAll([change], Outcomes.ofError(error))
    })
  )

const outcomeOf = (changes: ReadonlyArray<Change>, send: Sent) =>
  Effect.match(send, {
    onSuccess: () => forAll(changes, Outcomes.accepted),
    onFailure: (error) => forAll(changes, Outcomes.ofError(error))
  })

type Outcome = ReturnType<typeof outcomeOf>

/**
 * Hands over what was agreed to, only if it may still go. A person who hands over says of cancelled orders that their goods are out of
 * the parcel, or was stopped by them; a policy does not know.
 */
const stillFit = (
  client: Client,
  names: SupplyNames.SupplyNames,
  packed: Packed,
  change: Of<typeof SupplyDelivery.name>,
  send: Outcome
): Outcome =>
  Effect.gen(function* () {
    const { orderIds } = change.details
    if (orderIds === undefined) return forAll([change], notSent("hand_over_unnamed"))
    const found = yield* Effect.either(names.resolve([change.subject.supply]))
    if (Either.isLeft(found))
      return forAll([change], { _tag: "NotSent", reason: StillFit.unread(found.left) })
    const supply = found.right.get(change.subject.supply)
    if (supply === undefined || Either.isLeft(supply)) return forAll([change], notSent("hand_over_unread"))
    const reason = yield* StillFit.look(client, supply.right, orderIds, change.origin.by !== "policy").pipe(
      Effect.provide(packed)
    )
    return reason === undefined ? yield* send : forAll([change], { _tag: "NotSent", reason })
  })

/** A call of a supply that a change may name by the name it was made under. */
const ofSupply = (
  names: SupplyNames.SupplyNames,
  ref: string,
  call: (supplyId: ReturnType<typeof SupplyNames.idOf>) => Sent
): Sent =>
  Effect.flatMap(names.resolve([ref]), (found) => {
    const supply = found.get(ref)
    return supply === undefined || Either.isLeft(supply)
      ? Effect.fail(new Refused(local("getSupply", `${ref} is not among the supplies`)))
      : call(supply.right)
  })

/** What was accepted is in; of what was not, an order that was refused alone is unfit, the others may be tried again. */
const filled = (
  changes: ReadonlyArray<Of<typeof OrderInSupply.name>>,
  { added, refused }: Supplies.Added
): ReadonlyMap<string, WriteOutcome> => {
  const inside = new Set(added)
  const outside = new Map(refused.map((one) => [one.orderId, one]))
  return new Map(
    changes.flatMap(({ id, subject: { orderId } }) => {
      const one = outside.get(orderId)
      if (inside.has(orderId)) return [[id, Outcomes.accepted] as const]
      return one === undefined ? [] : [[id, leftOut(one, inside.size > 0)] as const]
    })
  )
}

/**
 * A batch with an unfit order is refused as a whole (409, field note O10): that says nothing of the others. Where none goes in at
 * all, it is not one order that does not fit.
 */
const leftOut = ({ alone, error }: Supplies.Added["refused"][number], someGoIn: boolean): WriteOutcome =>
  someGoIn && !alone && error._tag === "Refused" && error.status === 409
    ? notSent("refused_together")
    : Outcomes.ofError(error)

const sending = (
  labels: ReturnType<typeof Labels.make>,
  orderId: OrderId,
  key: Of<typeof OrderMark.name>["details"]["key"],
  marks: ReadonlyArray<string>
): Sent => {
  const [first = ""] = marks
  switch (key) {
    case "sgtin":
      return labels.setSgtins(orderId, marks)
    case "uin":
      return labels.setUin(orderId, first)
    case "imei":
      return labels.setImei(orderId, first)
    case "gtin":
      return labels.setGtin(orderId, first)
    case "expiration":
      return labels.setExpiration(orderId, first)
    case "customsDeclaration":
      return labels.setCustomsDeclaration(orderId, first)
  }
}
