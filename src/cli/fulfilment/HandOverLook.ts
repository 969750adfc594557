/** Reads everything that a hand-over may fail for, and checks it. Needs the layers of `Planning`. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { OrderId, SupplyId } from "../../domain/Ids.js"
import * as HandOver from "../../engine/fulfilment/HandOver.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import * as SupplyWaves from "../../engine/planning/SupplyWaves.js"
import * as HandOverParts from "../../marketplace/fulfilment/HandOverParts.js"
import * as OrderLook from "../../marketplace/fulfilment/OrderLook.js"
import * as Parcels from "../../marketplace/fulfilment/Parcels.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as HandOverWords from "../../reporting/fulfilment/HandOverWords.js"
import * as Labels from "../../services/areas/labels/Labels.js"
import * as Orders from "../../services/areas/orders/Orders.js"
import * as Passes from "../../services/areas/passes/Passes.js"
import * as State from "../../services/areas/State.js"
import * as Supplies from "../../services/areas/supplies/Supplies.js"
import type { Supply } from "../../services/areas/supplies/SupplyRecords.js"
import * as Units from "../../services/areas/supplies/Units.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import { isMissing } from "../../services/MarketplaceError.js"
import { PackingTables } from "../../services/ports/PackingTables.js"
import * as Account from "../account/Account.js"
import { stop } from "../terminal/Stop.js"

export interface Looked {
  readonly supply: Supply
  readonly orders: ReadonlyArray<OrderId>
  readonly checked: HandOver.Checked
  /** Of its orders those that were packed into it at a table of ours. */
  readonly packed: ReadonlySet<OrderId>
}

/** What the person says of a supply. */
export interface Said {
  /** Shipping data are obligatory. */
  readonly shipping: boolean
  /** The goods of what does not go are out of the parcels. */
  readonly takenOut?: boolean
  /** What the table did not scan is packed all the same. */
  readonly allPacked?: boolean
}

/** Everything of a supply read now. Fails where the supply or its orders cannot be read. */
export const look = (chosen: Account.Chosen, rules: RuleSet, supplyId: SupplyId, said: Said) =>
  Effect.gen(function* () {
    const client = yield* MarketplaceClient
    const supplies = Supplies.make(client)
    const supply = yield* details(supplyId)
    const ids = yield* supplies.orderIds(supplyId)
    const { left, packed, scanned } = yield* Parcels.look(chosen.name, supplyId, ids)
    const statuses = yield* Orders.make(client).statuses([...ids, ...left])
    const labels = yield* Labels.make(client).read(ids)
    const statusOf = new Map(statuses.values.map((one) => [one.orderId, one]))
    const labelsOf = new Map(labels.values.map((one) => [one.orderId, one.labels]))
    const stateOf = (orderId: OrderId) => {
      const status = statusOf.get(orderId)
      return {
        orderId,
        status: status === undefined ? undefined : State.textOf(status.supplier),
        platformStatus: status === undefined ? undefined : State.textOf(status.platform)
      }
    }
    const pass = yield* passAsked(chosen, rules, supply, ids)
    const nowMs = yield* Clock.currentTimeMillis
    const checked = HandOver.check({
      supply: HandOverParts.supply(
        supply,
        supply.pickupPointAllowed === false ? 0 : yield* unitsOf(supplyId)
      ),
      orders: ids.map((orderId) => ({
        ...stateOf(orderId),
        // The record itself says "required" of what must be there; where it is unread, that alone stops.
        required: [],
        labels: labelsOf.get(orderId)?.map(HandOverParts.label)
      })),
      parcels: left.map(stateOf),
      packed,
      scanned: said.allPacked === true ? undefined : scanned,
      packer: yield* (yield* PackingTables).packerOf(chosen.name, supplyId),
      shippingRequired: said.shipping,
      ...pass,
      nowMs
    })
    return { supply, orders: ids, checked, packed } satisfies Looked
  })

