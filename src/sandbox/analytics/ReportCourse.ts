/**
 * What becomes of a CSV report task: waiting, being made, then ready or failed (not-shown §7.3). A try lasts 15 to 90
 * seconds; about one in ten fails and one in ten is tried again by the service itself. A task whose name contains
 * "fail" fails at its first try and succeeds at the second; one whose id was used again is spoilt for good (A22).
 */
import * as Dice from "../Dice.js"
import type { Report } from "../shop/State.js"

export type Status = "WAITING" | "PROCESSING" | "RETRY" | "SUCCESS" | "FAILED"

export interface Stage {
  readonly status: Status
  /** When generation ended; undefined while it goes on. */
  readonly endedAt: number | undefined
}

/** How long a finished file is kept (seed 002 "CSV reports"). */
export const keptMs = 48 * 3_600_000

export const at = (seed: number, report: Report, nowMs: number): Stage => {
  const tries = report.triesAt.filter((instant) => instant <= nowMs)
  const startedAt = tries.at(-1) ?? report.createdAt
  const number = Math.max(1, tries.length)
  const hash = Dice.roll(Dice.ofText(seed, report.id), 921, number)
  const endsAt = startedAt + Math.round(Dice.between(Dice.mix(hash, 1), 15_000, 90_000))
  if (report.spoiltAt !== undefined && report.spoiltAt <= nowMs) {
    const endedAt = Math.max(report.spoiltAt, startedAt)
    return { status: "FAILED", endedAt }
  }
  const chance = Dice.unit(Dice.mix(hash, 2))
  if (nowMs >= endsAt)
    return { status: fails(report, number, chance) ? "FAILED" : "SUCCESS", endedAt: endsAt }
  return { status: underWay(chance, (nowMs - startedAt) / (endsAt - startedAt)), endedAt: undefined }
}

const fails = (report: Report, number: number, chance: number): boolean =>
  report.name.toLowerCase().includes("fail") ? number === 1 : chance < 0.1

const underWay = (chance: number, part: number): Status => {
  if (part < 0.2) return "WAITING"
  return chance > 0.9 && part >= 0.4 && part < 0.6 ? "RETRY" : "PROCESSING"
}
