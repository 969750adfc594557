/** By when orders go, and which are late: every order of a policy has one deadline. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { OrderId, SupplyId } from "../../src/domain/Ids.js"
import * as Deadlines from "../../src/engine/fulfilment/Deadlines.js"
import * as Waves from "../../src/engine/fulfilment/Waves.js"
import * as Depth from "../Depth.js"
import { drawnInstant, drawnWaves, ms, policy } from "./Waved.js"

const twice = policy([
  'name: morning, collect_until: "12:30", hand_over_by: "14:00"',
  'name: evening, collect_until: "17:30", hand_over_by: "19:00"'
])
/** Moscow is three hours ahead all year. */
const at = (clock: string, day = "2026-09-01") => ms(`${day}T${clock}:00+03:00`)
const order = (id: number, more: Partial<Deadlines.Open> = {}): Deadlines.Open => ({
  orderId: OrderId.make(id),
  warehouseId: 507,
  createdAtMs: at("09:00"),
  isAgain: false,
  ...more
})
const told = (nowMs: number, ...orders: ReadonlyArray<Deadlines.Open>) =>
  orders.map(({ orderId }) => {
    const one = Deadlines.of([twice], orders, nowMs).get(orderId)
    return one === undefined ? undefined : [one.own.wave.name, one.goes?.wave.name, one.risk?.because]
  })

describe("deadlines", () => {
  it("are the hand-over of the wave that an order came in time for, at risk in its last half hour", () => {
    expect(told(at("13:00"), order(1))).toEqual([["morning", "morning", undefined]])
    expect(told(at("13:31"), order(1))).toEqual([["morning", "morning", "soon"]])
    expect(told(at("14:00"), order(1))).toEqual([["morning", "evening", "over"]])
  })

  it("are those of the supply's wave where it was made for a later one, and the missed one is late all the same", () => {
    const goesWith = { wave: "evening", handOverByMs: at("19:00") }
    expect(told(at("15:00"), order(1, { goesWith }))).toEqual([["morning", "evening", "over"]])
    expect(told(at("13:00"), order(1, { goesWith }))).toEqual([["morning", "evening", undefined]])
    expect(told(at("15:00"), order(1, { isAgain: true }))).toEqual([["evening", "evening", undefined]])
  })

  it("promise no wave to an order in a supply that a person hands over, which is at risk of its own while it is there", () => {
    const byHand = { byHand: true }
    expect(told(at("13:00"), order(1, byHand))).toEqual([["morning", undefined, undefined]])
    expect(told(at("13:31"), order(1, byHand))).toEqual([["morning", undefined, "soon"]])
    expect(told(at("14:00"), order(1, byHand))).toEqual([["morning", undefined, "over"]])
  })

  it("are unknown of an order of no policy, and of unknown age but in a supply of a known wave", () => {
    const ageless = { createdAtMs: undefined }
    const goesWith = { wave: "evening", handOverByMs: at("19:00") }
    expect(
      told(at("13:00"), order(1, { warehouseId: 1 }), order(2, ageless), order(3, { ...ageless, goesWith }))
    ).toEqual([undefined, undefined, ["evening", "evening", undefined]])
  })

  it("are counted of a board: each order by its own wave, and one in a supply by that of the supply as well", () => {
    const open = { supplier: "new", platform: "waiting", isFinal: false }
    const waiting = (id: number, clock: string) => ({
      orderId: OrderId.make(id),
      article: undefined,
      createdAtMs: at(clock),
      status: open,
      warehouseId: 507,
      cargo: "small",
      crossBorder: false,
      b2b: false
    })
    const supply = (name: string, ...ids: ReadonlyArray<number>) => ({
      supplyId: SupplyId.make("PLATFORM-GI-1"),
      name,
      orders: ids.map((id) => ({ orderId: OrderId.make(id), status: { ...open, isFinal: id === 9 } }))
    })
    const board = {
      waiting: [waiting(1, "09:00"), waiting(2, "13:00")],
      supplies: [supply("made #1", 3, 4, 9), supply("made #2", 6, 7, 8), supply("somebody's", 5)]
    }
    const made = new Map([
      ["made #1", { warehouseId: 507, wave: "morning", handOverByMs: at("14:00") }],
      ["made #2", { warehouseId: 507, wave: "evening", handOverByMs: at("19:00") }]
    ])
    const put = new Map([
      [OrderId.make(6), { createdAtMs: at("12:00"), isAgain: false }],
      [OrderId.make(7), { createdAtMs: at("13:00"), isAgain: false }],
      [OrderId.make(8), { createdAtMs: at("09:00"), isAgain: true }]
    ])
    const counted = (clock: string) =>
      Deadlines.counts([twice], board, (name) => made.get(name), put, at(clock))
    expect(counted("13:00")).toEqual({ late: 0, atRisk: 0 })
    expect(counted("13:45")).toEqual({ late: 0, atRisk: 3 })
    expect(counted("14:01")).toEqual({ late: 4, atRisk: 0 })
    expect(counted("18:45")).toEqual({ late: 4, atRisk: 3 })
  })

  it("are one per order, never before its cut-off, and it is at risk in the last half hour alone", () => {
    fc.assert(
      fc.property(
        drawnWaves,
        drawnInstant,
        fc.array(fc.integer({ min: 0, max: 4 * 86_400_000 }), { maxLength: 8 }),
        (waves, nowMs, drawn) => {
          const orders = drawn.map((ageMs, nth) => order(nth + 1, { createdAtMs: nowMs - ageMs }))
          const found = Deadlines.of([{ ...twice, waves }], orders, nowMs)
          expect(found.size).toBe(orders.length)
          for (const { createdAtMs, orderId } of orders) {
            const { goes, own, risk } = found.get(orderId)!
            expect(own).toEqual(Waves.ofOrder({ waves }, createdAtMs!))
            expect(own.handOverByMs).toBeGreaterThanOrEqual(own.collectUntilMs)
            expect(goes!.handOverByMs).toBeGreaterThanOrEqual(own.handOverByMs)
            const leftMs = own.handOverByMs - nowMs
            if (leftMs <= 0) expect(risk).toEqual({ because: "over" })
            else expect(risk).toEqual(leftMs <= 30 * 60_000 ? { because: "soon", leftMs } : undefined)
          }
        }
      ),
      { numRuns: Depth.cases(400) }
    )
  })
})
