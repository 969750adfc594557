/** Scan to pack: what fits goes on, what does not is loud, and no sequence of scans packs what it must not. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { OrderId, SupplyId } from "../../src/domain/Ids.js"
import * as Mark from "../../src/engine/fulfilment/marks/Mark.js"
import * as Packing from "../../src/engine/fulfilment/packing/Packing.js"
import * as PackingWords from "../../src/reporting/fulfilment/PackingWords.js"
import * as Depth from "../Depth.js"
import { gs, gtinDigit } from "./Marks.js"

const nowMs = Date.parse("2026-09-01T10:00:00Z")
const id = (n: number) => OrderId.make(n)
const goodsOf = (n: number) => `460000000${String(n).padStart(3, "0")}`
const ean = (n: number) => goodsOf(n) + gtinDigit(goodsOf(n))
const code = (n: number, serial: string) =>
  `010${ean(n)}21${serial}${gs}91EE11${gs}92dGVzdHRlc3R0ZXN0dGVzdA==`

const order = (n: number, goods: number, over: Partial<Packing.PackOrder> = {}): Packing.PackOrder => ({
  orderId: id(n),
  basketId: undefined,
  barcodes: [ean(goods)],
  stickers: [`S${n}`],
  needs: [],
  ...over
})

/** 1 and 2 are of the same goods and need a code; 3 and 4 are one basket; 4 needs an IMEI and a UIN. */
const work: Packing.Work = {
  supplyId: SupplyId.make("PLATFORM-GI-1"),
  orders: [
    order(1, 1, { needs: ["sgtin"] }),
    order(2, 1, { needs: ["sgtin"] }),
    order(3, 3, { basketId: "b", barcodes: ["OWN3"] }),
    order(4, 4, { basketId: "b", barcodes: ["OWN4"], needs: ["imei", "uin"] }),
    order(5, 5)
  ],
  strangers: new Map([
    ["S97", id(97)],
    ["S99", id(99)]
  ]),
  cancelledStrangers: new Set([id(97)]),
  liveMarks: new Map([
    [Mark.identity(Mark.Mark.of("sgtin", code(1, "live"))), id(98)],
    [Mark.identity(Mark.Mark.of("sgtin", code(1, "dead"))), id(5)]
  ]),
  cancelled: [id(5)],
  moved: [],
  again: []
}

const scan = (text: string): Packing.Event => ({ _tag: "Scanned", text, nowMs })
const run = (events: ReadonlyArray<Packing.Event | string>, from = Packing.start(work)): Packing.Step =>
  events.reduce(
    ({ state }: Packing.Step, event): Packing.Step =>
      Packing.next(state, typeof event === "string" ? scan(event) : event),
    { state: from, told: [] }
  )
const told = (...events: ReadonlyArray<Packing.Event | string>) =>
  run(events).told.map((one) =>
    one._tag === "Alarm" ? one.alarm.code : one._tag === "Ask" ? `ask ${one.want._tag}` : one._tag
  )
const packed = (...events: ReadonlyArray<Packing.Event | string>) => [...run(events).state.packed.keys()]

const [imei, uin] = ["352099001761481", "6430123456789012"]
const whole = [
  ...[ean(1), code(1, "a"), "S1"],
  ...[ean(1), code(1, "b"), "S2"],
  ...["OWN3", "S3"],
  ...["OWN4", imei, uin, "S4"]
]

