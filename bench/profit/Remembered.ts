/**
 * What rules remember, kept in memory: the ports of a plan without their SQL. A change that was accepted counts as seen at
 * once, for the next plan is made minutes later; nobody else edits the account, nothing is deposited and nothing watched.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Days from "../../src/domain/Days.js"
import type { CampaignId } from "../../src/domain/Ids.js"
import * as ForecastDay from "../../src/engine/decide/forecasts/ForecastDay.js"
import * as Hold from "../../src/engine/decide/intents/Hold.js"
import * as Memory from "../../src/engine/decide/intents/Memory.js"
import * as Plausibility from "../../src/engine/decide/limits/Plausibility.js"
import type { Holds } from "../../src/engine/decide/Plan.js"
import { ChangeLog } from "../../src/engine/door/ChangeLog.js"
import { Journal, type JournalRow } from "../../src/engine/door/Journal.js"
import { KillSwitch } from "../../src/engine/door/Stopping.js"
import type { Watched } from "../../src/engine/facts/SpendCurve.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import * as Kinds from "../../src/engine/kinds/Kinds.js"
import type { SlotHistory } from "../../src/engine/kinds/SlotHistory.js"
import { LimitsMemory } from "../../src/engine/planning/LimitsMemory.js"
import { RuleMemory } from "../../src/engine/planning/RuleMemory.js"

export const zone = "Europe/Moscow"

/** Asked of by nobody who plans advertising; an answer would be made up. */
const unasked = (what: string) => Effect.dieMessage(`${what} is not kept in memory`)

const unknownOfRow = {
  runId: "",
  planId: "",
  account: "",
  state: "applied",
  operation: undefined,
  requestHash: undefined,
  reason: undefined
} as const

const nothingAsked: Omit<typeof ChangeLog.Service, "ofSlots" | "applied" | "appliedNamed"> = {
  ofSlotsNamed: () => unasked("a log"),
  named: () => unasked("a log"),
  refused: () => Effect.succeed([]),
  undone: () => unasked("a log"),
  browse: () => unasked("a log"),
  places: () => unasked("a log"),
  policies: unasked("a log"),
  keptSince: () => unasked("a log")
}

export class Remembered {
  private readonly slots = new Map<string, SlotHistory>()
  private readonly counted = new Map<
    string,
    { readonly rule: number; readonly runs: number; readonly countedAt: number }
  >()
  private watched = new Map<CampaignId, Watched>()
  readonly forecastDays = new Map<string, ForecastDay.ForecastDay>()
  private seen: Array<Plausibility.Seen> = []
  private readonly log: Array<Pick<JournalRow, "slot" | "change"> & { readonly sentAt: number }> = []

  /** What the journal would answer of changes sent since an instant, oldest first. */
  private rows(
    sinceMs: number,
    isAsked: (slot: string, change: Change) => boolean
  ): ReadonlyArray<JournalRow> {
    return this.log.flatMap((row) =>
      row.sentAt >= sinceMs && isAsked(row.slot, row.change)
        ? [{ ...row, ...unknownOfRow, updatedAt: row.sentAt }]
        : []
    )
  }

  readonly changeLog: typeof ChangeLog.Service = {
    ...nothingAsked,
    ofSlots: (_, slots, sinceMs = 0) =>
      Effect.sync(() => {
        const wanted = new Set(slots)
        return this.rows(sinceMs, (slot) => wanted.has(slot))
      }),
    applied: (_, policies, sinceMs) =>
      Effect.sync(() => this.rows(sinceMs, (_slot, { origin }) => policies.includes(origin.name))),
    appliedNamed: (_, prefix, sinceMs) =>
      Effect.sync(() => this.rows(sinceMs, (slot) => slot.startsWith(prefix)))
  }

  /** Keeps a change that was accepted. */
  applied(change: Change, atMs: number): void {
    const slot = Kinds.slotOf(change)
    this.log.push({ slot, change, sentAt: atMs })
    const last = this.slots.get(slot)
    const lastAt = last?.lastWritten?.at
    const isSameDay = lastAt !== undefined && Days.at(lastAt, zone) === Days.at(atMs, zone)
    this.slots.set(slot, Memory.after(last, slot, change, atMs, isSameDay))
  }

