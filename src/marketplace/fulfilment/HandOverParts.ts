/** Records of supplies, labels and passes as `engine/fulfilment/HandOver` looks at them. */
import type * as Assembly from "../../engine/fulfilment/Assembly.js"
import type * as HandOver from "../../engine/fulfilment/HandOver.js"
import type * as Verdict from "../../engine/fulfilment/marks/Verdict.js"
import type { Listed } from "../../engine/fulfilment/Passes.js"
import type * as LabelRecords from "../../services/areas/labels/LabelRecords.js"
import type { Pass } from "../../services/areas/passes/Passes.js"
import * as State from "../../services/areas/State.js"
import type { Supply } from "../../services/areas/supplies/SupplyRecords.js"

/** `units`: how many shipping units it has; undefined where they were not read. */
export const supply = (record: Supply, units: number | undefined): HandOver.Supply => {
  const { method } = record.shipping
  return {
    supplyId: record.supplyId,
    closed: record.closed,
    scannedAtMs: record.scannedAtMs,
    shipping: {
      method: method === undefined ? undefined : State.textOf(method),
      day: record.shipping.day,
      pointId: record.shipping.pointId,
      // No operation tells what kind of point a number is.
      isPickupPoint: undefined,
      waybillUuid: record.shipping.waybillUuid
    },
    pickupPointAllowed: record.pickupPointAllowed,
    units
  }
}

/** What tells the wave that a supply was made for. */
export const named = ({ b2b, cargo, createdAtMs, crossBorder, name = "" }: Supply): Assembly.Named => ({
  name,
  createdAtMs,
  cargo: cargo === undefined ? undefined : State.textOf(cargo),
  crossBorder,
  b2b
})

/** Passes with what decides whom they admit; one without an office admits nobody. */
export const passes = (listed: ReadonlyArray<Pass>): ReadonlyArray<Listed> =>
  listed.flatMap(
    ({ carModel = "", carNumber = "", firstName = "", lastName = "", officeId, validUntilMs }) =>
      officeId === undefined ? [] : [{ carModel, carNumber, firstName, lastName, officeId, validUntilMs }]
  )

/** A label as verdicts are made of it. */
export const label = ({ decision, key, value }: LabelRecords.Label): Verdict.Label => ({
  key,
  value,
  decision: State.textOf(decision)
})
