/** What waits for a person, for a terminal. */
import * as Arr from "effect/Array"
import * as Ids from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import * as When from "../../domain/When.js"
import type { RunRecord } from "../../engine/door/Journal.js"
import type { Change } from "../../engine/kinds/Change.js"
import * as OperatorHold from "../../engine/kinds/OperatorHold.js"
import { program, type Request } from "../../engine/planning/ApprovalStore.js"
import * as Approvals from "../../engine/planning/Approvals.js"
import { cleanLine } from "../Clean.js"
import * as HeldReasons from "../HeldReasons.js"
import * as SetLines from "../preview/SetLines.js"
import * as Wording from "../Wording.js"

/** What the journal knows of requests. */
export interface Known {
  /** How what was approved ended (`Approvals.endedAs`), by the request; of runs that are not there nobody knows. */
  readonly ends?: ReadonlyMap<string, RunRecord["status"]>
  /** What of the plan of a request is done already, or goes without a person (`Approvals.done`), by the request. */
  readonly done?: ReadonlyMap<string, ReadonlySet<string>>
  /** Which request asks now for what a replaced one asked (`Approvals.successorOf`), by the replaced one. */
  readonly successors?: ReadonlyMap<string, string>
  /** Requests whose rules have changed since (`Approvals.isOutdated`). */
  readonly outdated?: ReadonlySet<string>
}

/** For machines; the plan is left out. `noRoom` are the changes that `approve` would leave out for want of room in a budget. */
export const plain = (request: Request, nowMs: number, known: Known = {}) => {
  const { plan, ...rest } = request
  const runStatus = known.ends?.get(request.id)
  const noRoom = [...noRoomOf(request, nowMs, known).keys()].map(({ id }) => id)
  const successor = known.successors?.get(request.id)
  return {
    ...rest,
    ...Approvals.endOf(request, nowMs),
    ...(runStatus === undefined ? {} : { runStatus }),
    ...(noRoom.length === 0 ? {} : { noRoom }),
    ...(successor === undefined ? {} : { successor }),
    ...(isOutdated(request, nowMs, known) ? { outdated: true } : {}),
    planId: plan.id,
    state: Approvals.stateAt(request, nowMs),
    ...Approvals.figures(request)
  }
}

/** Of what waits, what finds no room in its budget by now; what was answered is not looked at again. */
const noRoomOf = (request: Request, nowMs: number, { done }: Known) =>
  Approvals.stateAt(request, nowMs) === "requested"
    ? Approvals.withoutRoom(request, done?.get(request.id) ?? new Set())
    : new Map<Change, Approvals.RefusedReason>()

const isOutdated = (request: Request, nowMs: number, { outdated }: Known): boolean =>
  Approvals.stateAt(request, nowMs) === "requested" && outdated?.has(request.id) === true

/** One line per request, the latest first as given. */
export const list = (
  account: string,
  requests: ReadonlyArray<Request>,
  nowMs: number,
  zone: string,
  known: Known = {}
): string =>
  requests.length === 0
    ? `nothing of ${account} waits for approval`
    : requests.map((request) => cleanLine(line(request, nowMs, zone, known))).join("\n")

const line = (request: Request, nowMs: number, zone: string, known: Known): string => {
  const { changes, tier } = Approvals.figures(request)
  const money = Wording.stakes(Approvals.stakesOf(request), request.plan.currency)
  const left = noRoomOf(request, nowMs, known).size
  const told = left === 0 ? "" : `; of these ${left} without room in a budget, which approve leaves out`
  return `${request.id}  ${stateText(request, nowMs, zone, known)}  ${Plural.of(changes, "change")}, ${tier}, ${money}${told}`
}

const stateText = (request: Request, nowMs: number, zone: string, known: Known): string => {
  const state = Approvals.stateAt(request, nowMs)
  if (isOutdated(request, nowMs, known))
    return "waits, but the rules have changed since, so approve refuses it and the next plan asks anew"
  if (state === "requested") return `waits until ${When.text(request.expiresAt, zone)}`
  const ended = Approvals.endOf(request, nowMs)
  const { decidedAt, decidedBy } = ended
  const by = decidedBy === undefined || decidedBy === program ? "" : ` by ${decidedBy}`
  const when = decidedAt === undefined ? "" : ` on ${When.text(decidedAt, zone)}`
  const why = ended.why === undefined ? "" : `: ${ended.why}`
  const end = known.ends?.get(request.id)
  const isDone = end === undefined || end === "done"
  const run = request.runId === undefined ? "" : ` (${request.runId}${isDone ? "" : `: ${end}`})`
  return `${isDone ? state : "approved"}${by}${when}${why}${run}`
}

/** Where a change is, and its item, where they are not those of the change before it. */
const place = (change: Change, before: Change | undefined): ReadonlyArray<string> => {
  const { campaignName, subject: target } = change
  const title = titleOf(change)
  const isSame = before !== undefined && titleOf(before) === title
  return [
    ...(isSame ? [] : [`${title} ${campaignName}`.trimEnd()]),
    ...(target.itemId === undefined || (isSame && before.subject.itemId === target.itemId)
      ? []
      : [`  Item ${target.itemId}`])
  ]
}

const isEqual = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean => a.join("\n") === b.join("\n")

