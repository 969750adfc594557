/**
 * Where one run's facts come together: the table all policies share, one desk per source and window, and what went
 * wrong on the way.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Target from "../../domain/Target.js"
import * as Window from "../../domain/Window.js"
import * as Cell from "../facts/Cell.js"
import type { SourceNeed } from "../facts/Needs.js"
import * as Sources from "../facts/Sources.js"
import * as Table from "../facts/Table.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import type { Each } from "../language/Policy.js"
import * as Desk from "./Desk.js"
import { Line } from "./Line.js"
import type { FactSource } from "./Ports.js"

export interface OfficeOptions {
  /** IANA zone of the account's business day (field notes M23, A05). */
  readonly zone: string
  /** Calls of scarce sources this run may make; `burst + maxWait / interval`. Unlimited when left out. */
  readonly maxScarceCalls?: number
}

export class Office {
  readonly ledger: Desk.Ledger
  private readonly desks = new Map<string, Desk.Desk>()
  private readonly lines = new Map<string, Line>()
  private readonly tables: Readonly<Record<Each, Table.Table>>

  constructor(
    scope: Scope.Scope,
    readonly nowMs: number,
    private readonly options: OfficeOptions,
    /** Fact ids that are kept; the rest of an answer is dropped. */
    private readonly wanted: ReadonlySet<string>
  ) {
    const cluster = Table.make("cluster")
    this.tables = {
      cluster,
      campaign_item: Table.finer(cluster, "campaign_item"),
      campaign: Table.finer(cluster, "campaign")
    }
    const scarceCallsLeft = options.maxScarceCalls ?? Number.POSITIVE_INFINITY
    this.ledger = { scope, failures: [], left: new Map(), stopped: false, scarceCallsLeft }
  }

  /** Rows of a kind; all kinds share the facts of their coarser levels. */
  table(each: Each): Table.Table {
    return this.tables[each]
  }

  desk(ask: SourceNeed): Desk.Desk {
    const name = nameOf(ask)
    const existing = this.desks.get(name)
    if (existing !== undefined) return existing
    const days =
      ask.window === undefined ? undefined : Window.resolve(ask.window, this.nowMs, this.options.zone)
    const source = Sources.sources[ask.source]
    const made = new Desk.Desk(source, ask.window, days, this.line(source.operation), this.ledger)
    this.desks.set(name, made)
    return made
  }

  private line(operation: string): Line {
    const existing = this.lines.get(operation)
    if (existing !== undefined) return existing
    const made = new Line()
    this.lines.set(operation, made)
    return made
  }

  /** Brings keys to the asks' desks side by side and enters the answers; rows before facts about them. */
  learn(
    asks: ReadonlyArray<SourceNeed>,
    phase: Desk.Phase,
    keysOf: (source: Sources.Source) => ReadonlyArray<Target.Target>
  ): Effect.Effect<void, never, FactSource> {
    const universeFirst = [...asks].sort(
      (a, b) => Number(b.source === "clusters") - Number(a.source === "clusters")
    )
    return Effect.forEach(
      universeFirst,
      (ask) => {
        const desk = this.desk(ask)
        return Effect.map(desk.bring(phase, keysOf(desk.source)), (answers) => ({ desk, answers }))
      },
      { concurrency: "unbounded" }
    ).pipe(
      Effect.flatMap((brought) =>
        Effect.sync(() => {
          for (const { desk, answers } of brought) for (const answer of answers) this.enter(desk, answer)
        })
      )
    )
  }

  /** Writes one key's answer into the table, once, and lets go of it. */
  private enter(desk: Desk.Desk, answer: Desk.KeyAnswer): void {
    const rows = answer.take()
    if (rows === undefined) return
    const factKey = (id: string) =>
      Table.factKey(desk.window === undefined ? { id } : { id, window: desk.window })
    const table = this.tables.cluster
    if (universe.has(desk.source.id)) {
      for (const { target } of rows) if (target !== "account") table.addKey(target)
    }
    for (const fact of Vocabulary.facts) {
      if (fact.source === desk.source.id && this.wanted.has(fact.id)) {
        table.setFor(answer.key, factKey(fact.id), Cell.unknown(answer.missing))
      }
    }
    for (const row of rows) {
      for (const [id, cell] of row.cells) {
        if (this.wanted.has(id)) table.setFor(row.target, factKey(id), cell)
      }
    }
  }
}

/** Only these sources say which rows exist; a bid of a cluster that is not listed does not make it a row. */
const universe: ReadonlySet<string> = new Set<Sources.SourceId>(["campaigns", "clusters"])

const nameOf = (ask: SourceNeed): string =>
  ask.window === undefined ? ask.source : `${ask.source}@${Window.key(ask.window)}`

/** Opens an office at the present instant; its calls end with the scope. */
export const open = (
  options: OfficeOptions,
  wanted: ReadonlySet<string>
): Effect.Effect<Office, never, Scope.Scope> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    return new Office(yield* Effect.scope, nowMs, options, wanted)
  })