/** What lets the others go, with what was said already, and whether parcels have to be taken out of the pile before it. */
export const withoutThose = (chosen: Account.Chosen, { checked, packed, supply }: Looked, said: Said) => {
  const { moveOut, takeOut, waitFor } = checked
  const out = [...moveOut, ...waitFor]
  const hasParcels = takeOut.length > 0 || out.some((orderId) => packed.has(orderId))
  const words = [
    `bidhelm supplies deliver ${supply.supplyId}`,
    ...(out.length > 0 ? ["--move-out NAME"] : []),
    ...(hasParcels || said.takenOut === true ? ["--taken-out"] : []),
    ...(said.allPacked === true ? ["--all-packed"] : []),
    ...(said.shipping ? ["--shipping"] : [])
  ]
  return {
    command: Account.told(chosen, words.join(" ")),
    hasParcels
  }
}

/** The record of a supply; one that is not there ends the command with a sentence. */
export const details = (supplyId: SupplyId) =>
  Effect.gen(function* () {
    return yield* Effect.catchIf(Supplies.make(yield* MarketplaceClient).details(supplyId), isMissing, () =>
      stop(1, `there is no supply ${supplyId} on this account`)
    )
  })

const unitsOf = (supplyId: SupplyId) =>
  Effect.gen(function* () {
    const listed = yield* Effect.either(Units.make(yield* MarketplaceClient).list(supplyId))
    return Either.isRight(listed) ? listed.right.length : undefined
  })

/** Whether a pass is needed for where its orders go, by the policy of their warehouse, and when the car comes. */
const passAsked = (chosen: Account.Chosen, rules: RuleSet, supply: Supply, ids: ReadonlyArray<OrderId>) =>
  Effect.gen(function* () {
    const none = { passForm: undefined, passes: undefined, handOverAtMs: undefined }
    const asking = rules.fulfilment.filter(({ passes }) => passes !== undefined)
    if (asking.length === 0 || ids.length === 0) return none
    const client = yield* MarketplaceClient
    // All orders of a supply are of one warehouse.
    const { found } = yield* OrderLook.find(
      client,
      ids,
      supply.createdAtMs,
      (some) => OrderLook.houseOf(some, ids) !== undefined
    )
    const house = OrderLook.houseOf(found, ids)
    const policy = asking.find(({ warehouseIds }) => warehouseIds.some((id) => id === house))
    if (policy?.passes === undefined) return none
    const listed = yield* Effect.either(Passes.make(client).listAll)
    return {
      passForm: policy.passes,
      passes: Either.isRight(listed) ? HandOverParts.passes(listed.right) : undefined,
      handOverAtMs: (yield* SupplyWaves.read(chosen.name, rules.fulfilment)).of(HandOverParts.named(supply))
        ?.handOverByMs
    }
  })

/** One line per reason: what it is, and what to do. */
export const lines = ({ doubts, reasons }: HandOver.Checked, zone: string): ReadonlyArray<string> => [
  ...reasons.map((reason) => sentence(HandOverWords.ofReason(reason, zone))),
  ...doubts.map((doubt) => `perhaps: ${sentence(HandOverWords.ofDoubt(doubt))}`)
]

const sentence = ({ remedy, says }: HandOverWords.Words): string =>
  `${cleanLine(says)} → ${cleanLine(remedy)}`

/** The same for a program. */
export const asJson = (checked: HandOver.Checked, zone: string) => ({
  reasons: checked.reasons.map((reason) => ({ ...reason, ...HandOverWords.ofReason(reason, zone) })),
  doubts: checked.doubts.map((doubt) => ({ ...doubt, ...HandOverWords.ofDoubt(doubt) })),
  moveOut: checked.moveOut,
  unread: checked.unread,
  waitFor: checked.waitFor,
  takeOut: checked.takeOut,
  rest: checked.rest,
  restCanGo: checked.restCanGo
})
