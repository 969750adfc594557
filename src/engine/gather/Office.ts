/**
 * Where one run's facts come together: the table all policies share, one desk per source and window, and what went
 * wrong on the way.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Days from "../../domain/Days.js"
import type { CampaignId } from "../../domain/Ids.js"
import * as Storable from "../../domain/Storable.js"
import * as Target from "../../domain/Target.js"
import * as TextOrder from "../../domain/TextOrder.js"
import * as Window from "../../domain/Window.js"
import * as Cell from "../facts/Cell.js"
import type { CampaignDays, DayFigures } from "../facts/DayFigures.js"
import type { SourceNeed } from "../facts/Needs.js"
import * as Needs from "../facts/Needs.js"
import * as Sources from "../facts/Sources.js"
import * as SpendCurve from "../facts/SpendCurve.js"
import * as Table from "../facts/Table.js"
import * as Unlisted from "../facts/Unlisted.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import type { Each } from "../language/Policy.js"
import * as Desk from "./Desk.js"
import { FactMemory, type FactRow, FactSource, type MaxBids, valueIn } from "./FactSource.js"
import { KeptDesk } from "./KeptDesk.js"
import { Line } from "./Line.js"
import * as OwnFacts from "./OwnFacts.js"
import type { Memory } from "./Recall.js"
import * as ScarceDesk from "./ScarceDesk.js"

export interface OfficeOptions {
  /** Calls of scarce sources this run may make; `burst + maxWait / interval`. Unlimited when left out. */
  readonly maxScarceCalls?: number
  /** For how long these calls must last, as people say it: `3 h`. */
  readonly scarceRoom?: string
  /** When the marketplace last refused a change of a campaign: what was kept of it before may be why. */
  readonly refusedAt?: ReadonlyMap<CampaignId, number>
  readonly maxBids?: MaxBids
  /** True where what campaigns did day by day is kept; they may be many. */
  readonly keepsDays?: boolean
  /** Where a policy asks for the share of a day that is usually spent by now. */
  readonly curves?: SpendCurve.Curves
}

/** A source to read; in another phase than its stop's, if it says so. */
export interface Ask extends SourceNeed {
  readonly phase?: Desk.Phase
}

/** The keys that an ask brings to the desk of its source. */
export type KeysOf = (source: Sources.Source, ask: Ask) => ReadonlyArray<Target.Subject>

export class Office {
  readonly ledger: Desk.Ledger
  private readonly desks = new Map<string, Desk.Desk>()
  private readonly lines = new Map<string, Line<FactSource>>()
  /** By the number of a pair in the table: what was answered before its clusters were listed. */
  private readonly early = new Map<number, ReadonlyArray<Early> | "listed">()
  private readonly keepsDays: boolean
  private readonly curves: SpendCurve.Curves | undefined
  private readonly byDay = new Map<CampaignId, CampaignDays>()
  private readonly unnamed = new Map<string, Map<string, Unlisted.Unlisted>>()
  private readonly entries = new Map<Desk.Desk, Entries>()
  private readonly tables: Readonly<Record<Each, Table.Table>>

  constructor(
    scope: Scope.Scope,
    readonly nowMs: number,
    options: OfficeOptions,
    /** Fact ids that are kept; the rest of an answer is dropped. */
    private readonly wanted: ReadonlySet<string>,
    /** Facts from tables of the seller's: entered as soon as what they are about is known. */
    private readonly tablesOfSeller: OwnFacts.Tables,
    /** What earlier runs read. */
    private readonly memory?: Memory
  ) {
    const cluster = Table.make("cluster")
    this.tables = {
      cluster,
      campaign_item: Table.view(cluster, "campaign_item"),
      item: Table.view(cluster, "item"),
      campaign: Table.view(cluster, "campaign"),
      promotion: Table.view(cluster, "promotion"),
      promotion_item: Table.view(cluster, "promotion_item"),
      account: Table.view(cluster, "account")
    }
    this.keepsDays = options.keepsDays === true
    this.curves = options.curves
    const scarceCallsLeft = options.maxScarceCalls ?? Number.POSITIVE_INFINITY
    const enter = (desk: Desk.Desk, answer: Desk.KeyAnswer) => this.enter(desk, answer)
    const numberOf: Desk.Ledger["numberOf"] = (key, level) => this.tables[level].indexOf(key)
    this.ledger = {
      scope,
      nowMs,
      enter,
      numberOf,
      failures: [],
      scarce: new Map(),
      remembered: new Map(),
      unstorable: 0,
      stopped: false,
      scarceCallsLeft
    }
  }

