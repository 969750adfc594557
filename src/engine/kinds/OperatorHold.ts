/** `bidhelm hold` and `bidhelm kill`: what a person has stopped, until when, and why. */

import * as Target from "../../domain/Target.js"
import * as When from "../../domain/When.js"
import * as Bids from "./Bids.js"
import type { Change, Part } from "./Change.js"
import * as OrderInSupply from "./fulfilment/OrderInSupply.js"
import type { HeldReason } from "./HeldReason.js"

/** `kill` stops every request of the account; the others hold changes of plans. */
export type Kind = "account" | "kill" | "policy" | "target"

/** A scope: for `policy` its id, for `target` a key as `Target.key` writes it, else empty. */
export interface Scope {
  readonly kind: Kind
  readonly what: string
}

/** How a target is written. */
export const targetForms =
  "CAMPAIGN, CAMPAIGN/ITEM, CAMPAIGN/ITEM/CLUSTER, item/ITEM, order/ORDER, supply/SUPPLY, promotion/PROMOTION or promotion/PROMOTION/ITEM"

/** Instants are epoch milliseconds. */
export interface OperatorHold extends Scope {
  readonly account: string
  readonly since: number
  /** It ends by itself; absent, somebody has to lift it. */
  readonly until?: number
  readonly by: string
  readonly why?: string
}

export const isStanding = ({ until }: OperatorHold, nowMs: number): boolean =>
  until === undefined || nowMs < until

/** Policy of changes by which a person takes a run back (`bidhelm undo`): a person's word is not held by a hold. */
export const undoPolicy = "undo"

/** Policy of changes that a person asks for by name (`bidhelm call`): holds stop them, limits of rules do not. */
export const callPolicy = "call"

/** True for what a person did with the program, so that rules leave it alone like any other edit. */
export const isPersons = (policy: string): boolean => policy === undoPolicy || policy === callPolicy

/** What would change: whose doing it is, and whose overlay it carries, if any. */
export interface Move extends Pick<Change, "subject"> {
  readonly policy: string
  readonly overlay?: string | undefined
  /** The supply that an order would go into. */
  readonly into?: string | undefined
}

/** True when the hold stops the change. A hold of an item or a campaign covers everything below it. */
export const covers = (
  hold: OperatorHold,
  change: Part<"kind" | "origin" | "subject" | "details" | "after">
): boolean => coversMove(hold, moveOf(change))

const moveOf = (change: Part<"kind" | "origin" | "subject" | "details" | "after">): Move => ({
  policy: change.origin.name,
  subject: change.subject,
  overlay: Bids.overlayOf(change)?.policy,
  into: change.kind === OrderInSupply.name ? String(change.after) : undefined
})

const coversMove = ({ kind, what }: OperatorHold, { into, overlay, policy, subject }: Move): boolean => {
  if (kind === "kill") return true
  if (policy === undoPolicy) return false
  switch (kind) {
    case "account":
      return true
    case "policy":
      return policy === what || overlay === what
    case "target":
      return isBelow(subject, what) || `supply/${into}` === what
  }
}

/** The first standing hold that stops the change, the widest first. */
export const stopping = (
  holds: ReadonlyArray<OperatorHold>,
  change: Part<"kind" | "origin" | "subject" | "details" | "after">,
  nowMs: number
): OperatorHold | undefined => (holds.length === 0 ? undefined : stoppingMove(holds, moveOf(change), nowMs))

/** As `stopping`, of what is no change yet. */
export const stoppingMove = (
  holds: ReadonlyArray<OperatorHold>,
  move: Move,
  nowMs: number
): OperatorHold | undefined =>
  kinds
    .flatMap((kind) => holds.filter((hold) => hold.kind === kind))
    .find((hold) => isStanding(hold, nowMs) && coversMove(hold, move))

const kinds: ReadonlyArray<Kind> = ["kill", "account", "policy", "target"]

const isBelow = (subject: Change["subject"], what: string): boolean => {
  const { campaignId, cluster, itemId } = subject
  if (what.startsWith("item/")) return `item/${itemId}` === what
  if (/^[a-z]+\//.test(what)) {
    const key = Target.key(subject)
    return key === what || key.startsWith(`${what}/`)
  }
  const [campaign, item, ...rest] = what.split("/")
  if (campaign !== String(campaignId)) return false
  if (item === undefined) return true
  if (item !== String(itemId)) return false
  return rest.length === 0 || rest.join("/") === cluster
}

/** `campaign 777`, `policy 01-raise`, `the account`. */
export const scopeText = ({ kind, what }: Scope): string => {
  switch (kind) {
    case "account":
      return "the account"
    case "kill":
      return "every request of the account (kill switch)"
    case "policy":
      return `policy ${what}`
    case "target":
      return what.includes("/") ? `target ${what}` : `campaign ${what}`
  }
}

/** The command that lifts a hold. */
export const resumeWith = (scope: Scope, among?: Among): string => command(resumeOf(scope), among)

/** An account, and how many the configuration has: absent in what is told away from it, such as plans, logs and journals. */
export interface Among {
  readonly account: string
  readonly accounts?: number
}

/** A command as it works when it is typed: it names the account unless there is but one. */
export const command = (words: string, among: Among | undefined): string =>
  among === undefined || among.accounts === 1 ? words : `${words} --account ${among.account}`

const resumeOf = ({ kind, what }: Scope): string => {
  switch (kind) {
    case "account":
      return "bidhelm resume"
    case "kill":
      return "bidhelm resume --kill"
    case "policy":
      return `bidhelm resume --policy ${what}`
    case "target":
      return `bidhelm resume --target ${/^[\w/]+$/.test(what) ? what : `'${what}'`}`
  }
}

/**
 * `on hold by anna since 2026-09-01 15:00, until 2026-09-04 15:00: checking stock`. Whoever shows it cleans it: the reason
 * is as it was typed. `zoneText` stands behind each time, where the zone is not the reader's.
 */
export const text = (hold: OperatorHold, zone: string, zoneText = ""): string => {
  const at = (ms: number): string => `${When.text(ms, zone)}${zoneText}`
  return `on hold by ${hold.by} since ${at(hold.since)}${hold.until === undefined ? "" : `, until ${at(hold.until)}`}${hold.why === undefined ? "" : `: ${hold.why}`}`
}

/** What is said of a hold that stood `before` one that took its place and ends then, or is lifted by somebody. */
export const replacedText = (before: OperatorHold, until: number | undefined, zone: string): string => {
  const endsEarlier = until !== undefined && (before.until === undefined || until < before.until)
  return `It took the place of one that stood: ${text(before, zone)}${endsEarlier ? ". Attention: the new one ends earlier" : ""}.`
}

/** What a held change says. */
export const verdict = (hold: OperatorHold, zone: string): HeldReason => ({ code: "hold", ...hold, zone })
