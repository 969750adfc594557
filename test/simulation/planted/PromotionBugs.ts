/** Bugs in the source about promotions: lines that keep an item from being filed twice, unasked, or at a loss. */
import * as Economics from "../chaos/Economics.js"
import { type Bug, faults } from "./Bug.js"
import * as Rules from "./Rules.js"

const hourMs = 3_600_000
const slow = faults({ kind: "slowTask", operation: "uploadPromotionItems", ms: 5 * hourMs })

export const bugs: ReadonlyArray<Bug> = [
  {
    name: "enrolment twice: what is not in at once is taken for refused and filed again",
    invariants: [28, 6, 22],
    rules: Rules.of([Rules.joinAlone]),
    hours: 2,
    events: [slow],
    plant: [
      {
        file: "engine/kinds/Enrolment.ts",
        text: "Math.max(offer?.startsAt ?? startsAt, sentAt + deadlines.filing)",
        instead: "Math.min(startsAt, sentAt)"
      },
      {
        file: "engine/decide/intents/EnrolIntent.ts",
        text: 'if (ground.slots.has(slot)) return stay({ code: "filed_before" }, false)',
        instead: ""
      },
      {
        file: "engine/door/Apply.ts",
        text: "if (filed.size === 0) return changes",
        instead: "if (filed.size >= 0) return changes"
      }
    ]
  },
  {
    name: "enrolment without approval",
    invariants: [29, 16],
    rules: Rules.of([Rules.joinAsking], undefined, "approve"),
    plant: [
      {
        file: "engine/decide/Review.ts",
        text: 'context.rules.policies.filter((p) => p.mode === "apply").map((p): string => p.id)',
        instead:
          'context.rules.policies.filter((p) => p.mode === "apply" || p.each === "promotion_item").map((p): string => p.id)'
      }
    ]
  },
  {
    name: "an unknown cost counts as zero",
    invariants: [30],
    rules: Rules.of([Rules.joinByCost], undefined, "apply", [Economics.table(1)]),
    plant: [
      {
        file: "engine/gather/OwnFacts.ts",
        text: "(dated && EconomicsTable.ofKey(dated, EconomicsTable.everyItem, Days.ofMarket(nowMs))) ?? rest",
        instead:
          "(dated && EconomicsTable.ofKey(dated, EconomicsTable.everyItem, Days.ofMarket(nowMs))) ?? (dated === undefined ? rest : Cells.known(0))"
      }
    ]
  },
  {
    name: "items join in spite of the price floor",
    invariants: [30],
    seed: 2,
    rules: Rules.of([Rules.joinAlone], undefined, "apply", [Economics.table(2)]),
    plant: [
      {
        file: "engine/decide/limits/PriceFloor.ts",
        text: "return planPriceKopecks < floor ?",
        instead: "return planPriceKopecks < 0 ?"
      }
    ]
  }
]
