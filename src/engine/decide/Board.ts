/** Collects a plan's lists: what changes, what stays and why, what nobody can decide on. */
import * as Reason from "../../domain/Reason.js"
import * as Target from "../../domain/Target.js"
import * as TextOrder from "../../domain/TextOrder.js"
import type { UndecidedRow } from "../facts/Funnel.js"
import type { Change } from "../kinds/Change.js"
import * as MinusPhrase from "../kinds/MinusPhrase.js"
import type { Action } from "../language/Policy.js"
import * as Changes from "./Changes.js"
import type { Ground, Outcome } from "./intents/Intent.js"
import * as MinusIntent from "./intents/MinusIntent.js"
import type * as Resolve from "./intents/Resolve.js"
import * as RevertIntent from "./intents/RevertIntent.js"
import type { Unchanged, Undecided } from "./Plan.js"
import type { UnknownReason } from "./RowReason.js"
import type * as Watching from "./Watching.js"

/** Why nobody knows whether a row is its rule's. */
export const whyOpen = ({ clause, reason: byte }: UndecidedRow): UnknownReason => {
  const reason = Reason.fromCode(byte)
  return {
    code: "condition_unknown",
    condition: clause.text,
    ...(reason === undefined ? {} : { reason })
  }
}

/** Collects what a plan says, one verdict at a time. */
export class Board {
  private readonly changes: Array<Change> = []
  private readonly unknown: Array<Undecided> = []
  private readonly unchanged: Array<Unchanged> = []
  private readonly lists = new MinusIntent.Lists()

  /** Rows of one account. */
  constructor(private readonly account: string) {}

  /** What a second look left as it is. */
  add(watched: Watching.Judged | undefined): void {
    this.unknown.push(...(watched?.unknown ?? []))
    this.unchanged.push(...(watched?.unchanged ?? []))
  }

  enter(verdict: Resolve.Verdict): void {
    const { ground, target } = verdict.intent
    const { action } = ground.rule
    const most = growsList(action, verdict.outcome)
    const outcome = most === undefined ? verdict.outcome : (this.lists.take(ground, most) ?? verdict.outcome)
    const row = { policy: ground.policy.id, subject: target, campaignName: Changes.campaignName(ground) }
    if (outcome._tag === "Move") {
      const { change } = verdict.intent
      const { overruled } = verdict
      this.changes.push(
        change === undefined
          ? Changes.of(this.account, verdict.intent, outcome.setting, overruled)
          : { ...change, overruled }
      )
    } else if (outcome._tag === "Stay") {
      this.unchanged.push({ ...row, because: outcome.because })
    } else this.unknown.push({ ...row, reason: Changes.reasonOf(ground), because: outcome.because })
  }

  leaveOpen(ground: Ground, row: UndecidedRow): void {
    if (ground.rule.action._tag === "Revert" && !RevertIntent.isOurs(ground)) return
    this.unknown.push({
      policy: ground.policy.id,
      subject: ground.target,
      campaignName: Changes.campaignName(ground),
      reason: Changes.reasonOf(ground),
      because: whyOpen(row)
    })
  }

  sorted() {
    return {
      changes: this.changes.sort(
        (a, b) => Target.compare(a.subject, b.subject) || TextOrder.compare(a.origin.name, b.origin.name)
      ),
      unknown: this.unknown.sort(byTarget),
      unchanged: this.unchanged.sort(byTarget)
    }
  }
}

/** How long a list of minus phrases may become by this outcome; undefined when it does not grow. */
const growsList = (action: Action, outcome: Outcome): number | undefined => {
  if (outcome._tag !== "Move" || outcome.setting.kind !== MinusPhrase.name) return undefined
  if (outcome.setting.after !== true) return undefined
  return action._tag === "AddMinus" ? action.maxTotal : usualMaxTotal
}

/** Of `add_minus` without `max_total`. */
const usualMaxTotal = 900

/** The order of a plan's lists. */
export const byTarget = (
  a: { readonly subject: Target.Subject; readonly policy: string },
  b: { readonly subject: Target.Subject; readonly policy: string }
): number => Target.compare(a.subject, b.subject) || TextOrder.compare(a.policy, b.policy)
