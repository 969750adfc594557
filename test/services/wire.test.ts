import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import * as Wire from "../../src/services/Wire.js"

const acme = Either.getOrThrow(Wire.make("acme"))

describe("the operator's word", () => {
  test("replaces the neutral one in exactly the contract's names", () => {
    const neutral = {
      platformStatus: "sorted",
      supplyId: "PLATFORM-GI-SAND-12",
      unit: "PLATFORM-TRBX-7",
      platformClub: { orderCount: 1 },
      comparison: { platformClubDynamic: {} },
      orderBy: { field: "platformClub.orderSum" },
      other: { field: "stockPlatformQty" },
      stocks: { platform: 3, mp: 1 },
      stockType: "platform",
      statuses: [{ code: "arrived_at_platform_wh" }, { code: "ON_WAY_TO_PLATFORM_SC" }]
    }
    const wire = {
      acmeStatus: "sorted",
      supplyId: "ACME-GI-SAND-12",
      unit: "ACME-TRBX-7",
      acmeClub: { orderCount: 1 },
      comparison: { acmeClubDynamic: {} },
      orderBy: { field: "acmeClub.orderSum" },
      other: { field: "stockAcmeQty" },
      stocks: { acme: 3, mp: 1 },
      stockType: "acme",
      statuses: [{ code: "arrived_at_acme_wh" }, { code: "ON_WAY_TO_ACME_SC" }]
    }
    expect(acme.toWire(neutral)).toEqual(wire)
    expect(acme.fromWire(wire)).toEqual(neutral)
    expect(acme.pathToWire("/api/v1/platform-warehouses/PLATFORM-GI-1")).toBe(
      "/api/v1/acme-warehouses/ACME-GI-1"
    )
  })

  test("leaves a seller's own texts alone", () => {
    const own = { name: "platform shoes", norm_query: "platform", field: "platform", platform: "PLATFORM-9" }
    expect(acme.toWire(own)).toEqual(own)
    expect(acme.textFromWire("acme is not JSON")).toBe("acme is not JSON")
  })

  test("must be a plain lower-case word", () => {
    for (const word of ["", "A", "Acme", "a.b", "x".repeat(21)])
      expect(Either.isLeft(Wire.make(word))).toBe(true)
  })

  const key = fc.constantFrom(
    "platformStatus",
    "platformClub",
    "platformClubDynamic",
    "platform",
    "stocks",
    "stockType",
    "field",
    "code",
    "name"
  )
  const leaf = fc.oneof(
    fc.constantFrom(
      "platform",
      "PLATFORM-GI-1",
      "PLATFORM-TRBX-2",
      "stockPlatformQty",
      "platformClub.avgPrice"
    ),
    fc.constantFrom("on_way_to_platform_sc", "PLATFORM", "platform_platform", "платформа"),
    fc.integer(),
    fc.constant(null)
  )
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      leaf,
      fc.array(tie("tree"), { maxLength: 4 }),
      fc.dictionary(key, tie("tree"))
    )
  }))

  test("comes back as it went", () => {
    fc.assert(
      fc.property(tree, (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value))
        expect(acme.fromWire(acme.toWire(plain))).toEqual(plain)
        expect(JSON.parse(acme.textFromWire(acme.textToWire(JSON.stringify(plain))))).toEqual(plain)
      }),
      { seed: 7, numRuns: 300 }
    )
  })
})