describe("packing", () => {
  it("goes from goods to marks to the label, order by order of the stored list, and ends when all is packed", () => {
    expect(told(ean(1))).toEqual(["Show", "PrintLabel", "ask Mark"])
    expect(told(ean(1), code(1, "a"))).toEqual(["ask Sticker"])
    expect(told(ean(1), code(1, "a"), "S1")).toEqual(["Packed"])
    expect(packed(...whole)).toEqual([1, 2, 3, 4])
    expect(told(...whole, { _tag: "Finished" })).toEqual(["Finished"])
    expect(told(...whole, { _tag: "Finished" }, "S1")).toEqual(["finished_already"])
    const marks = run(whole).state.packed.get(id(4))!
    expect(marks.map(({ kind }) => kind)).toEqual(["imei", "uin"])
  })

  it("begins with a label that was printed before just as well", () => {
    expect(told("S2")).toEqual(["Show", "ask Goods"])
    expect(packed("S2", ean(1), code(1, "a"))).toEqual([2])
  })

  it("tells what is left of a basket, and when it is whole", () => {
    const [last] = run(["OWN3", "S3"]).told.slice(-1)
    expect(last).toEqual({ _tag: "Basket", basketId: "b", packed: 1, left: [4] })
    expect(run(whole).told.at(-1)).toEqual({ _tag: "Basket", basketId: "b", packed: 2, left: [] })
  })

  it("is loud about everything that does not fit, and changes nothing then", () => {
    const cases: ReadonlyArray<readonly [string, ReadonlyArray<Packing.Event | string>]> = [
      ["wrong_goods", [ean(1), "OWN3"]],
      ["wrong_goods", ["S3", ean(1)]],
      ["hand_not_empty", [ean(1), ean(1)]],
      ["goods_not_wanted", [...whole, ean(1)]],
      ["goods_not_wanted", [ean(5)]],
      ["wrong_sticker", [ean(1), "S2"]],
      ["not_in_supply", ["S99"]],
      ["order_cancelled", ["S97"]],
      ["packed_already", ["OWN3", "S3", "S3"]],
      ["order_cancelled", ["S5"]],
      ["unknown_code", ["what is this"]],
      ["mark_not_asked", [code(1, "a")]],
      ["mark_not_asked", ["OWN3", code(1, "a")]],
      ["mark_used", [ean(1), code(1, "a"), "S1", ean(1), code(1, "a")]],
      ["mark_used", [ean(1), code(1, "live")]],
      ["unreadable_mark", [ean(1), code(1, "a").replaceAll(gs, "")]],
      ["unreadable_mark", ["OWN4", "352099001761482"]],
      ["nothing_in_hand", [{ _tag: "PutBack" }]],
      ["hand_not_empty", [ean(1), { _tag: "Finished" }]],
      ["orders_left", ["OWN3", "S3", { _tag: "Finished" }]]
    ]
    for (const [wanted, events] of cases) {
      const before = run(events.slice(0, -1)).state
      const last = events.at(-1)!
      const after = Packing.next(before, typeof last === "string" ? scan(last) : last)
      const [alarm] = after.told
      expect(alarm).toMatchObject({ _tag: "Alarm", alarm: { code: wanted } })
      expect(after.state).toBe(before)
      expect(PackingWords.of(alarm!)).toMatch(/\S.{8,}[^.]$/)
    }
  })

  it("knows a mark of other goods by the number in it, where that is a barcode of the supply", () => {
    const orders = [order(1, 1, { needs: ["sgtin"] }), order(2, 2, { needs: ["sgtin"] })]
    const step = run([ean(1), code(2, "a")], Packing.start({ ...work, orders }))
    expect(step.told).toEqual([
      { _tag: "Alarm", alarm: { code: "mark_of_other_goods", wanted: 1, goodsOf: 2 } }
    ])
  })

  it("says what is wrong with a day, a declaration or a number while it is asked for, and takes none for another", () => {
    const needs = ["imei", "gtin", "expiration", "customsDeclaration"] as const
    const own = (wanted: ReadonlyArray<Mark.MarkKind>) => [order(1, 1, { needs: wanted })]
    const says = (text: string, wanted: ReadonlyArray<Mark.MarkKind> = needs) => {
      const [first] = run([ean(1), text], Packing.start({ ...work, orders: own(wanted) })).told
      if (first?._tag !== "Alarm") return first?._tag
      const { alarm } = first
      return alarm.code === "unreadable_mark" ? [alarm.kind, alarm.problem.code] : alarm.code
    }
    for (const [text, kind, problem] of [
      ["31.12.2025", "expiration", "too_soon"],
      ["31.02.2027", "expiration", "no_day"],
      ["311227", "expiration", "no_day"],
      ["31ю12ю2027", "expiration", "no_day"],
      ["10702070/010125", "customsDeclaration", "length"],
      ["352099001761482", "imei", "check_digit"],
      ["35209900176148O", "imei", "no_digit"],
      ["4601234567894", "gtin", "check_digit"],
      // That of a box of several, and not of the goods.
      ["14601234567890", "gtin", "length"]
    ] as const) {
      expect([text, says(text)]).toEqual([text, [kind, problem]])
      expect([text, says(text, ["sgtin"])]).toEqual([text, "unknown_code"])
    }
    // A UPC has twelve digits.
    expect([says("036000291452", ["gtin"]), says("036000291452", ["imei"])]).toEqual(["Ask", "unknown_code"])
    for (const text of ["S42", "0042", "20000000000", "noise"]) expect(says(text)).toBe("unknown_code")
    expect(says("10702070/010125/0001234")).toBe("Ask")
    // As long as a declaration, and no more one than a whole code.
    expect(says(code(1, "ab").split(gs)[0]!)).toEqual(["sgtin", "separator_lost"])
  })

  it("takes the goods' own barcode as their GTIN while that is asked for, and as a second unit before and after", () => {
    const goods = (barcode: string) => order(1, 1, { barcodes: [barcode], needs: ["uin", "gtin"] })
    const scans = (barcode: string, ...texts: ReadonlyArray<string>) => {
      const { state, told } = run(texts, Packing.start({ ...work, orders: [goods(barcode), order(2, 2)] }))
      const [first] = told
      return [first?._tag === "Alarm" ? first.alarm.code : first?._tag, state.hand?.marks.length]
    }
    const own = ean(1)
    expect(scans(own, own, uin, own)).toEqual(["Ask", 2])
    // Some scanners say a UPC with a zero before it, and some cards have it so.
    for (const [card, said] of [
      ["036000291452", "036000291452"],
      ["036000291452", "0036000291452"],
      ["0036000291452", "036000291452"],
      ["036000291452", "00036000291452"],
      [own, `0${own}`]
    ] as const)
      expect(scans(card, said, uin, said)).toEqual(["Ask", 2])
    expect(scans(own, "S1", own, uin, own)).toEqual(["Packed", undefined])
    // The unit's own mark comes first: whose it is, nobody could tell of two.
    expect(scans(own, own, own)).toEqual(["hand_not_empty", 0])
    expect(scans(own, own, uin, own, own)).toEqual(["hand_not_empty", 2])
    expect(scans(own, own, uin, ean(2))).toEqual(["wrong_goods", 1])
    // Its last digit fits, and it was given out within a shop.
    const inner = "2000000000015"
    expect(scans(inner, inner, uin, inner)).toEqual(["hand_not_empty", 1])
    expect(scans(inner, inner, uin, "4601234567893")).toEqual(["Ask", 2])
  })

  it("takes a label's short number for none of several orders that have it alike", () => {
    const orders = [order(1, 1, { stickers: ["S1", "0001"] }), order(2, 2, { stickers: ["S2", "0001"] })]
    const step = run(["0001"], Packing.start({ ...work, orders }))
    expect(step.told).toMatchObject([{ alarm: { code: "ambiguous_sticker", orders: [1, 2] } }])
  })

  it("takes the mark of a cancelled order, for its goods may be sold again", () => {
    expect(told(ean(1), code(1, "dead"))).toEqual(["ask Sticker"])
  })

  it("drops an order that is cancelled in hand, and has a packed one taken out before it ends", () => {
    const cancel = (n: number): Packing.Event => ({ _tag: "Cancelled", orderId: id(n) })
    expect(told(ean(1), cancel(1))).toEqual(["order_cancelled"])
    expect(told(...whole, cancel(1))).toEqual(["packed_order_cancelled"])
    expect(packed(...whole, cancel(1))).toEqual([2, 3, 4])
    expect(told(...whole, cancel(1), { _tag: "Finished" })).toEqual(["parcels_to_take_out"])
    expect(told(...whole, { _tag: "Finished" }, cancel(1), "S1", { _tag: "Finished" })).toEqual(["Finished"])
    const reused = ["S1", ean(1), code(1, "a")]
    expect(told(...reused, cancel(1), ean(1), code(1, "a"))).toEqual(["mark_used"])
    expect(told(...reused, cancel(1), "S1", ean(1), code(1, "a"))).toEqual(["ask Sticker"])
  })

  it("packs nothing more once the supply is gone elsewhere, says so at each scan, and takes parcels out all the same", () => {
    const gone = (how: Packing.Gone | undefined): Packing.Event => ({ _tag: "Gone", how })
    const cancel: Packing.Event = { _tag: "Cancelled", orderId: id(3) }
    expect(told("OWN3", gone("closed"))).toEqual(["supply_gone"])
    expect(run(["OWN3", gone("closed")]).state.hand).toBeUndefined()
    expect(told(gone("closed"), gone("closed"))).toEqual([])
    for (const text of ["OWN3", "S3", "S1", "S99", "no such code"])
      expect(told(gone("deleted"), text)).toEqual(["supply_gone"])
    expect(packed("OWN3", "S3", gone("closed"), ean(1), code(1, "a"), "S1")).toEqual([3])
    expect(told(gone("closed"), { _tag: "Finished" })).toEqual(["supply_gone"])
    expect(told(...whole, gone("closed"), { _tag: "Finished" })).toEqual(["Finished"])
    expect(told("OWN3", "S3", cancel, gone("closed"), { _tag: "Finished" })).toEqual(["parcels_to_take_out"])
    expect(told("OWN3", "S3", cancel, gone("closed"), "S3")).toEqual(["TakenOut"])
    expect(told(gone("emptied"), gone(undefined), "OWN3")).toEqual(["Show", "PrintLabel", "ask Sticker"])
    const [alarm] = run(["OWN3", "S3", gone("closed")]).told
    expect(PackingWords.of(alarm!)).toBe(
      "the supply was handed over or closed elsewhere: nothing is packed into it any more, and 3 orders were not packed (1, 2, 4). Put the goods back, end packing here, and look at the supply in the seller's account"
    )
  })

  it("shows a mark to nobody whole", () => {
    const all = JSON.stringify(run(whole).told) + JSON.stringify([...run(whole).state.packed.values()])
    expect(all).not.toMatch(/dGVzd|352099001761481|6430123456789012/)
  })
})