const titleOf = (change: Change): string => Wording.container(Wording.place(change))

/** Changes of one place stand together, places in the order of their first changes. */
const byPlace = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> =>
  Object.values(Arr.groupBy(changes.toSorted(Wording.bySubject), titleOf)).flat()

/** Exactly the changes of a request by campaign and item, why each waits, and how to answer: for which account `among` says. */
export const preview = (
  request: Request,
  nowMs: number,
  zone: string,
  known: Known = {},
  among?: OperatorHold.Among
): string => {
  const whys = new Map(request.asked.map(({ id, tier, why }) => [id, `${tier}: ${why}`]))
  const noRoom = noRoomOf(request, nowMs, known)
  const because = (change: Change) => [
    `              ${whys.get(change.id) ?? ""}`,
    ...[noRoom.get(change)].flatMap((none) =>
      none === undefined
        ? []
        : [`              approve leaves it out: ${refused(none, { ...request.plan, ...among })}`]
    ),
    ...change.reason.map(({ condition, value }) => `              ${condition}: ${value}`)
  ]
  // What neighbours have in common stands once, below the last of them.
  const isShared = (change: Change, next: Change | undefined) =>
    next !== undefined &&
    titleOf(next) === titleOf(change) &&
    next.subject.itemId === change.subject.itemId &&
    isEqual(because(change), because(next))
  const lines = byPlace(Approvals.changesOf(request)).flatMap((change, at, all) => [
    ...place(change, all[at - 1]),
    `    ${Ids.shortChange(change.id)}  ${Wording.subject(change)}: ${Wording.effect(change, request.plan.currency)} (${change.origin.name})`,
    ...(isShared(change, all[at + 1]) ? [] : because(change))
  ])
  const open = Approvals.stateAt(request, nowMs) === "requested"
  return [
    line(request, nowMs, zone, known),
    ...setsOf(request),
    ...lines,
    ...Approvals.changesOf({ ...request, asked: request.left ?? [] }).map(
      (change) => `left out: ${Wording.effectOn(change, request.plan.currency)} (${change.origin.name})`
    ),
    ...(open
      ? [
          (isOutdated(request, nowMs, known) ? ["reject"] : ["approve", "reject"])
            .map((word) => OperatorHold.command(`bidhelm ${word} ${request.id}`, among))
            .join("   or   ")
        ]
      : [known.successors?.get(request.id)].flatMap((id) => (id === undefined ? [] : [askedNow(id, among)])))
  ]
    .map(cleanLine)
    .join("\n")
}

/** What each set of a request reaches and costs, and that it cannot be parted. */
const setsOf = (request: Request): ReadonlyArray<string> => {
  const changes = Approvals.changesOf(request)
  const sets = (request.plan.sets ?? []).filter(({ policy, promotionId }) =>
    changes.some(({ origin, subject }) => origin.name === policy && subject.promotionId === promotionId)
  )
  return SetLines.of({ ...request.plan, sets }).map((told) => `Set that goes whole or not at all: ${told}`)
}

/** That so many requests ended with the policies that asked. */
export const orphaned = (ended: number): string =>
  `${Plural.of(ended, "request for approval is", "requests for approval are")} over: no policy that is switched on asks for ${Plural.choose(ended, "it", "them")} any more`

/** How to look at what is asked in the place of a request. */
const askedNow = (successor: string, among: OperatorHold.Among | undefined): string =>
  `asked now: ${OperatorHold.command(`bidhelm approvals ${successor}`, among)}`

/** That a request can be answered no more, and why; what came of asking it; and what asks in its place. */
export const over = (
  request: Request,
  nowMs: number,
  said: string,
  successor: string | undefined,
  among: OperatorHold.Among
): string => {
  const state = Approvals.stateAt(request, nowMs)
  const { why } = Approvals.endOf(request, nowMs)
  const because = why === undefined || state === "applied" || state === "approved" ? "" : `: ${why}`
  const now = successor === undefined ? "" : `. A${askedNow(successor, among).slice(1)}`
  return cleanLine(`approval ${request.id} is ${state}${because}; ${said}${now}`)
}

/** Why a change of an approval is left out. */
export const refused = (because: Approvals.RefusedReason, near: HeldReasons.Around): string =>
  because.code === "not_asked"
    ? "its policy does not ask for it any more"
    : HeldReasons.text({ because }, near)

/** Why nothing of an approval may be applied, in whole sentences. */
export const unbound = (
  because: Approvals.UnboundReason,
  { id, plan }: Pick<Request, "id" | "plan">,
  among?: OperatorHold.Among
): string => {
  switch (because.code) {
    case "not_requested":
      return `Approval ${id} is ${because.state}. ${anew}`
    case "empty_name":
      return "An empty name names no change."
    case "no_such_change":
      return `Approval ${id} asks for no change ${because.names.join(", ")}.`
    case "several_changes":
      return `${because.name} is the beginning of ${because.changes} changes of approval ${id}; write more of it.`
    case "nothing_left":
      return `Nothing of approval ${id} may be applied now${because.first === undefined ? "" : `: ${refused(because.first, { ...plan, ...among })}`}. ${anew}`
  }
}

const anew = "The next plan asks anew; bidhelm approvals lists it."
