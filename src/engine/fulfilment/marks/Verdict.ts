/**
 * What the marketplace made of a mark, and when to look again (not-shown §4.5; field notes O14, O16). A decision that is not
 * known, absent, or the text "null" blocks: nobody hands over on a guess.
 */

import * as Days from "../../../domain/Days.js"
import * as MarkDecision from "../../../domain/MarkDecision.js"
import type { MarkKind } from "./Mark.js"

/** A label identifier as the marketplace answers it; `value` is undefined where there is none. */
export interface Label {
  readonly key: string
  readonly value: string | undefined
  readonly decision: string | undefined | null
}

/** Codes that stand in the way of a hand-over, as the marketplace spells them, and ours for what it did not say. */
export const refusals = [...MarkDecision.refusals, "no_decision", "unknown_decision"] as const
export type RefusalCode = (typeof refusals)[number]

/** Decisions that let the supply go, of any kind that knows them. */
export const { allowances } = MarkDecision
export type AllowanceCode = (typeof allowances)[number]

export type Verdict =
  /** `isFinal` is false where the check goes on and may still fail, though it blocks no more. */
  | { readonly _tag: "Ready"; readonly code: AllowanceCode; readonly isFinal: boolean }
  | { readonly _tag: "Pending" }
  /** `decision` is what was said where no code of ours is for it. */
  | { readonly _tag: "Refused"; readonly code: RefusalCode; readonly decision?: string }

/** Of every kind, those that appear some day too. */
const always: ReadonlyArray<string> = ["filled", "optional", "required"]
/** Of the kinds that are looked up somewhere else. */
const lookedUp: ReadonlySet<string> = new Set<MarkKind>(["imei", "uin", "sgtin"])

/** The verdict on one label, of a kind that is not known too. A decision of another kind of label is not known for this one. */
export const of = ({ decision, key }: Label): Verdict => {
  if (decision === undefined || decision === null || decision === "" || decision === "null")
    return { _tag: "Refused", code: "no_decision" }
  if (!concerns(key, decision)) return { _tag: "Refused", code: "unknown_decision", decision }
  if (decision === "pending") return { _tag: "Pending" }
  const allowed = allowances.find((code) => code === decision)
  if (allowed !== undefined) return { _tag: "Ready", code: allowed, isFinal: allowed !== "deadlineExceeded" }
  const refused = refusals.find((code) => code === decision)
  return refused === undefined
    ? { _tag: "Refused", code: "unknown_decision", decision }
    : { _tag: "Refused", code: refused }
}

const concerns = (key: string, decision: string): boolean =>
  always.includes(decision) ||
  (lookedUp.has(key) &&
    (decision === "pending" || decision === "deadlineExceeded" || decision.startsWith(key)))

/** What was done about a mark until now; instants are epoch milliseconds. */
export interface Course {
  /** When it was set last. */
  readonly setAtMs: number
  /** When its record was read last; undefined when it never was since. */
  readonly lookedAtMs: number | undefined
  /** How often it was deleted and set again since a person gave it. */
  readonly setAgain: number
}

export type NextStep =
  /** Nothing more is expected. */
  | { readonly _tag: "Done" }
  /** Read the record again then; `isLate` where a check takes longer than any is known to take, and a person should know. */
  | { readonly _tag: "Look"; readonly atMs: number; readonly isLate: boolean }
  /** Delete the mark and set it once more, then look (O16); not before `atMs`. */
  | { readonly _tag: "SetAgain"; readonly atMs: number }
  /** Only a person can mend it. */
  | { readonly _tag: "Person"; readonly code: RefusalCode }

/** A UIN's check ends so long after the contract's specification was loaded (O16). */
const uinMs = 30 * Days.minuteMs
const pauses = { firstMs: 5000, longestMs: 10 * Days.minuteMs }
/** Checks are told to be late after so long: those of a UIN, and others. */
const lateMs = { uin: 2 * uinMs, other: uinMs }

/** What comes next for a mark with this verdict; looks are the farther apart the longer the check takes. */
export const next = (key: MarkKind, verdict: Verdict, course: Course): NextStep => {
  if (verdict._tag === "Pending") return look(key, course)
  if (verdict._tag === "Ready") return verdict.isFinal ? { _tag: "Done" } : look(key, course)
  // The record lags a set by seconds: it may still show what was there before, or nothing.
  if (isWithin(Days.minuteMs, course)) return look(key, course)
  if (verdict.code !== "uinNotFound") return { _tag: "Person", code: verdict.code }
  if (course.setAgain === 0) return { _tag: "SetAgain", atMs: course.setAtMs + uinMs }
  return isWithin(uinMs, course) ? look(key, course) : { _tag: "Person", code: verdict.code }
}

/** Whether the mark was looked at last within this time after it was set, or not at all. */
const isWithin = (spanMs: number, { lookedAtMs, setAtMs }: Course): boolean =>
  lookedAtMs === undefined || lookedAtMs < setAtMs + spanMs

/** Half of the time that passed since the mark was set, within the bounds of a pause. */
const look = (key: MarkKind, { lookedAtMs, setAtMs }: Course): NextStep => {
  const lastMs = Math.max(lookedAtMs ?? setAtMs, setAtMs)
  const passedMs = lastMs - setAtMs
  const pauseMs = Math.min(pauses.longestMs, Math.max(pauses.firstMs, Math.floor(passedMs / 2)))
  // A UIN is not decided sooner, so the first minutes need few looks.
  const atMs =
    key === "uin" && passedMs < uinMs
      ? Math.min(setAtMs + uinMs, lastMs + pauses.longestMs)
      : lastMs + pauseMs
  return { _tag: "Look", atMs, isLate: passedMs > (key === "uin" ? lateMs.uin : lateMs.other) }
}