  /** Rows of a kind; all kinds share the facts of their coarser levels. */
  table(each: Each): Table.Table {
    return this.tables[each]
  }

  /** Sources that were read or were to be read, with their windows: `clusterStats@7d`; sorted. */
  get asked(): ReadonlyArray<string> {
    return [...this.desks.keys()].sort()
  }

  desk(ask: SourceNeed): Desk.Desk {
    const name = Needs.keyOf(ask)
    const existing = this.desks.get(name)
    if (existing !== undefined) return existing
    const days = ask.window === undefined ? undefined : Window.resolve(ask.window, this.nowMs)
    const source = Sources.sources[ask.source]
    const made = this.makeDesk(source, ask.window, days)
    this.desks.set(name, made)
    return made
  }

  /** When the oldest answer of each source and window was read in this run, by `Needs.keyOf`; epoch milliseconds. */
  get readings(): ReadonlyMap<string, number> {
    const read = [...this.desks].flatMap(([name, { oldestReadAt }]) =>
      oldestReadAt === undefined ? [] : [[name, oldestReadAt] as const]
    )
    return new Map(read.sort(TextOrder.byKey))
  }

  private makeDesk(source: Sources.Source, window: SourceNeed["window"], days: Days.DayRange | undefined) {
    const line = this.line(source.operation)
    if (source.cost !== "scarce") {
      return source.isKept === true && this.memory !== undefined
        ? new KeptDesk(source, window, days, line, this.ledger, this.memory)
        : new Desk.Desk(source, window, days, line, this.ledger)
    }
    const dice = ScarceDesk.diceOf(this.nowMs)
    return new ScarceDesk.ScarceDesk(source, window, days, line, this.ledger, this.memory, dice)
  }

  private line(operation: string): Line<FactSource> {
    const existing = this.lines.get(operation)
    if (existing !== undefined) return existing
    const made = new Line<FactSource>()
    this.lines.set(operation, made)
    return made
  }

  /**
   * Brings keys to the asks' desks side by side; done when all answers are in the table. Scarce desks are told by
   * `pleaFor` what the keys are worth.
   */
  learn(
    asks: ReadonlyArray<Ask>,
    phase: Desk.Phase,
    keysOf: KeysOf,
    pleaFor?: (keys: ReadonlyArray<Target.Subject>) => Omit<Desk.Plea, "ready">
  ): Effect.Effect<void, never, FactSource> {
    const others = asks.filter((ask) => !isScarce(ask))
    const entered = Deferred.unsafeMake<void>(FiberId.none)
    // An action's other facts wait for the slowest of all flows, and no claim needs them.
    const ready = phase === "actions" ? Effect.void : Deferred.await(entered)
    const plea = (keys: ReadonlyArray<Target.Subject>): Desk.Plea | undefined => {
      const made = pleaFor?.(keys)
      return made === undefined ? undefined : { ...made, ready }
    }
    const scarce = asks.filter(isScarce)
    const plain = this.bringPlain(others, phase, keysOf)
    if (scarce.length === 0) return plain
    return Effect.all(
      [Effect.zipRight(plain, Deferred.succeed(entered, undefined)), this.bring(scarce, phase, keysOf, plea)],
      { concurrency: "unbounded", discard: true }
    )
  }

  /** All keys come before any answer is waited for, so that nobody needs a fiber for each desk. */
  private bringPlain(
    asks: ReadonlyArray<Ask>,
    phase: Desk.Phase,
    keysOf: KeysOf
  ): Effect.Effect<void, never, FactSource> {
    return Effect.forEach(asks, (ask) => {
      const desk = this.desk(ask)
      return desk.handIn(ask.phase ?? phase, keysOf(desk.source, ask))
    }).pipe(Effect.flatMap((all) => Effect.forEach(all, (answered) => answered, { discard: true })))
  }

  private bring(
    asks: ReadonlyArray<Ask>,
    phase: Desk.Phase,
    keysOf: KeysOf,
    plea: (keys: ReadonlyArray<Target.Subject>) => Desk.Plea | undefined
  ): Effect.Effect<void, never, FactSource> {
    return Effect.forEach(
      asks,
      (ask) => {
        const desk = this.desk(ask)
        const keys = keysOf(desk.source, ask)
        return desk.bring(ask.phase ?? phase, keys, plea(keys))
      },
      { concurrency: "unbounded", discard: true }
    )
  }

  /** Has every desk keep what it has read for later runs. */
  close(): Effect.Effect<void> {
    return Effect.forEach(this.desks.values(), (desk) => desk.close(), { discard: true })
  }

