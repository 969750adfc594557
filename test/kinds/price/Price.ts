/** A kind of change that only tests know: what an item costs. It shows what a kind must bring, and that this is enough. */
import { ItemId } from "../../../src/domain/Ids.js"
import { format, Kopecks } from "../../../src/domain/Money.js"
import type { Change, Origin } from "../../../src/engine/kinds/Change.js"
import { deadlines, type Kind } from "../../../src/engine/kinds/Kind.js"

export const name = "price"

export const kind: Kind = {
  lane: "ads",
  prefix: name,
  slotOf: ({ subject }) => `${name}:${subject.itemId}`,
  targetOf: () => undefined,
  live: () => undefined,
  leaves: () => ({}),
  order: 3,
  writeClass: "A",
  deadlineMs: deadlines.database,
  operations: () => ["setPrice"],
  isSteered: false,
  isDearer: () => false,
  unforeseen: "nobody knows what a price does to the spend",
  risk: "notable",
  inverse: ({ change: { action, after, before, details } }) => ({
    action,
    before: after,
    after: before,
    details,
    notes: []
  }),
  backwards: () => "set_bid",
  print: (value, sign) => format(Kopecks(Number(value)), sign),
  effect: ({ after, before }, sign) =>
    `price ${format(Kopecks(Number(before)), sign)} → ${format(Kopecks(Number(after)), sign)}`
}

/** The one place where the trial tells the compiler that its kind is one. */
export const change = (origin: Origin, item: number, before: number, after: number): Change => {
  const made: unknown = {
    id: `${item}`.padStart(8, "0").concat(`${before}to${after}`.replace("to", "0")),
    kind: name,
    origin,
    subject: { itemId: ItemId.make(item) },
    campaignName: "",
    action: "set_bid",
    before,
    after,
    details: { discountPercent: 5 },
    reason: [{ condition: "asked by the test", value: "yes", holds: "true" }],
    clamps: [],
    overruled: [],
    reversible: true,
    moneyPerDayKopecks: { unknown: "nobody knows what a price does to the spend" }
  }
  return made as Change
}
