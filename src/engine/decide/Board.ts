/** Collects a plan's lists: what changes, what stays and why, what nobody can decide on. */
import * as Reason from "../../domain/Reason.js"
import * as Target from "../../domain/Target.js"
import * as TextOrder from "../../domain/TextOrder.js"
import type { UndecidedRow } from "../facts/Funnel.js"
import type { Change } from "../kinds/Change.js"
import * as Kinds from "../kinds/Kinds.js"
import * as MinusPhrase from "../kinds/MinusPhrase.js"
import * as Changes from "./Changes.js"
import type { Ground, Intent, Outcome } from "./intents/Intent.js"
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
  private readonly equals: Array<Change> = []
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

  enter({ agreed = [], below = [], equals = [], intent, outcome, overruled }: Resolve.Verdict): void {
    if (outcome._tag !== "Move") {
      this.leave(intent, outcome)
      return
    }
    const wishes = [{ ...intent, outcome }, ...equals].filter((wish) => this.hasPlace(wish))
    const [first] = wishes
    if (first === undefined) return
    if (growsList(first) !== undefined) this.lists.take(first.ground)
    // Of a large account nearly all changes are the wish of one policy.
    if (wishes.length + agreed.length + below.length === 1) {
      this.changes.push(Changes.of(this.account, first, { overruled, agreed }))
      return
    }
    const policies = [...new Set([...wishes.map(({ ground }) => ground.policy.id), ...agreed])].sort()
    const made = wishes.map((wish) => {
      const agreeing = policies.filter((policy) => policy !== wish.ground.policy.id)
      return Changes.of(this.account, wish, { overruled, agreed: agreeing })
    })
    const known = below.map((wish) => Changes.of(this.account, wish, { overruled, agreed: [] }))
    const [change, ...others] = Changes.estimatedAlike(made, known)
    this.changes.push(change!)
    this.equals.push(...others)
  }

  /** Whether a list has room for it; a row that it has none for stays as it is. */
  private hasPlace(wish: Resolve.Moving): boolean {
    const most = growsList(wish)
    const full = most === undefined ? undefined : this.lists.full(wish.ground, most)
    if (full !== undefined) this.leave(wish, full)
    return full === undefined
  }

  private leave({ ground, target }: Intent, outcome: Outcome): void {
    const policy = ground.policy.id
    const campaignName = Changes.campaignName(ground)
    // Field by field: half a million spreads take room.
    if (outcome._tag === "Stay")
      this.unchanged.push({ policy, subject: target, campaignName, because: outcome.because })
    if (outcome._tag === "Undecided")
      this.unknown.push({
        policy,
        subject: target,
        campaignName,
        reason: Changes.reasonOf(ground),
        because: outcome.because
      })
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
      changes: this.changes.sort(bySlot),
      equals: this.equals.sort(bySlot),
      unknown: this.unknown.sort(byTarget),
      unchanged: this.unchanged.sort(byTarget)
    }
  }
}

/** How long a list of minus phrases may become by this move; undefined when it does not grow. */
const growsList = ({ ground, outcome: { setting } }: Resolve.Moving): number | undefined => {
  if (setting.kind !== MinusPhrase.name || setting.after !== true) return undefined
  const { action } = ground.rule
  return action._tag === "AddMinus" ? action.maxTotal : usualMaxTotal
}

/** Of `add_minus` without `max_total`. */
const usualMaxTotal = 900

/** The order of a plan's changes: by what they are about. Whose they are orders only what stands in one slot. */
export const bySlot = (a: Change, b: Change): number =>
  Target.compare(a.subject, b.subject) ||
  TextOrder.compare(Kinds.slotOf(a), Kinds.slotOf(b)) ||
  TextOrder.compare(a.origin.name, b.origin.name)

/** The order of a plan's other lists. */
export const byTarget = (
  a: { readonly subject: Target.Subject; readonly policy: string },
  b: { readonly subject: Target.Subject; readonly policy: string }
): number => Target.compare(a.subject, b.subject) || TextOrder.compare(a.policy, b.policy)