  /** Writes one key's answer into the table. */
  private enter(desk: Desk.Desk, { key, missing, rows }: Desk.KeyAnswer): void {
    if (universe.has(desk.source.id)) {
      const found = rows.map(({ target }) => target).filter((target) => target !== "account")
      this.enterFound(found)
      this.enterShares(found)
    }
    const early: Early = { desk, key, missing, rows }
    this.write(early)
    if (key === "account" || key.itemId === undefined) return
    const pair = this.tables.campaign_item.indexOf(key)
    if (pair === undefined) return
    const before = this.early.get(pair) ?? []
    if (desk.source.id === "clusters") {
      for (const one of before === "listed" ? [] : before) {
        this.write(one)
        this.enterUnlisted(one)
      }
      this.early.set(pair, "listed")
    } else if (!tellsOfClusters.has(desk.source.id)) return
    else if (before === "listed") this.enterUnlisted(early)
    else this.early.set(pair, [...before, early])
  }

  /** Rows that have become known, with what the seller's tables say of them. */
  enterFound(found: ReadonlyArray<Target.Subject>): void {
    for (const target of found) this.tables.cluster.addKey(target)
    OwnFacts.enter(this.tablesOfSeller, this.tables.cluster, found, this.nowMs)
  }

  private write({ desk, key, missing, rows }: Early): void {
    const table = this.tables.cluster
    const entries = this.entriesOf(desk)
    const [row] = rows
    const tellsAll = row !== undefined && entries.areAllOf(row.facts) && Desk.isSameKey(key, row.target)
    for (let from = 0, to = 0; from < rows.length; from = to) {
      const { facts } = rows[from]!
      while (to < rows.length && rows[to]!.facts === facts) to++
      table.give(rows.slice(from, to), entries.of(facts))
    }
    for (const { days, target } of rows)
      if (days !== undefined && target !== "account") this.enterDays(desk, target, days)
    // An answer without a row of it says that it did nothing; one that failed says nothing.
    if (rows.length === 0 && missing === "absent" && key !== "account" && desk.source.id === "campaignStats")
      this.enterDays(desk, key, [])
    if (!tellsAll) table.leave(key, entries.all, Cell.unknown(missing))
    if (desk.source.id === codes && this.tablesOfSeller.needsVendorCodes) this.enterCoded(key, rows)
  }

  /** As soon as a campaign is known: a condition may ask for it before anything is read. */
  private enterShares(found: ReadonlyArray<Target.Subject>): void {
    if (this.curves === undefined) return
    for (const { campaignId, itemId } of found) {
      if (campaignId === undefined || itemId !== undefined) continue
      const share = SpendCurve.shareAt(this.curves, campaignId, this.nowMs)
      const cell = share === undefined ? Cell.unknown("unlearned") : Cell.known(share)
      this.tables.campaign.setFor({ campaignId }, SpendCurve.fact, cell)
    }
  }

  /** Of several windows the longest tells all days of the others. */
  private enterDays(
    { days: range }: Desk.Desk,
    { campaignId }: Target.Subject,
    days: ReadonlyArray<DayFigures>
  ): void {
    if (!this.keepsDays || campaignId === undefined || range === undefined) return
    const known = this.byDay.get(campaignId)
    if (known === undefined || Days.length(range) > Days.length(known.range))
      this.byDay.set(campaignId, { range, days })
  }

  /** Once the clusters of the pair are listed: what statistics tell of others. */
  private enterUnlisted({ desk: { source, window }, key, rows }: Early): void {
    if (!this.keepsDays || source.id !== "clusterStats" || window === undefined || key === "account") return
    let sum: Unlisted.Unlisted | undefined
    for (const row of rows) {
      const { target } = row
      if (target === "account" || target.cluster === undefined) continue
      if (this.tables.cluster.indexOf(target) !== undefined) continue
      sum = Unlisted.added(sum, countedIn(row), !Storable.isStorable(target.cluster))
    }
    if (sum === undefined) return
    const pair = Target.key(key)
    const known = this.unnamed.get(pair) ?? new Map<string, Unlisted.Unlisted>()
    this.unnamed.set(pair, known.set(Window.key(window), sum))
  }

  /** Statistics of clusters without rows, where what campaigns did day by day is kept. */
  get unlisted(): Unlisted.ByPair {
    return this.unnamed
  }

  /** What campaigns did day by day, as far as their statistics were read for anything. */
  get campaignDays(): ReadonlyMap<CampaignId, CampaignDays> {
    return this.byDay
  }

