/** Everything that stops a hand-over is known before, each with its remedy, and the rest can go. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Days from "../../src/domain/Days.js"
import { OrderId, SupplyId } from "../../src/domain/Ids.js"
import * as HandOver from "../../src/engine/fulfilment/HandOver.js"
import * as Verdict from "../../src/engine/fulfilment/marks/Verdict.js"
import * as HandOverWords from "../../src/reporting/fulfilment/HandOverWords.js"
import * as Depth from "../Depth.js"

const nowMs = Date.parse("2026-09-01T10:00:00Z")
const hourMs = 3_600_000
const form = { firstName: "Anna", lastName: "Petrova", carModel: "GAZ", carNumber: "A123BC77", officeId: 77 }
const id = (n: number) => OrderId.make(n)
const label = (
  key: string,
  decision: string | null | undefined = "filled",
  value: string | undefined = "x"
) => ({
  key,
  value,
  decision
})

const order = (n: number, over: Partial<HandOver.SupplyOrder> = {}): HandOver.SupplyOrder => ({
  orderId: id(n),
  status: "confirm",
  platformStatus: "waiting",
  required: [],
  labels: [],
  ...over
})

const supply: HandOver.Supply = {
  supplyId: SupplyId.make("PLATFORM-GI-1"),
  closed: false,
  scannedAtMs: undefined,
  shipping: {
    method: "selfShipping",
    day: Days.Day("2026-09-01"),
    pointId: 5,
    isPickupPoint: false,
    waybillUuid: undefined
  },
  pickupPointAllowed: true,
  units: 0
}

const ready: HandOver.Situation = {
  supply,
  orders: [order(1), order(2), order(3)],
  parcels: [],
  packed: new Set(),
  scanned: undefined,
  packer: undefined,
  shippingRequired: true,
  passForm: form,
  passes: [{ ...form, validUntilMs: nowMs + 20 * hourMs }],
  handOverAtMs: nowMs + 2 * hourMs,
  nowMs
}

const codes = (situation: Partial<HandOver.Situation>) =>
  HandOver.check({ ...ready, ...situation }).reasons.map(({ code }) => code)
const ofOrder = (over: Partial<HandOver.SupplyOrder>) => codes({ orders: [order(1, over), order(2)] })
const ofSupply = (over: Partial<HandOver.Supply>) => codes({ supply: { ...supply, ...over } })
const shipped = (over: Partial<HandOver.Supply["shipping"]>) => ({
  shipping: { ...supply.shipping, ...over }
})

describe("the check before a hand-over", () => {
  it("waits for the parcel of an order that left, unless the marketplace has its goods already", () => {
    const parcel = (platformStatus: string | undefined) => ({
      ...ready,
      parcels: [{ orderId: order(9).orderId, status: "complete", platformStatus }]
    })
    for (const status of ["waiting", "sent_to_carrier", "not known", undefined])
      expect(HandOver.check(parcel(status)).takeOut).toEqual([order(9).orderId])
    for (const status of ["sorted", "ready_for_pickup", "sold"])
      expect(HandOver.check(parcel(status)).reasons).toEqual([])
  })

  it("tells a cancelled order that stays in the supply apart: its parcel is in the pile, out of it, or nobody knows", () => {
    const orders = [order(1), order(2, { platformStatus: "declined_by_client" })]
    const remedy = (table: Partial<HandOver.Situation>) => {
      const checked = HandOver.check({ ...ready, ...table, orders })
      expect(checked).toMatchObject({ takeOut: [2], rest: [1], restCanGo: true })
      return HandOverWords.ofReason(checked.reasons[0]!, "UTC").remedy
    }
    const rest = "hand the others over with bidhelm supplies deliver and --taken-out"
    const takeOut = `take its goods out of the parcel, then ${rest}`
    expect(remedy({})).toBe(takeOut)
    expect(remedy({ scanned: new Set([1, 2].map(id)), packed: new Set([1, 2].map(id)) })).toBe(takeOut)
    expect(remedy({ scanned: new Set([id(1)]), packed: new Set([id(1)]) })).toBe(
      `${rest}: by the packing table its goods are in no parcel`
    )
  })

  it("promises nothing for the others while a mark of an order that its buyer cancelled stops the supply: nobody can mend it", () => {
    const held = (labels: HandOver.SupplyOrder["labels"]) =>
      HandOver.check({
        ...ready,
        orders: [order(1), order(2, { platformStatus: "canceled_by_client", labels })]
      })
    const remedies = (checked: HandOver.Checked) =>
      checked.reasons.map((reason) => HandOverWords.ofReason(reason, "UTC").remedy)
    const others = /move its other orders to another supply with bidhelm supplies move/
    for (const label_ of [label("sgtin", "required", undefined), label("sgtin", "sgtinWithdrawn")]) {
      const checked = held([label_])
      expect(checked).toMatchObject({ takeOut: [2], moveOut: [], waitFor: [], restCanGo: false })
      expect(remedies(checked)).toEqual(["take its goods out of the parcel", expect.stringMatching(others)])
    }
    const pending = held([label("sgtin", "pending")])
    expect([pending.restCanGo, pending.waitFor]).toEqual([false, []])
    expect(remedies(pending)[1]).toMatch(/^wait until the check ends; .*supplies move/)
    expect(held(undefined)).toMatchObject({ restCanGo: false, takeOut: [2] })
    expect(held([label("sgtin")])).toMatchObject({ restCanGo: true, reasons: [{ code: "order_cancelled" }] })
    // What the seller cancelled leaves the supply by itself.
    const own = [order(1), order(2, { status: "cancel", labels: [label("sgtin", "required", undefined)] })]
    expect(HandOver.check({ ...ready, orders: own }).restCanGo).toBe(true)
  })

  it("waits for what a table did not scan where it scanned others, but not for what cannot go itself", () => {
    const half = { ...ready, scanned: new Set([id(1)]) }
    const checked = HandOver.check(half)
    expect(checked).toMatchObject({ restCanGo: false, moveOut: [], rest: [1, 2, 3] })
    expect(checked.reasons).toEqual([{ code: "packed_in_part", left: [2, 3] }])
    const lacking = [order(1), order(2, { labels: [label("sgtin", "required", undefined)] })]
    expect(HandOver.check({ ...half, orders: lacking })).toMatchObject({
      reasons: [{ code: "mark_missing" }],
      moveOut: [2],
      restCanGo: true
    })
    expect(HandOver.check({ ...ready, scanned: new Set([1, 2, 3].map(id)) }).reasons).toEqual([])
    expect(HandOver.check({ ...half, packer: "pid 7 on desk" }).reasons).toMatchObject([
      { code: "being_packed" }
    ])
    expect(HandOver.check({ ...ready, scanned: new Set() }).reasons).toMatchObject([{ left: [1, 2, 3] }])
  })

  it("lets no part of a supply go while somebody packs it, and says who", () => {
    const checked = HandOver.check({
      ...ready,
      packer: "pid 7 on desk",
      orders: [order(1, { labels: undefined })]
    })
    expect(checked).toMatchObject({ restCanGo: false, takeOut: [] })
    expect(HandOver.check({ ...ready, packer: "pid 7 on desk" }).reasons).toEqual([
      { code: "being_packed", packer: "pid 7 on desk" }
    ])
    expect(HandOverWords.ofReason({ code: "being_packed", packer: "pid 7 on desk" }, "UTC")).toEqual({
      says: "the supply is being packed at a table (pid 7 on desk)",
      remedy: "pack what is left of it, or end packing there"
    })
  })

  it("finds nothing in a supply that is ready", () => {
    expect(HandOver.check(ready)).toEqual({
      supplyId: supply.supplyId,
      reasons: [],
      doubts: [],
      moveOut: [],
      unread: [],
      waitFor: [],
      takeOut: [],
      rest: [1, 2, 3],
      restCanGo: true
    })
  })

  it("asks nothing of the orders of a supply that is gone: they went with it", () => {
    const gone = { supply: { ...supply, closed: true, units: 9 }, orders: [order(1, { status: "complete" })] }
    expect(HandOver.check({ ...ready, ...gone })).toMatchObject({
      reasons: [{ code: "closed_already" }],
      doubts: [],
      moveOut: [],
      rest: [],
      restCanGo: false
    })
  })

  it("does not say of a scanned supply that it closed by itself: somebody may have handed it over before", () => {
    expect(HandOverWords.ofReason({ code: "scanned_already", atMs: nowMs }, "UTC")).toEqual({
      says: "the supply is closed already, and was scanned at 2026-09-01 10:00",
      remedy: "look in the evening which of its orders were not accepted: they come back for reshipment"
    })
  })

  it("names what the supply itself lacks", () => {
    expect(ofSupply({ closed: true })).toEqual(["closed_already"])
    expect(ofSupply({ closed: true, scannedAtMs: nowMs })).toEqual(["scanned_already"])
    expect(ofSupply({ closed: undefined })).toEqual(["state_unknown"])
    expect(codes({ orders: [] })).toEqual(["no_orders"])
    expect(ofSupply(shipped({ method: undefined, day: undefined, pointId: undefined }))).toEqual(
      Array(3).fill("shipping_missing")
    )
    expect(ofSupply(shipped({ method: "transportCompany" }))).toEqual(["shipping_missing"])
    expect(ofSupply(shipped({ method: "pigeon" }))).toEqual(["shipping_method_unknown"])
    expect(ofSupply(shipped({ day: Days.Day("2026-08-31") }))).toEqual(["shipping_day_past"])
    expect(ofSupply({ ...shipped({ isPickupPoint: true }), pickupPointAllowed: false })).toEqual([
      "pickup_point_not_allowed"
    ])
    expect(ofSupply({ units: 1 })).toEqual([])
    expect(ofSupply({ units: 2 })).toEqual(["units_too_many"])
    expect(ofSupply({ units: 1, pickupPointAllowed: false })).toEqual(["units_unwanted"])
    expect(ofSupply({ ...shipped({ isPickupPoint: true }), units: undefined })).toEqual(["units_unread"])
  })

  it("counts the shipping day by the market's day", () => {
    const lateMs = Date.parse("2026-09-01T21:30:00Z")
    expect(codes({ nowMs: lateMs, handOverAtMs: undefined })).toEqual(["shipping_day_past"])
  })

  it("makes doubts of shipping data where the seller may not need them", () => {
    const { doubts, reasons } = HandOver.check({
      ...ready,
      shippingRequired: false,
      supply: { ...supply, ...shipped({ method: undefined }) }
    })
    expect([reasons, doubts.map(({ code }) => code)]).toEqual([[], ["shipping_missing"]])
  })

  it("believes no pass of another car or driver, however the list spells its own", () => {
    const passes = (over: Partial<typeof form>) =>
      codes({ passes: [{ ...form, ...over, validUntilMs: nowMs + 20 * hourMs }] })
    expect(passes({ carNumber: "B777BB77" })).toEqual(["pass_missing"])
    expect(passes({ firstName: "Oleg" })).toEqual(["pass_missing"])
    expect(passes({ carNumber: " a123bc77", carModel: "other" })).toEqual([])
  })

  it("believes no pass that is of another office, ended, ends before the car comes, or has no end", () => {
    const passes = (officeId: number, validUntilMs: number | undefined) =>
      codes({ passes: [{ ...form, officeId, validUntilMs }] })
    expect(passes(78, nowMs + 20 * hourMs)).toEqual(["pass_missing"])
    expect(passes(77, nowMs)).toEqual(["pass_missing"])
    expect(passes(77, undefined)).toEqual(["pass_missing"])
    expect(passes(77, nowMs + hourMs)).toEqual(["pass_ends_early"])
    expect(passes(77, nowMs + 2 * hourMs)).toEqual([])
    expect(codes({ passes: undefined })).toEqual(["passes_unread"])
    expect(codes({ passForm: undefined, passes: undefined })).toEqual([])
    expect(HandOver.check({ ...ready, handOverAtMs: undefined }).doubts).toEqual([
      { code: "hand_over_time_unknown" }
    ])
  })

  it("names what is in the way of each order, and blocks on what is not known", () => {
    expect(ofOrder({ status: "cancel" })).toEqual(["order_cancelled"])
    expect(ofOrder({ platformStatus: "declined_by_client" })).toEqual(["order_cancelled"])
    expect(ofOrder({ status: "complete" })).toEqual(["order_not_in_assembly"])
    expect(ofOrder({ status: undefined })).toEqual(["status_unread"])
    expect(ofOrder({ required: undefined })).toEqual(["required_unread"])
    expect(ofOrder({ labels: undefined })).toEqual(["labels_unread"])
    expect(ofOrder({ required: ["sgtin"] })).toEqual(["mark_not_exposed"])
    expect(ofOrder({ labels: [label("sgtin", "required", undefined)] })).toEqual(["mark_missing"])
    expect(ofOrder({ labels: [label("sgtin", "pending"), label("imei", "imeiAlreadySold")] })).toEqual([
      "mark_pending",
      "mark_refused"
    ])
    expect(ofOrder({ labels: [label("sgtin", null)] })).toEqual(["mark_refused"])
    expect(
      ofOrder({ required: ["customsDeclaration"], labels: [label("customsDeclaration", "optional")] })
    ).toEqual([])
  })

  it("tells which orders to move out, to wait for and to take out, so that the rest can go", () => {
    const orders = [
      order(4, { labels: [label("sgtin", "sgtinWithdrawn")] }),
      order(3, { labels: [label("sgtin", "pending")] }),
      order(2, { status: "cancel" }),
      order(1)
    ]
    const checked = HandOver.check({ ...ready, orders })
    expect(checked).toMatchObject({ moveOut: [4], waitFor: [3], takeOut: [2], rest: [1], restCanGo: true })
    expect(checked.unread).toEqual([])
    const unread = [order(1), order(5, { labels: undefined }), order(6, { status: undefined })]
    expect(HandOver.check({ ...ready, orders: unread })).toMatchObject({ moveOut: [5, 6], unread: [5, 6] })
    const failing = order(7, { status: undefined, labels: [label("sgtin", "sgtinWithdrawn")] })
    expect(HandOver.check({ ...ready, orders: [failing] }).unread).toEqual([])
    expect(HandOver.check({ ...ready, orders: orders.slice(0, 3) }).restCanGo).toBe(false)
    expect(HandOver.check({ ...ready, orders, passes: [] }).restCanGo).toBe(false)
  })

  it("puts every order into one place, and the rest alone has nothing in its way", () => {
    const decision = fc.constantFrom(
      ...Verdict.refusals,
      ...Verdict.allowances,
      "pending",
      "odd",
      null,
      undefined
    )
    const some = fc.record({
      status: fc.constantFrom("confirm", "confirm", "confirm", "cancel", "new", undefined),
      platformStatus: fc.constantFrom("waiting", "canceled_by_client", undefined),
      required: fc.constantFrom([], ["sgtin"], ["uin", "sgtin"], undefined),
      labels: fc.option(
        fc.array(fc.tuple(fc.constantFrom("sgtin", "uin", "imei", "gtin", "odd"), decision), {
          maxLength: 3
        }),
        { nil: undefined }
      )
    })
    fc.assert(
      fc.property(fc.array(some, { maxLength: 8 }), (drawn) => {
        const orders = drawn.map((one, at) =>
          order(at + 1, { ...one, labels: one.labels?.map(([key, decision]) => label(key, decision)) })
        )
        const { moveOut, reasons, rest, takeOut, waitFor } = HandOver.check({ ...ready, orders })
        const all = [...moveOut, ...waitFor, ...takeOut, ...rest].sort((a, b) => a - b)
        expect(all).toEqual(orders.map(({ orderId }) => orderId))
        const alone = HandOver.check({
          ...ready,
          orders: orders.filter(({ orderId }) => rest.includes(orderId))
        })
        expect(alone.reasons.filter(({ code }) => code !== "no_orders")).toEqual([])
        for (const reason of reasons) {
          const { remedy, says } = HandOverWords.ofReason(reason, "Europe/Moscow")
          expect(says).toMatch(/\S.{8,}[^.]$/)
          expect(remedy).toMatch(/^[a-z].{8,}[^.]$/)
        }
      }),
      { numRuns: Depth.cases(400) }
    )
  })
})