describe("a mark that the marketplace does not take", () => {
  const refused = (n: number, kind: "sgtin" | "uin"): Packing.Event => ({
    _tag: "Refused",
    orderId: id(n),
    kind,
    refusal: { code: kind === "sgtin" ? "sgtinWithdrawn" : "uinNotFound" }
  })

  it("brings the packed order back, which wants that mark only and may be packed once more", () => {
    expect(told(...whole, refused(4, "uin"))).toEqual(["mark_refused"])
    expect(packed(...whole, refused(4, "uin"))).toEqual([1, 2, 3])
    expect(told(...whole, refused(4, "uin"), { _tag: "Finished" })).toEqual(["orders_left"])
    expect(told(...whole, refused(4, "uin"), "S4", "OWN4")).toEqual(["ask Mark"])
    expect(packed(...whole, refused(4, "uin"), "S4", "OWN4", uin)).toEqual([1, 2, 3, 4])
  })

  it("leaves goods to an order that is not packed yet: whose mark was refused, its parcel lies in the pile", () => {
    const first = (...events: ReadonlyArray<Packing.Event | string>) => run(events).state.hand?.orderId
    expect(first(ean(1), code(1, "a"), "S1", refused(1, "sgtin"), ean(1))).toBe(2)
    expect(first(...whole, refused(1, "sgtin"), ean(1))).toBe(1)
  })

  it("opens a supply again that was finished, and says nothing of a cancelled order", () => {
    expect(told(...whole, { _tag: "Finished" }, refused(1, "sgtin"), "S1")).toEqual(["Show", "ask Goods"])
    expect(told(...whole, refused(5, "sgtin"))).toEqual([])
  })

  it("wants the parcel out where its order is cancelled or moved away before it is packed once more", () => {
    for (const [_tag, alarm] of [
      ["Cancelled", "packed_order_cancelled"],
      ["Moved", "packed_order_moved"]
    ] as const) {
      const gone = [...whole, refused(4, "uin"), { _tag, orderId: id(4) }]
      expect(told(...gone)).toEqual([alarm])
      expect(told(...gone, { _tag: "Finished" })).toEqual(["parcels_to_take_out"])
      expect(told(...gone, "S4")).toEqual(["TakenOut"])
    }
  })

  it("knows its parcel to be out of the pile once its label was scanned and it was put back, not where other goods were", () => {
    const back: Packing.Event = { _tag: "PutBack" }
    expect(told(...whole, refused(4, "uin"), "S4", back)).toEqual(["TakenOut"])
    expect(told(...whole, refused(4, "uin"), "OWN4", back)).toEqual(["PutBack"])
    expect(told(...whole, refused(4, "uin"), "S4", back, "S4", back)).toEqual(["PutBack"])
  })

  it("is told of an earlier sitting without its kind, where the order has another mark by now", () => {
    const alarm = { code: "mark_refused", orderId: id(1), kind: undefined, refusal: undefined } as const
    expect(PackingWords.of({ _tag: "Alarm", alarm })).toBe(
      "the marketplace did not take a mark that order 1 was packed with. Take the parcel, look whether the mark that is set now is of its unit, and scan its label and its goods"
    )
  })

  it("says what the check found, and what helps", () => {
    const [one] = run([...whole, refused(1, "sgtin")]).told
    expect(PackingWords.of(one!)).toContain("it was withdrawn from circulation")
  })
})

