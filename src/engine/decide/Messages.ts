/** What `notify` says of the rows that match. A message changes nothing, so it stands in no slot and has no cooldown. */
import * as Target from "../../domain/Target.js"
import * as Evaluate from "../facts/Evaluate.js"
import * as Print from "../facts/Print.js"
import type { TextPart } from "../language/Policy.js"
import * as Changes from "./Changes.js"
import * as Hold from "./intents/Hold.js"
import type { Ground } from "./intents/Intent.js"
import type { Notice } from "./Plan.js"

/** One notice per row, in the order of the targets; those that `hold_for` keeps waiting say nothing. */
export const of = (grounds: ReadonlyArray<Ground>): ReadonlyArray<Notice> =>
  grounds
    .flatMap((ground): ReadonlyArray<Required<Notice>> => {
      const { action } = ground.rule
      if (action._tag !== "Notify" || !Hold.isRipe(ground)) return []
      const { policy, target } = ground
      return [
        {
          policy: policy.id,
          target,
          campaignName: Changes.campaignName(ground),
          text: text(action.text, ground)
        }
      ]
    })
    .sort((a, b) => Target.compare(a.target, b.target))

const text = (parts: ReadonlyArray<TextPart>, ground: Ground): string =>
  parts.map((part) => (part._tag === "Words" ? part.text : shown(part.value, ground))).join("")

/** Texts as they are; everything else with its unit. */
const shown = (value: Extract<TextPart, { readonly _tag: "Value" }>["value"], ground: Ground): string => {
  const cell = Evaluate.value(value, ground.table, ground.row)
  return cell._tag === "Known" && typeof cell.value === "string"
    ? cell.value
    : Print.cell(cell, value.type, ground.sign)
}
