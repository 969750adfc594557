/**
 * The desk of a scarce source. What was read in an earlier run and is still fresh costs no call. As long as the calls
 * suffice for every key that may still come, a key is asked as soon as it comes; else all comers of a phase are waited
 * for, and the calls go to the keys that are worth them (`Worth.ts`). The rest is left: unknown, not fetched.
 */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { DayRange } from "../../domain/Days.js"
import type * as Target from "../../domain/Target.js"
import type { Window } from "../../domain/Window.js"
import type { Source } from "../facts/Sources.js"
import * as Desk from "./Desk.js"
import type { FactAnswer, FactSource, Remembered } from "./FactSource.js"
import type { Line } from "./Line.js"
import { type Memory, Recall } from "./Recall.js"
import * as Worth from "./Worth.js"

interface Waiting extends Worth.Candidate {
  readonly key: Target.Subject
  readonly claims: Array<Worth.Claim>
}

interface Pool {
  readonly waiting: Map<string, Waiting>
  /** Callers that have not come yet, and those of them that have not said how many keys they may bring. */
  comers: number
  unforeseen: number
  /** Keys the others may bring at most. */
  foreseen: number
}

export class ScarceDesk extends Desk.Desk {
  private readonly pools = new Map<Desk.Phase, Pool>()
  /** Policies that want each key, for the account of what was left. */
  private readonly wanted = new Map<string, Set<string>>()
  private readonly recall: Recall

  constructor(
    source: Source,
    window: Window | undefined,
    days: DayRange | undefined,
    line: Line<FactSource>,
    ledger: Desk.Ledger,
    memory: Memory | undefined,
    /** From 0 to below 1, another in every run; see `Worth.choose`. */
    private readonly dice: number
  ) {
    super(source, window, days, line, ledger)
    this.recall = new Recall(source, memory, ledger.failures)
  }

  override expect(phase: Desk.Phase, count: number): void {
    const pool = this.pool(phase)
    pool.comers += count
    pool.unforeseen += count
  }

  override foresee(
    phase: Desk.Phase,
    before: number | undefined,
    now: number
  ): Effect.Effect<void, never, FactSource> {
    return Effect.suspend(() => {
      const pool = this.pool(phase)
      if (before === undefined) pool.unforeseen -= 1
      pool.foreseen += now - (before ?? 0)
      return this.send(pool)
    })
  }

  override bring(
    phase: Desk.Phase,
    keys: ReadonlyArray<Target.Subject>,
    plea?: Desk.Plea
  ): Effect.Effect<void, never, FactSource> {
    return Effect.gen(this, function* () {
      const pool = this.pool(phase)
      yield* this.enter(pool, keys, plea?.policy)
      this.said(pool, plea?.foreseen)
      yield* this.send(pool)
      if (plea !== undefined && !this.isPlenty()) yield* this.claim(pool, keys, plea)
      pool.comers -= 1
      yield* this.send(pool)
      yield* this.wait(keys)
    })
  }

  override pass(phase: Desk.Phase, foreseen?: number): Effect.Effect<void, never, FactSource> {
    return Effect.suspend(() => {
      const pool = this.pool(phase)
      this.said(pool, foreseen)
      pool.comers -= 1
      return this.send(pool)
    })
  }

  protected override keep(keys: ReadonlyArray<Target.Subject>, answer: FactAnswer): Effect.Effect<void> {
    return this.recall.keep(this.answersOf(keys, answer))
  }

  override close(): Effect.Effect<void> {
    return this.recall.close
  }

  private pool(phase: Desk.Phase): Pool {
    const existing = this.pools.get(phase)
    if (existing !== undefined) return existing
    const made: Pool = { waiting: new Map(), comers: 0, unforeseen: 0, foreseen: 0 }
    this.pools.set(phase, made)
    return made
  }

  private tally(): Desk.Tally {
    const { operation } = this.source
    const existing = this.ledger.scarce.get(operation)
    if (existing !== undefined) return existing
    const made: Desk.Tally = { asked: 0, left: 0, policies: new Map() }
    this.ledger.scarce.set(operation, made)
    return made
  }

