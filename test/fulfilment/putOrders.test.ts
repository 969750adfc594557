/** Which supplies of later waves hold late orders, by what was sent: the marketplace is asked about these alone. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { OrderId, SupplyId } from "../../src/domain/Ids.js"
import { Journal, type JournalState } from "../../src/engine/door/Journal.js"
import type * as Turns from "../../src/engine/fulfilment/Turns.js"
import * as PutOrders from "../../src/engine/planning/PutOrders.js"
import { change, inMemory, rows, run } from "../store/Fixture.js"
import { ms, policy } from "./Waved.js"

const at = (clock: string) => ms(`2026-09-01T${clock}:00+03:00`)
const noon = policy([
  'name: noon, collect_until: "12:30", hand_over_by: "14:00"',
  'name: evening, collect_until: "17:30", hand_over_by: "19:00"'
])
const evening = (createdAtMs: number | undefined): Turns.Ours => ({
  policy: noon,
  warehouseId: 507,
  wave: "evening",
  handOverByMs: at("19:00"),
  supply: {
    supplyId: SupplyId.make("PLATFORM-GI-2"),
    name: "evening #2",
    createdAtMs,
    record: {
      supplyId: SupplyId.make("PLATFORM-GI-2"),
      closed: false,
      scannedAtMs: undefined,
      shipping: {
        method: undefined,
        day: undefined,
        pointId: undefined,
        isPickupPoint: undefined,
        waybillUuid: undefined
      },
      pickupPointAllowed: undefined,
      units: undefined
    },
    cargo: "small",
    crossBorder: false,
    b2b: false,
    orders: undefined
  }
})

/** A run that puts an order of the morning there, and what became of that. */
const put = (clock: string, supplyName: string, became: JournalState) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const one = change(0, {
      kind: "order_in_supply",
      subject: { orderId: OrderId.make(7) },
      action: "put_in_supply",
      details: { supplyName, createdAtMs: at("09:00") }
    })
    yield* journal.begin(
      run(clock, { lane: "orders", startedAt: at(clock) }),
      rows([one], () => "order_in_supply:7")
    )
    const move = (from: JournalState, to: JournalState) =>
      journal.move(clock, [one.id], [from], to, { nowMs: at(clock), sent: true })
    yield* move("planned", "dispatching")
    yield* move("dispatching", became)
  })

const late = (createdAtMs: number | undefined, ...puts: ReadonlyArray<ReturnType<typeof put>>) =>
  inMemory(
    Effect.zipRight(
      Effect.all(puts),
      Effect.map(PutOrders.late("shop", [evening(createdAtMs)], at("15:00")), (found) =>
        found.map(({ name }) => name)
      )
    )
  )

it("is told by the last move that took place, and by none that came to nothing", async () => {
  const made = at("14:10")
  const there = put("14:20", "evening #2", "applied")
  expect(await late(made, there)).toEqual(["evening #2"])
  expect(await late(made, there, put("14:30", "noon #1", "applied"))).toEqual([])
  for (const nothing of ["not_applied", "conflict", "rejected"] as const) {
    expect(await late(made, there, put("14:30", "noon #1", nothing))).toEqual(["evening #2"])
    expect(await late(made, put("14:20", "evening #2", nothing))).toEqual([])
  }
})

it("is told of a supply too of which nobody says when it was made", async () => {
  expect(await late(undefined, put("10:00", "evening #2", "applied"))).toEqual(["evening #2"])
})