  readonly ruleMemory: typeof RuleMemory.Service = {
    // The bid before the first change of a day says nothing on the next one.
    slots: (_, dayStartMs) =>
      Effect.sync(
        () =>
          new Map(
            [...this.slots].map(([slot, history]) => [
              slot,
              (history.lastWritten?.at ?? 0) >= dayStartMs ? history : { ...history, dayFirstBid: undefined }
            ])
          )
      ),
    depositMemory: (_, nowMs) => Effect.succeed({ sinceMs: nowMs - 30 * 86_400_000 }),
    figures: (_, sinceMs) => Effect.sync(() => this.seen.filter(({ at }) => at >= sinceMs)),
    keepFigures: (_, at, rules, figures) =>
      Effect.sync(() => {
        const kept = this.seen.filter((one) => one.at >= at - 2 * Plausibility.rememberedMs)
        this.seen = [...kept, ...figures.map((figure) => ({ ...figure, at, rules }))]
      }),
    savePlan: () => Effect.void,
    plan: () => unasked("plan"),
    planMadeAt: () => unasked("planMadeAt"),
    planOf: () => unasked("planOf"),
    forecasts: (_, policies, sinceDay) =>
      Effect.sync(() =>
        [...this.forecastDays.values()]
          .filter(
            ({ day, policy }) => day >= sinceDay && (policies === undefined || policies.includes(policy))
          )
          .sort((a, b) => (ForecastDay.keyOf(a) < ForecastDay.keyOf(b) ? -1 : 1))
      ),
    keepForecasts: (_, made, found) =>
      Effect.sync(() => {
        for (const day of made)
          if (!this.forecastDays.has(ForecastDay.keyOf(day)))
            this.forecastDays.set(ForecastDay.keyOf(day), day)
        for (const day of ForecastDay.withFound([...this.forecastDays.values()], found))
          this.forecastDays.set(ForecastDay.keyOf(day), day)
      }),
    spendCurves: () => Effect.sync(() => new Map(this.watched)),
    keepSpendCurves: (_, watched) =>
      Effect.sync(() => {
        for (const one of watched) this.watched.set(one.campaignId, one)
      }),
    holds: () => Effect.sync((): Holds => new Map(this.counted)),
    keepHolds: (_, counts, at) =>
      Effect.sync(() => {
        for (const { hash, policy, rows } of counts) {
          const before = new Map(this.counted)
          for (const key of before.keys()) if (key.startsWith(`${policy}\u0000`)) this.counted.delete(key)
          for (const { fresh, row, rule, runs } of rows) {
            const key = Hold.key(policy, hash, row)
            this.counted.set(key, { rule, runs, countedAt: fresh ? at : (before.get(key)?.countedAt ?? at) })
          }
        }
      }),
    marks: () => unasked("marks"),
    putOrders: () => unasked("orders"),
    promotionMembers: () => unasked("promotionMembers"),
    keepPromotionMembers: () => unasked("keepPromotionMembers"),
    keepMarks: () => Effect.void
  }
}

/** The ports of a plan. */
export const layer = (
  remembered: Remembered
): Layer.Layer<RuleMemory | Journal | ChangeLog | KillSwitch | LimitsMemory> =>
  Layer.mergeAll(
    Layer.succeed(RuleMemory, remembered.ruleMemory),
    Layer.succeed(LimitsMemory, { known: () => Effect.succeed(undefined), keep: () => Effect.void }),
    Layer.succeed(Journal, journal),
    Layer.succeed(ChangeLog, remembered.changeLog),
    Layer.succeed(KillSwitch, { engaged: Effect.succeed(undefined) })
  )

const journal: typeof Journal.Service = {
  stops: () => Effect.succeed({ holds: [], edits: [] }),
  standing: () => Effect.succeed([]),
  keepEdits: (_, edits) => (edits.length === 0 ? Effect.void : unasked("an edit of somebody else")),
  observeOnly: () => Effect.succeed(undefined),
  reconciledAt: () => Effect.succeed(undefined),
  open: () => Effect.succeed([]),
  deposits: () => Effect.succeed([]),
  acquire: () => unasked("a lock"),
  release: () => unasked("a lock"),
  begin: () => unasked("a run"),
  move: () => unasked("a run"),
  claim: () => unasked("a run"),
  overdue: () => unasked("a run"),
  finish: () => unasked("a run"),
  runs: () => unasked("a run"),
  rows: () => unasked("a run"),
  leftBefore: () => unasked("a run"),
  leftSince: () => unasked("a run")
}
