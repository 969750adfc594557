/** What the supplies of one wave are called. */
import { expect, it } from "vitest"
import { OrderId } from "../../src/domain/Ids.js"
import * as Assembly from "../../src/engine/fulfilment/Assembly.js"
import type { WaitingOrder } from "../../src/engine/fulfilment/Board.js"
import { ms, policy } from "./Waved.js"

const nowMs = ms("2026-09-01T09:00:00Z")
const order = (id: number, kind: Partial<WaitingOrder> = {}): WaitingOrder => ({
  orderId: OrderId.make(id),
  article: undefined,
  createdAtMs: ms("2026-09-01T06:00:00Z"),
  status: { supplier: "new", platform: "waiting", isFinal: false },
  warehouseId: 507,
  cargo: "small",
  crossBorder: false,
  b2b: false,
  ...kind
})

/** Names of the supplies that a turn makes, without their marks. */
const named = (name: string, ...waiting: ReadonlyArray<WaitingOrder>): ReadonlyArray<string> => {
  const day = policy(
    ['name: noon, collect_until: "12:30", hand_over_by: "14:00", tz: Europe/Moscow'],
    `supply: {name: "${name}", max_orders: 2}\n`
  )
  const board = {
    waiting,
    supplies: [],
    closedNames: new Set<string>(),
    statuses: new Map(),
    passes: undefined
  }
  const known = { account: "main", made: new Map(), refused: new Map() }
  return Assembly.turn([day], board, known, nowMs)
    .changes.flatMap(({ action, after }) => (action === "create_supply" ? [String(after)] : []))
    .map((written) => written.replace(/ #[0-9a-f]{8}$/, ""))
    .sort()
}

const [business, abroad] = [{ b2b: true }, { crossBorder: true }]

it("tells business supplies and those that cross a border from the others by their words", () => {
  expect(
    named("{wave} {border} {buyer} {n}", order(1), order(2, business), order(3, { ...business, ...abroad }))
  ).toEqual(["noon cross-border business 1", "noon domestic business 1", "noon domestic private 1"])
})

it("counts the supplies of one kind, each kind from 1", () => {
  const many = [order(1), order(2), order(3), order(4, business)]
  expect(named("{wave} {n}", ...many)).toEqual(["noon 1", "noon 1", "noon 2"])
  expect(named("{wave} {buyer} {n}", ...many)).toEqual([
    "noon business 1",
    "noon private 1",
    "noon private 2"
  ])
})

it("calls a buyer of whom nothing is told private, as a border of which nothing is told domestic", () => {
  expect(named("{border} {buyer}", order(1, { b2b: undefined, crossBorder: undefined }))).toEqual([
    "domestic private"
  ])
})
