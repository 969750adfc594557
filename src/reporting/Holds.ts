/** Everything that is left alone now, for a terminal. */
import * as HumanEdits from "../engine/decide/HumanEdits.js"
import * as OperatorHold from "../engine/decide/OperatorHold.js"
import * as Stops from "../engine/decide/Stops.js"
import * as When from "../engine/decide/When.js"
import { cleanLine } from "./Clean.js"

export interface Standing {
  readonly holds: ReadonlyArray<OperatorHold.OperatorHold>
  /** `until` in epoch milliseconds. */
  readonly edits: ReadonlyArray<HumanEdits.HumanEdit & { readonly until: number }>
}

/** Of what the store knows, what still stands by the clock. */
export const standing = (
  known: {
    readonly holds: ReadonlyArray<OperatorHold.OperatorHold>
    readonly edits: ReadonlyArray<HumanEdits.HumanEdit>
  },
  editHoldMs: number,
  nowMs: number
): Standing => ({
  holds: known.holds.filter((hold) => OperatorHold.isStanding(hold, nowMs)),
  edits: known.edits.flatMap((edit) => {
    const until = HumanEdits.heldUntil(edit, editHoldMs, nowMs)
    return until === undefined ? [] : [{ ...edit, until }]
  })
})

/** One line per hold, then one per value that somebody else set. */
export const text = (account: string, { edits, holds }: Standing, zone: string): string =>
  holds.length + edits.length === 0
    ? `nothing of ${account} is on hold`
    : [
        ...holds.map(
          (hold) =>
            `${OperatorHold.scopeText(hold)}: ${OperatorHold.text(hold, zone)}; resume with: ${OperatorHold.resumeWith(hold)}`
        ),
        ...edits.map(
          (edit) =>
            `${Stops.targetOf(edit.slot)}: ${Stops.editText(edit, zone)}; left alone until ${When.text(edit.until, zone)}; sooner with: ${Stops.resumeWith(edit.slot)}`
        )
      ]
        .map(cleanLine)
        .join("\n")
