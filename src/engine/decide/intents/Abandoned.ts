/** What stands because a rule set it and its `revert_when:` would take it back, while the rule is gone: nothing brings it back by itself. */
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
  const left = new Map<string, Array<string>>()
  for (const { ours, slot } of slots.values()) {
    if (ours?.returns !== true || known.has(ours.policy)) continue
    const [prefix, name] = apart(slot)
    const isMeant =
      prefix === Status.prefix
        ? ours.after === "paused"
        : prefix === MinusPhrase.prefix && ours.after === true
    if (!isMeant || liveOf(slot) !== ours.after) continue
    const key = `${ours.policy}:${prefix}`
    const others = left.get(key)
    if (others === undefined) left.set(key, [name])
    else others.push(name)
  }
  return [...left].sort(TextOrder.byKey).map(([key, names]) => {
    const [policy, prefix] = apart(key)
    return { policy, campaignName: "", text: text(prefix === Status.prefix, names.sort(TextOrder.compare)) }
  })
}

const apart = (slot: string): readonly [before: string, after: string] => {
  const at = slot.indexOf(":")
  return [slot.slice(0, at), slot.slice(at + 1)]
}

const text = (arePauses: boolean, names: ReadonlyArray<string>): string => {
  const count = names.length
  const [what, way] = arePauses
    ? [`${Plural.of(count, "campaign")} ${Plural.choose(count, "stays", "stay")} paused by it`, "start"]
    : [`${Plural.of(count, "minus phrase")} of it ${Plural.choose(count, "stands", "stand")}`, "take out"]
  const them = Plural.choose(count, "it", "them")
  return `${what} though its file is gone, and with it the revert_when: that would bring ${them} back: ${FirstFew.named(names, mostNamed)}. To end this, ${way} ${them} by hand, or give the file its name back`
}
