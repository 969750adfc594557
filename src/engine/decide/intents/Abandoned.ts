/** What stands because a rule set it and its `revert_when:` would take it back, while the rule is gone: nothing brings it back by itself. */
import * as Arr from "effect/Array"
import * as FirstFew from "../../../domain/FirstFew.js"
import * as Plural from "../../../domain/Plural.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import * as MinusPhrase from "../../kinds/MinusPhrase.js"
import type { SlotHistory, SlotValue } from "../../kinds/SlotHistory.js"
import * as Status from "../../kinds/Status.js"
import type { RuleSet } from "../../language/Policy.js"
import type { Notice } from "../Plan.js"

/** Most that a notice names. */
const mostNamed = 5

/** Pauses and minus phrases of policies whose file is gone, as far as they are read to stand. */
export const notices = (
  slots: ReadonlyMap<string, SlotHistory>,
  rules: RuleSet,
  liveOf: (slot: string) => SlotValue | undefined
): ReadonlyArray<Notice> => {
  const known = new Set<string>(rules.policies.map(({ id }) => id))
  const found = [...slots.values()].flatMap(({ ours, slot }) => {
    const prefix = slot.slice(0, slot.indexOf(":"))
    const set = abandoned.get(prefix)
    const isMeant = ours?.returns === true && !known.has(ours.policy) && ours.after === set
    if (!isMeant || liveOf(slot) !== set) return []
    return [{ policy: ours.policy, arePauses: prefix === Status.prefix, name: slot.slice(prefix.length + 1) }]
  })
  return Object.values(Arr.groupBy(found, ({ arePauses, policy }) => JSON.stringify([policy, arePauses])))
    .map(([first, ...others]) => ({
      policy: first.policy,
      campaignName: "",
      text: text(first.arePauses, [first, ...others].map(({ name }) => name).sort(TextOrder.compare))
    }))
    .sort((a, b) => TextOrder.compare(a.policy, b.policy) || TextOrder.compare(a.text, b.text))
}

/** What is left by a rule that is gone, by the prefix of its slots. */
const abandoned = new Map<string, SlotValue>([
  [Status.prefix, "paused"],
  [MinusPhrase.prefix, true]
])

const text = (arePauses: boolean, names: ReadonlyArray<string>): string => {
  const count = names.length
  const [what, way] = arePauses
    ? [`${Plural.of(count, "campaign")} ${Plural.choose(count, "stays", "stay")} paused by it`, "start"]
    : [`${Plural.of(count, "minus phrase")} of it ${Plural.choose(count, "stands", "stand")}`, "take out"]
  const them = Plural.choose(count, "it", "them")
  return `${what} though its file is gone, and with it the revert_when: that would bring ${them} back: ${FirstFew.named(names, mostNamed)}. To end this, ${way} ${them} by hand, or give the file its name back`
}