  /** An item that the report leaves out may have any code. */
  private enterCoded(key: Early["key"], rows: Early["rows"]): void {
    const itemId = key === "account" ? undefined : key.itemId
    const row = rows.find(({ target }) => target !== "account" && target.itemId === itemId)
    if (itemId === undefined || row === undefined) return
    const told = valueIn(row, vendorCode)
    const code = typeof told === "string" ? told : undefined
    OwnFacts.enterCoded(this.tablesOfSeller, this.tables.cluster, itemId, code, this.nowMs)
  }

  private entriesOf(desk: Desk.Desk): Entries {
    const existing = this.entries.get(desk)
    if (existing !== undefined) return existing
    const { source, window } = desk
    const table = this.tables.cluster
    const made = new Entries(source.id, this.wanted, (id) =>
      table.entry(Table.factKey(window === undefined ? { id } : { id, window }))
    )
    this.entries.set(desk, made)
    return made
  }
}

/** Where the facts of one desk's answers are entered; those that nobody wants are nowhere. */
class Entries {
  /** Of all facts of the source. */
  readonly all: ReadonlyArray<Table.Entry>
  private readonly byId = new Map<string, Table.Entry>()
  private readonly byFacts = new WeakMap<FactRow["facts"], ReadonlyArray<Table.Entry | undefined>>()
  private readonly complete = new WeakMap<FactRow["facts"], boolean>()

  constructor(
    source: string,
    private readonly wanted: ReadonlySet<string>,
    private readonly make: (factId: string) => Table.Entry
  ) {
    this.all = Vocabulary.facts.flatMap((fact) => (fact.source === source ? (this.one(fact.id) ?? []) : []))
  }

  /** Of the facts of a row; rows that share these share the answer. */
  of(facts: FactRow["facts"]): ReadonlyArray<Table.Entry | undefined> {
    const existing = this.byFacts.get(facts)
    if (existing !== undefined) return existing
    const made = facts.map((id) => this.one(id))
    this.byFacts.set(facts, made)
    return made
  }

  /** Whether a row of these facts leaves none out. */
  areAllOf(facts: FactRow["facts"]): boolean {
    const existing = this.complete.get(facts)
    if (existing !== undefined) return existing
    const told = new Set(this.of(facts))
    const isComplete = this.all.every((entry) => told.has(entry))
    this.complete.set(facts, isComplete)
    return isComplete
  }

  private one(id: string): Table.Entry | undefined {
    const existing = this.byId.get(id)
    if (existing !== undefined || !this.wanted.has(id)) return existing
    const made = this.make(id)
    this.byId.set(id, made)
    return made
  }
}

/** An answer for a pair whose clusters are not listed yet: what it says of them is written once they are. */
interface Early {
  readonly desk: Desk.Desk
  readonly key: Desk.KeyAnswer["key"]
  readonly missing: Desk.KeyAnswer["missing"]
  readonly rows: ReadonlyArray<FactRow>
}

/** Views, clicks, carts, orders and spend of a cluster's statistics; what it does not tell is nothing. */
const countedIn = (row: FactRow): Omit<Unlisted.Unlisted, "listable"> => {
  const of = (word: string): number => {
    const value = valueIn(row, `cluster.${word}`)
    return typeof value === "number" ? value : 0
  }
  return {
    views: of("views"),
    clicks: of("clicks"),
    carts: of("carts"),
    orders: of("orders"),
    spendKopecks: of("spend")
  }
}

/** Who tells the seller's own codes of items. */
const codes: Sources.SourceId = Needs.codesFrom
const { vendorCode } = Needs

const tellsOfClusters: ReadonlySet<string> = new Set(
  Vocabulary.facts.filter(({ level }) => level === "cluster").map(({ source }) => source)
)

/** Only these sources say which rows exist; a bid of a cluster that is not listed does not make it a row. */
const universe: ReadonlySet<string> = new Set<Sources.SourceId>([
  "campaigns",
  "clusters",
  "promotions",
  "promotionItems"
])

const isScarce = (ask: SourceNeed): boolean => Sources.sources[ask.source].cost === "scarce"

/** Opens an office at the present instant; its calls end with the scope. */
export const open = (
  options: OfficeOptions,
  wanted: ReadonlySet<string>,
  tables: OwnFacts.Tables = OwnFacts.none
): Effect.Effect<Office, never, Scope.Scope | FactSource> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const { account } = yield* FactSource
    const store = Option.getOrUndefined(yield* Effect.serviceOption(FactMemory))
    const { maxBids = {}, refusedAt = new Map<CampaignId, number>() } = options
    const memory = store === undefined ? undefined : { account, store, refusedAt, maxBids }
    const office = new Office(yield* Effect.scope, nowMs, options, wanted, tables, memory)
    // An interrupted run keeps what it has read, too.
    yield* Effect.addFinalizer(() => office.close())
    return office
  })