describe("packing that goes on", () => {
  const marks = [Mark.Mark.of("sgtin", code(1, "a"))]

  it("knows what was packed, whose marks are used, and has parcels taken out that were cancelled since", () => {
    const from = Packing.resume(
      work,
      new Map([
        [id(1), marks],
        [id(5), []],
        [id(77), []]
      ])
    )
    expect([...from.packed.keys()]).toEqual([1])
    expect([...from.toTakeOut.keys()]).toEqual([5])
    expect(Packing.left(from)).toEqual([2, 3, 4])
    expect(run([ean(1), code(1, "a")], from).told).toEqual([
      { _tag: "Alarm", alarm: { code: "mark_used", by: 1 } }
    ])
    expect(run(["S5"], from).told).toEqual([{ _tag: "TakenOut", orderId: 5 }])
  })

  it("takes up stickers that come later", () => {
    const later = Packing.withStickers(Packing.start(work), new Map([[id(1), ["LATE"]]]))
    expect(run(["LATE"], later).state.hand?.orderId).toBe(1)
    expect(run(["S2"], later).state.hand?.orderId).toBe(2)
  })
})

describe("any sequence of scans", () => {
  const texts = [
    ...[ean(1), ean(5), "OWN3", "OWN4"],
    ...["S1", "S2", "S3", "S4", "S5", "S99", "noise"],
    ...["a", "b", "live", "dead"].map((serial) => code(1, serial)),
    code(1, "a").split(gs).slice(0, 2).join(gs),
    ...[imei, uin]
  ]
  const event: fc.Arbitrary<Packing.Event> = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...texts).map(scan) },
    { weight: 1, arbitrary: fc.constant<Packing.Event>({ _tag: "PutBack" }) },
    { weight: 1, arbitrary: fc.constant<Packing.Event>({ _tag: "Finished" }) },
    {
      weight: 1,
      arbitrary: fc
        .integer({ min: 1, max: 6 })
        .map((n): Packing.Event => ({ _tag: "Cancelled", orderId: id(n) }))
    },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 1, max: 4 }).map(
        (n): Packing.Event => ({
          _tag: "Refused",
          orderId: id(n),
          kind: n === 4 ? "uin" : "sgtin",
          refusal: undefined
        })
      )
    }
  )
  /** A person who does what is asked, and now and then does not. */
  const dutiful = (state: Packing.State): ReadonlyArray<string> => {
    const [want] = Packing.wants(state)
    const { hand } = state
    if (hand === undefined || want === undefined) {
      const taken = [...state.toTakeOut.keys()].map((orderId) => `S${orderId}`)
      const next = work.orders.filter(({ orderId }) => Packing.left(state).includes(orderId))
      return [...taken, ...next.flatMap(({ barcodes }) => barcodes), "noise"]
    }
    if (want._tag === "Sticker") return [`S${hand.orderId}`]
    if (want._tag === "Goods")
      return work.orders.find(({ orderId }) => orderId === hand.orderId)!.barcodes.slice()
    return want.kind === "sgtin" ? [code(1, "a"), code(1, "b")] : [want.kind === "imei" ? imei : uin]
  }
  const choice = fc.oneof({ weight: 3, arbitrary: fc.nat(9) }, { weight: 1, arbitrary: event })

  it("packs no cancelled order, gives no mark to two, and does not end with an order left", () => {
    let [finished, marked] = [0, 0]
    fc.assert(
      fc.property(fc.array(choice, { minLength: 20, maxLength: 80, size: "max" }), (choices) => {
        let state = Packing.start(work)
        for (const one of choices) {
          const likely = dutiful(state)
          const given = typeof one === "number" ? scan(likely[one % likely.length]!) : one
          const before = state
          const step = Packing.next(state, given)
          state = step.state
          for (const orderId of state.packed.keys()) expect(state.cancelled.has(orderId)).toBe(false)
          const marks = [...state.packed.values(), ...state.toTakeOut.values()].flat().map(Mark.identity)
          expect(new Set(marks).size).toBe(marks.length)
          for (const [orderId, own] of state.packed)
            expect(own.map(({ kind }) => kind).sort()).toEqual(
              state.work.orders.find((order) => order.orderId === orderId)!.needs.toSorted()
            )
          if (state.isFinished)
            expect([Packing.left(state), state.hand, state.toTakeOut.size]).toEqual([[], undefined, 0])
          if (
            step.told.some(({ _tag }) => _tag === "Alarm") &&
            given._tag !== "Cancelled" &&
            given._tag !== "Refused"
          )
            expect(state).toBe(before)
          expect(step.told.map(PackingWords.of).every((text) => text !== "")).toBe(true)
          marked = Math.max(marked, marks.length)
        }
        if (state.isFinished || Packing.next(state, { _tag: "Finished" }).state.isFinished) finished += 1
      }),
      { numRuns: Math.max(200, Depth.cases(800)) }
    )
    expect(finished).toBeGreaterThan(0)
    expect(marked).toBeGreaterThan(2)
  })
})
