/** `adjust_bid` with `during:`, and `revert_when:`: what a policy does for a while, and what it takes back. */

import type { Action, During, Expr, Placement, Rule } from "../Policy.js"
import type { Problems } from "../problems/Diagnostic.js"
import * as Suggest from "../problems/Suggest.js"
import type { Node } from "../yaml/Node.js"
import { entry, get, scalars } from "../yaml/Node.js"
import type { Range } from "../yaml/Source.js"
import * as Amounts from "./Amounts.js"
import * as Schedules from "./Schedules.js"

/** Bounds of `by:`: an overlay may double a bid at most, and leaves at least a tenth of it. */
const most = { up: 10_000, down: 9_000 }

/** `adjust_bid` with its options; undefined when something was reported. */
export const adjustBid = (
  chosen: { readonly range: Range; readonly options: Node },
  bound: (name: string) => Expr | undefined,
  placement: Placement,
  span: Action["span"],
  problems: Problems
): Action | undefined => {
  const by = signed(Amounts.keyed(chosen.options, "by"), problems)
  const cap = bound("cap")
  const floor = bound("floor")
  if (by === undefined) return undefined
  const needed = by > 0 ? "cap" : "floor"
  if (entry(chosen.options, needed) === undefined) {
    const message =
      by > 0
        ? `adjust_bid upwards needs cap: the most you will pay.${Suggest.forExample("cap: 600 ₽")}`
        : `adjust_bid downwards needs floor: the least the bid may fall to.${Suggest.forExample("floor: min_bid")}`
    return problems.error("K03", chosen.range, message)
  }
  return {
    _tag: "AdjustBid",
    basisPoints: by,
    ...(cap === undefined ? {} : { cap }),
    ...(floor === undefined ? {} : { floor }),
    placement,
    span
  }
}

/** `+20%` as 2000, `-15%` as -1500. The sign is required: it is the only thing that says which way. */
const signed = (of: Amounts.Keyed | undefined, problems: Problems): number | undefined => {
  if (of === undefined) return undefined
  const { node } = of
  const written = /^([+\-−–])\s*(\S.*)$/.exec(node.text.trim())
  if (written === null) {
    const isShare = /^\d[\d.]*\s*%$/.test(node.text.trim())
    const example = isShare ? `+${node.text.trim()} or -${node.text.trim()}` : "+20% or -15%"
    return problems.error("K14", node.range, `by needs a sign and a percentage: ${example}.`)
  }
  const isUp = written[1] === "+"
  const share = { key: "by", node: { ...node, text: written[2]! } }
  const points = Amounts.basisPoints(share, 1, isUp ? most.up : most.down, problems)
  return points === undefined ? undefined : isUp ? points : -points
}

/** `during:`, checked against the policy's actions and its schedule; undefined when there is none or it is wrong. */
export const during = (root: Node, problems: Problems): During | undefined => {
  const found = entry(root, "during")
  const adjusting = actionsOf(root).filter(({ key }) => key === "adjust_bid")
  if (found === undefined) {
    for (const { range } of adjusting) {
      const message = "adjust_bid holds for a part of the day, then the base bid returns. Say when."
      problems.error("K31", range, message + Suggest.forExample('during: {time: "18:00-23:00"}'))
    }
    return undefined
  }
  const others = actionsOf(root).filter(({ key }) => key !== "adjust_bid")
  if (others.length > 0) {
    const message = `during: goes with adjust_bid, whose bid returns by itself; ${others[0]!.key} stays. Use schedule: {between: …}, or adjust_bid.`
    problems.error("K31", found.keyRange, message)
  }
  if (entry(get(root, "schedule"), "tz") === undefined) {
    const message =
      "tz: is missing: during: in which city's time? Name it in schedule:, such as tz: Europe/Moscow"
    problems.error("K13", found.keyRange, message)
  }
  const time = Schedules.partOfDay(scalars(get(found.value, "time"))[0], problems)
  const days = Schedules.daysOf(found.value)
  return time === undefined ? undefined : { ...(days.length === 0 ? {} : { days }), ...time }
}

/** True when the file means what decides by itself when to act, so that `when:` may be left out. */
export const needsNoWhen = (root: Node): boolean =>
  entry(root, "during") !== undefined ||
  actionsOf(root).some(({ key }) => /^(adjust_bid|optimise)$/.test(key))

/** Reports a `revert_when:` that has nothing it could take back, or not one thing. */
export const checkRevert = (root: Node, rules: ReadonlyArray<Rule>, problems: Problems): void => {
  const found = entry(root, "revert_when")
  if (found === undefined) return
  if (entry(root, "rules") !== undefined) {
    const message =
      "revert_when: goes with one when: and do:. Several rules do several things; write a policy for each."
    problems.error("K32", found.keyRange, message)
    return
  }
  const why = rules.length === 0 ? undefined : forGood[rules[0]!.action._tag]
  if (why !== undefined) problems.error("K32", found.keyRange, why)
}

const forGood: Readonly<Partial<Record<string, string>>> = {
  AdjustBid: "adjust_bid ends by itself when during: is over, or when: no longer holds. Remove revert_when:",
  Deposit: "A deposit cannot be taken back. Remove revert_when:",
  Enrol: "No operation takes an item out of a promotion. Remove revert_when:",
  Notify: "A message cannot be taken back. Remove revert_when:",
  Optimise: "optimise lowers and takes back what does not pay by itself. Remove revert_when:",
  Placements:
    "revert_when: takes back bids, minus phrases, pauses and starts; not placements. Remove revert_when:"
}

/** An action as written. */
interface Named {
  readonly key: string
  readonly range: Range
}

/** The actions as written, of `do:` or of every entry of `rules:`. */
export const actionsOf = (root: Node): ReadonlyArray<Named> => {
  const list = get(root, "rules")
  const nodes = list?._tag === "List" ? list.items : [root]
  return nodes.flatMap((node): ReadonlyArray<Named> => {
    const written = get(node, "do")
    if (written?._tag === "Scalar") return [{ key: written.text.trim(), range: written.range }]
    return written?._tag === "Map"
      ? written.entries.slice(0, 1).map(({ key, keyRange }) => ({ key, range: keyRange }))
      : []
  })
}
