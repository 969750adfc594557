/** The way back of an order that was put into a supply. */
import { expect, it } from "vitest"
import * as OrderInSupply from "../../src/engine/kinds/fulfilment/OrderInSupply.js"
import * as SupplyRef from "../../src/engine/kinds/fulfilment/SupplyRef.js"

const putFrom = (before: string, details: { readonly isReshipment?: boolean } = {}) =>
  OrderInSupply.kind.irreversible?.({ before, details }) === undefined

it("leads to an open supply that is known only: neither out of all supplies nor into the closed one that left the order over", () => {
  expect([
    putFrom(""),
    putFrom("PLATFORM-GI-1"),
    putFrom("PLATFORM-GI-1", { isReshipment: true }),
    putFrom(OrderInSupply.elsewhere)
  ]).toEqual([false, true, false, false])
})

it("the marker of a supply stays whatever its name becomes, and a name of others has none", () => {
  expect(SupplyRef.markerOf("Мои 507 2026-09-01 noon #a1b2c3d4")).toBe("#a1b2c3d4")
  expect(SupplyRef.markerOf("Отгрузка 1 сентября")).toBeUndefined()
})