  private note(name: string, policy: string): void {
    const policies = this.wanted.get(name) ?? new Set()
    this.wanted.set(name, policies)
    if (policies.has(policy)) return
    policies.add(policy)
    this.perPolicy(policy).wanted += 1
  }

  private perPolicy(policy: string) {
    const { policies } = this.tally()
    const found = policies.get(policy) ?? { wanted: 0, left: 0 }
    policies.set(policy, found)
    return found
  }

  private isPlenty(): boolean {
    return this.ledger.scarceCallsLeft === Number.POSITIVE_INFINITY
  }

  private recalled(keys: ReadonlyArray<Target.Subject>): Effect.Effect<ReadonlyMap<string, Remembered>> {
    return this.recall.of(keys.map((key) => this.nameOf(key)))
  }

  /** Puts keys that nobody has brought before among those that wait, or takes their answer from memory. */
  private enter(pool: Pool, keys: ReadonlyArray<Target.Subject>, policy: string | undefined) {
    return Effect.gen(this, function* () {
      const recalled = yield* this.recalled(keys)
      const nowMs = yield* Clock.currentTimeMillis
      for (const key of keys) {
        const name = this.nameOf(key)
        if (policy !== undefined) this.note(name, policy)
        if (this.waits.get(key) !== undefined) continue
        this.waits.set(key, [])
        const answer = recalled.get(name)
        if (answer !== undefined && this.recall.isFresh(answer, nowMs)) this.reuse(key, answer)
        else pool.waiting.set(name, { name, key, readAt: answer?.readAt, claims: [] })
      }
    })
  }

  /** What the keys that still wait are worth, once that can be told. */
  private claim(pool: Pool, keys: ReadonlyArray<Target.Subject>, plea: Desk.Plea): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      yield* plea.ready
      const still = keys.filter((key) => pool.waiting.has(this.nameOf(key)))
      if (still.length === 0) return
      const claims = plea.claims(yield* this.recalled(still))
      for (const [name, claim] of claims) pool.waiting.get(name)?.claims.push(claim)
    })
  }

  /** A comer has come: what it foresaw is no longer to come. */
  private said(pool: Pool, foreseen: number | undefined): void {
    if (foreseen === undefined) pool.unforeseen -= 1
    else pool.foreseen -= foreseen
  }

  /** Asks what is due; calls are counted at once, before any other fiber can want them. */
  private send(pool: Pool): Effect.Effect<void, never, FactSource> {
    const { batch } = this.source
    const capacity = this.ledger.scarceCallsLeft * batch
    const size = pool.waiting.size
    const everybody = pool.comers <= 0
    const suffices = this.isPlenty() || (pool.unforeseen === 0 && size + pool.foreseen <= capacity)
    if (size === 0 || (!everybody && !(suffices && size >= batch))) return Effect.void
    const all = [...pool.waiting.values()]
    pool.waiting.clear()
    const chosen = suffices ? all : Worth.choose(all, capacity, this.dice)
    const keys = chosen.map(({ key }) => key)
    const calls = Arr.chunksOf(keys, batch)
    this.ledger.scarceCallsLeft -= calls.length
    this.tally().asked += chosen.length
    const asking = this.askAll(calls)
    if (chosen.length === all.length) return asking
    const names = new Set(chosen.map(({ name }) => name))
    return Effect.zipRight(asking, this.leave(all.filter(({ name }) => !names.has(name))))
  }

  private leave(waiting: ReadonlyArray<Waiting>): Effect.Effect<void> {
    this.tally().left += waiting.length
    for (const { name } of waiting)
      for (const policy of this.wanted.get(name) ?? []) this.perPolicy(policy).left += 1
    return Effect.sync(() => {
      for (const { key } of waiting) this.settle(key, [], "notFetched")
    })
  }
}

/** A number from 0 to below 1 that depends on the instant alone. */
export const diceOf = (nowMs: number): number => {
  let h = Math.imul(Math.floor(nowMs / 1000) ^ 0x9e3779b9, 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return ((h ^ (h >>> 16)) >>> 0) / 0x1_0000_0000
}
