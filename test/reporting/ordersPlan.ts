/** A plan of the orders' lane: two orders and one that is sent again go into a new supply, one moves, one has a mark set, and a pass is booked. */
import * as Schema from "effect/Schema"
import type { Plan } from "../../src/engine/decide/Plan.js"
import * as Summary from "../../src/engine/decide/Summary.js"
import { Change } from "../../src/engine/kinds/Change.js"
import { samplePlan } from "./samplePlan.js"

type Encoded = (typeof Change)["Encoded"]

const change = (over: Partial<Encoded>): Change =>
  Schema.decodeUnknownSync(Change)({
    origin: { by: "policy", name: "13-fulfilment", rule: "noon", line: 1 },
    campaignName: "",
    action: "put_in_supply",
    kind: "order_in_supply",
    details: {},
    before: "",
    after: made,
    reason: [
      {
        condition: "goes with wave noon",
        value: "handed over by 2026-09-01 14:00 Europe/Moscow",
        holds: "true"
      }
    ],
    clamps: [],
    overruled: [],
    reversible: false,
    irreversible: "no operation takes an order out of a supply",
    moneyPerDayKopecks: { unknown: "nobody spends advertising money by it" },
    ...over
  })

const made = "new:71001 2026-09-01 noon #a1b2c3"

const changes: ReadonlyArray<Change> = [
  change({ id: "o3", subject: { orderId: 4_101_000_003 } }),
  change({ id: "o1", subject: { orderId: 4_101_000_001 } }),
  change({
    id: "o2",
    subject: { orderId: 4_101_000_002 },
    before: "PLATFORM-GI-7",
    details: { isReshipment: true }
  }),
  change({
    id: "s1",
    action: "create_supply",
    kind: "supply_creation",
    subject: { supply: made },
    details: { name: made.slice("new:".length), orders: 3 }
  }),
  change({
    id: "o4",
    subject: { orderId: 4_101_000_004 },
    before: "PLATFORM-GI-8",
    after: "PLATFORM-GI-9",
    reversible: true,
    irreversible: undefined
  }),
  change({
    id: "m1",
    action: "set_mark",
    kind: "order_mark",
    subject: { orderId: 4_101_000_001 },
    details: { key: "uin", masked: "7777…2222" },
    after: "mark 1"
  }),
  change({
    id: "p1",
    action: "book_pass",
    kind: "pass_creation",
    subject: { pass: "15/А123ВС777" },
    details: {
      officeId: 15,
      firstName: "Иван",
      lastName: "Петров",
      carModel: "Газель",
      carNumber: "А123ВС777"
    },
    before: 0,
    after: Date.parse("2026-09-01T11:00:00Z")
  })
]

export const ordersPlan: Plan = Summary.seal({
  ...samplePlan,
  changes,
  held: [],
  unknown: [],
  unchanged: [],
  policies: [{ ...samplePlan.policies[0]!, id: "13-fulfilment", name: "Two waves a day", mode: "approve" }],
  calls: { perOperation: {} }
})
