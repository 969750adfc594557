/** What keeps a call by hand from being planned, in sentences of what was read. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { AccountName, OrderId } from "../../src/domain/Ids.js"
import type { ChangeLog } from "../../src/engine/door/ChangeLog.js"
import type { Journal } from "../../src/engine/door/Journal.js"
import type { KillSwitch } from "../../src/engine/door/Stopping.js"
import { Writer } from "../../src/engine/door/Writer.js"
import type { Live } from "../../src/engine/kinds/Seen.js"
import * as CallPlan from "../../src/engine/planning/CallPlan.js"
import type { RuleMemory } from "../../src/engine/planning/RuleMemory.js"

/** The plan of a mark for an order, where this is read of it. */
const planned = (live: Live) => {
  const wanted: CallPlan.Wanted = {
    kind: "order_mark",
    action: "set_mark",
    subject: { orderId: OrderId.make(7) },
    details: { key: "uin", masked: "7777…" },
    after: () => "x"
  }
  const call = { account: AccountName("main"), operation: "setOrderUin", currency: "RUB", zone: "UTC" }
  const writer = {
    readLive: (changes: ReadonlyArray<{ readonly id: string }>) =>
      Effect.succeed(new Map(changes.map(({ id }) => [id, live])))
  }
  // Nothing else is asked before it is known what is there.
  const made = CallPlan.make(call, [wanted]) as Effect.Effect<
    CallPlan.Planned,
    unknown,
    Exclude<
      Effect.Effect.Context<ReturnType<typeof CallPlan.make>>,
      ChangeLog | Journal | KillSwitch | RuleMemory
    >
  >
  return Effect.runPromise(Effect.provideService(made, Writer, writer as never))
}

it.each<[string, Live, string]>([
  [
    "takes no such mark",
    { _tag: "Unreadable", why: "the order takes no uin", isClosed: true },
    "the order takes no uin"
  ],
  [
    "takes none any more",
    { _tag: "Value", value: "", closed: "the order is not in assembly" },
    "the order is not in assembly"
  ],
  [
    "was not read",
    { _tag: "Unreadable", why: "no answer came" },
    "what is there now could not be read: no answer came"
  ]
])("an order that %s is told as just that", async (_, live, why) => {
  expect(await planned(live)).toEqual({
    _tag: "Unclear",
    why: [expect.stringMatching(new RegExp(`^order/\\d+: ${why}$`))]
  })
})
