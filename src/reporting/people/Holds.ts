/** Everything that is left alone now, for a terminal. */
import * as Arr from "effect/Array"
import * as Days from "../../domain/Days.js"
import * as Plural from "../../domain/Plural.js"
import * as When from "../../domain/When.js"
import type { Calibration } from "../../engine/decide/forecasts/Calibration.js"
import * as HumanEdits from "../../engine/decide/limits/HumanEdits.js"
import * as Stops from "../../engine/decide/limits/Stops.js"
import type { HumanEdit } from "../../engine/kinds/HumanEdit.js"
import * as OperatorHold from "../../engine/kinds/OperatorHold.js"
import { cleanLine } from "../Clean.js"
import * as HeldReasons from "../HeldReasons.js"

export interface Standing {
  readonly holds: ReadonlyArray<OperatorHold.OperatorHold>
  /** `until` in epoch milliseconds. */
  readonly edits: ReadonlyArray<HumanEdit & { readonly until: number }>
}

/** With budgets for which a policy only looks, because its forecasts missed. */
export interface Shown extends Standing {
  readonly looking: ReadonlyArray<Calibration>
}

/** Of what the store knows, what still stands by the clock. */
export const standing = (
  known: {
    readonly holds: ReadonlyArray<OperatorHold.OperatorHold>
    readonly edits: ReadonlyArray<HumanEdit>
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

/**
 * One line per hold, then the values that somebody else set: one line per campaign, reason and last day, or one line
 * each with `all`. Of one among several `accounts`, the way to lift a hold names it.
 */
export const text = (
  account: string,
  { edits, holds, looking }: Shown,
  zone: string,
  all: boolean,
  accounts = 1
): string => {
  const among = { account, accounts }
  if (holds.length + edits.length + looking.length === 0) return `nothing of ${account} is on hold`
  const groups = all ? edits.map((edit) => [edit] as const) : grouped(edits, zone)
  const lines = [
    ...holds.map(
      (hold) =>
        `${OperatorHold.scopeText(hold)}: ${OperatorHold.text(hold, zone)}; resume with: ${OperatorHold.resumeWith(hold, among)}`
    ),
    ...looking.map((one) => HeldReasons.looking(one, among)),
    ...groups.map((group) =>
      group.length === 1 ? single(group[0], zone, among) : together(group, zone, among)
    ),
    ...(groups.length < edits.length
      ? [`each of the ${edits.length} values: ${OperatorHold.command("bidhelm holds --all", among)}`]
      : [])
  ]
  return lines.map(cleanLine).join("\n")
}

type Edit = Standing["edits"][number]

const grouped = (edits: ReadonlyArray<Edit>, zone: string) =>
  Object.values(
    Arr.groupBy(edits, (edit) =>
      [campaignOf(edit), HumanEdits.isUndo(edit), Days.at(edit.until, zone)].join(" ")
    )
  )

/** The campaign; what is in none is by itself. */
const campaignOf = ({ slot }: Edit): string => {
  const target = Stops.targetOf(slot)
  return /^\d/.test(target) ? (target.split("/")[0] ?? "") : target
}

const single = (edit: Edit, zone: string, among: OperatorHold.Among): string =>
  `${Stops.targetOf(edit.slot)}: ${HeldReasons.edit(edit, zone)}; left alone until ${When.text(edit.until, zone)}; sooner with: ${Stops.resumeWith(edit.slot, among)}`

/** The first instant of its beginning, the last of its end. */
const together = (
  group: Arr.NonEmptyReadonlyArray<Edit>,
  zone: string,
  among: OperatorHold.Among
): string => {
  const scope = { kind: "target", what: campaignOf(group[0]) } as const
  const isUndo = HumanEdits.isUndo(group[0])
  const since = Math.min(...group.map((edit) => (isUndo ? edit.firstSeenAt : edit.writtenAt)))
  const reason = isUndo
    ? `undone or set by a person on ${When.text(since, zone)}`
    : `changed by someone on or after ${When.text(since, zone)}`
  const until = When.text(Math.max(...group.map((edit) => edit.until)), zone)
  return `${OperatorHold.scopeText(scope)}: ${Plural.of(group.length, "value")} ${reason}; left alone until ${until}; sooner with: ${OperatorHold.resumeWith(scope, among)}`
}
