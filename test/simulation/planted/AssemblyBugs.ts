/** Bugs in the source about orders: lines that keep goods, marks and cars where they belong. */
import type { Event } from "../chaos/Events.js"
import type { Errand, ShopPlay } from "../chaos/ShopEvents.js"
import { type Bug, minuteMs, startMs } from "./Bug.js"
import * as Rules from "./Rules.js"

const at = (minutes: number): number => startMs + minutes * minuteMs

/** By this `pick` seven new orders are of one warehouse and the smallest cargo, domestic, of private buyers. */
const alike = 50
const shop = (minutes: number, kind: ShopPlay, pick = alike, amount = 0.9): Event => ({
  _tag: "Shop",
  at: at(minutes),
  kind,
  pick,
  amount
})
const errand = (minutes: number, kind: Errand, pick = 1): Event => ({
  _tag: "Errand",
  at: at(minutes),
  kind,
  pick,
  amount: 0.2
})
const passes = (car: string, office: number): string =>
  `passes: {driver: {first_name: Иван, last_name: Петров}, car: {model: Газель, number: ${car}}, office: ${office}, book_before: 12h}\n`

const all: ReadonlyArray<Bug> = [
  {
    name: "a supply that somebody renamed is made once more",
    invariants: [31, 22, 19],
    rules: Rules.assemblingBy([{ warehouses: "71001, 71002, 71003", closes: "09:35" }]),
    events: [
      shop(1, "ordered"),
      { _tag: "Stop", at: at(12), downMs: 0 },
      shop(13, "renamed", 0),
      shop(14, "ordered")
    ],
    plant: [
      {
        file: "engine/fulfilment/Assembly.ts",
        text: "const marker = SupplyRef.markerOf(supply.name)\n",
        instead: "const marker = supply.name\n"
      },
      {
        file: "engine/fulfilment/Assembly.ts",
        text: "const marker = SupplyRef.markerOf(name) ?? name\n",
        instead: "const marker = name\n"
      },
      {
        file: "engine/planning/AssemblyPlan.ts",
        text: "if (known !== undefined) made.set(name, known)",
        instead: 'if (known?.standing === "none") made.set(name, known)'
      },
      {
        file: "engine/door/Apply.ts",
        text: "if (filed.size === 0) return changes",
        instead: "if (filed.size >= 0) return changes"
      }
    ]
  },
  {
    name: "all orders of a supply move on when one keeps it back",
    invariants: [19],
    rules: Rules.assembling(),
    events: [shop(1, "ordered"), shop(2, "ordered"), shop(3, "ordered")],
    plant: [
      {
        file: "engine/fulfilment/Turns.ts",
        text: "closing.orders.filter(({ orderId }) => blocked.has(orderId))",
        instead: "closing.orders.filter(() => blocked.size > 0)"
      }
    ]
  },
  {
    name: "a supply is handed over whose marks are missing",
    invariants: [34, 22],
    rules: Rules.assembling(),
    events: [shop(1, "ordered"), shop(2, "ordered"), shop(3, "ordered")],
    plant: [
      {
        file: "engine/fulfilment/HandOver.ts",
        text: 'if (verdict.code === "required") return [{ code: "mark_missing", orderId, key }]',
        instead: 'if (verdict.code === "required") return []'
      }
    ]
  },
  {
    name: "supplies are handed over without the person whom the policy asks for",
    invariants: [33],
    rules: Rules.assembling("", "approve"),
    events: [shop(1, "ordered")],
    plant: [
      {
        file: "engine/decide/Review.ts",
        text: 'asksToDeliver(policy) ? "approve" : policy.mode',
        instead: 'asksToDeliver(policy) ? "apply" : policy.mode'
      }
    ]
  },
  {
    name: "a supply is handed over with the goods of a cancelled order",
    invariants: [32],
    rules: Rules.assembling(),
    events: [shop(1, "ordered"), shop(12, "withdrawn", 3, 0.1)],
    plant: [
      {
        file: "engine/fulfilment/HandOver.ts",
        text: 'return end === undefined ? undefined : { code: "order_cancelled", orderId, status: end }',
        instead: 'return end !== "cancel" ? undefined : { code: "order_cancelled", orderId, status: end }'
      }
    ]
  },
  {
    name: "labels come by the numbers of the orders",
    invariants: [37],
    rules: Rules.assembling(),
    events: [shop(1, "ordered"), shop(2, "ordered"), errand(15, "print", 0), errand(17, "print", 0)],
    plant: [
      {
        file: "store/fulfilment/SupplyOrdersSql.ts",
        text: `AND supply_id = \${supplyId} ORDER BY position`,
        instead: `AND supply_id = \${supplyId} ORDER BY order_id`
      }
    ]
  },
  {
    name: "the journal keeps marks whole",
    invariants: [36],
    rules: Rules.assembling(),
    events: [shop(1, "ordered"), shop(2, "ordered"), shop(3, "ordered"), errand(13, "marks", 2)],
    plant: [
      {
        file: "marketplace/fulfilment/BoardReader.ts",
        text: "masked: Mark.Mark.of(key, first).toString()",
        instead: "masked: Mark.Mark.whole(Mark.Mark.of(key, first))"
      }
    ]
  },
  {
    name: "marks stand in the log when they are set",
    invariants: [36],
    rules: Rules.assembling(),
    events: [shop(1, "ordered"), shop(2, "ordered"), shop(3, "ordered"), errand(13, "marks", 2)],
    plant: [
      {
        file: "marketplace/fulfilment/Requests.ts",
        text: "yield* outcomeOf([change], sending(labels, subject.orderId, key, marks))",
        instead:
          "yield* Effect.zipRight(Effect.logInfo('a mark is set', { marks }), outcomeOf([change], sending(labels, subject.orderId, key, marks)))"
      }
    ]
  },
  {
    name: "passes are asked for without waiting for their turn",
    invariants: [35, 21, 22],
    rules: twoCars(),
    events: [shop(1, "ordered")],
    plant: [
      {
        file: "engine/fulfilment/Passes.ts",
        text: "(free, { atMs, isRefused }) => Math.max(free, atMs + (isRefused ? refusedGapMs : gapMs)),",
        instead: "(free, { atMs }) => Math.max(free, atMs),"
      },
      {
        file: "services/endpoints/Passes.ts",
        text: 'limits: { personal: Operation.limit("10 min", 1, 1), base: "same" }',
        instead: 'limits: { personal: Operation.limit("1 min", 1, 1), base: "same" }'
      }
    ]
  },
  {
    name: "orders for which the first supply has no room are forgotten",
    invariants: [38],
    rules: Rules.assembling('supply: {name: "{warehouse} {date} {wave}", max_orders: 3}\n'),
    events: [shop(1, "ordered"), shop(2, "ordered"), shop(3, "ordered")],
    plant: [
      {
        file: "engine/fulfilment/Assembly.ts",
        text: "for (let n = 1; rest.length > 0; n++) {",
        instead: "for (let n = 1; n === 1; n++) {"
      }
    ]
  }
]

export const bugs: ReadonlyArray<Bug> = all.map((bug) => ({ ...bug, isOfOrders: true }))

/** Two policies, each with a car of its own, whose turns come five minutes apart. */
function twoCars() {
  return Rules.assemblingBy([
    { warehouses: "71001, 71002", closes: "09:20", more: passes("А121ВС777", 158) },
    { warehouses: "71003", closes: "09:25", more: passes("А122ВС777", 305) }
  ])
}
