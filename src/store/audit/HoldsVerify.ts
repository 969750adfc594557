/**
 * Holds the stops of people in the store against what the audit chain says was placed and lifted. Only the rows of the chain that
 * tell of stops are kept while it is walked, and there are few of them.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { storable } from "../../domain/Storable.js"
import type { AuditRow } from "./AuditEntry.js"

/** A hold as it stands, but for what it holds. */
interface Stop {
  readonly since: number
  readonly until: number | null
  readonly by: string
  readonly why: string | null
}

/** A hold that stands, as one of several: a kill switch that was on already keeps a beginning and a reason of before. */
interface Standing {
  readonly oneOf: ReadonlyArray<Stop>
  /** False when a hold that was carried over may have taken its place: the two share a row where they share a beginning. */
  readonly isSure: boolean
}

/** What the chain says of one scope. */
interface Told {
  stands: ReadonlyArray<Standing>
  /** True when nothing that was purged has a say in it any more. */
  isWhole: boolean
  /** Number of the row that said it last. */
  seq: number
}

const Placed = Schema.parseJson(Schema.Struct({ scope: Schema.String, until: Schema.NullOr(Schema.Number) }))
const Lifted = Schema.parseJson(Schema.Struct({ scope: Schema.String }))
const Carried = Schema.parseJson(
  Schema.Struct({
    kind: Schema.String,
    what: Schema.String,
    since: Schema.Number,
    until: Schema.optional(Schema.Number),
    by: Schema.String,
    why: Schema.optional(Schema.String)
  })
)

const ofStops: ReadonlySet<string> = new Set([
  "hold placed",
  "hold lifted",
  "hold carried over",
  "kill switch engaged",
  "kill switch released",
  "kill switch carried over"
])

/** The stops of an account, as its chain is walked from its end. */
export class Stops {
  private readonly rows: Array<AuditRow> = []
  private lastAt = 0

  take(row: AuditRow): void {
    this.lastAt = Math.max(this.lastAt, row.at)
    if (ofStops.has(row.what)) this.rows.push(row)
  }

  /** Tells `broken` of each stop that is not as the chain says. Rows of before `purgedBefore` (0 when none was purged) are not there. */
  compare(
    sql: SqlClient.SqlClient,
    account: string,
    purgedBefore: number,
    broken: (seq: number, what: string) => void
  ): Effect.Effect<void, SqlError> {
    return Effect.gen(this, function* () {
      const nowMs = Math.max(this.lastAt, yield* Clock.currentTimeMillis)
      const found =
        yield* sql<StoredHold>`SELECT kind, what, since, ends_at, placed_by, why FROM operator_holds
        WHERE account = ${account} AND lifted_at IS NULL`
      const stored = new Map<string, Array<Stop>>()
      for (const row of found) {
        const scope = named(row)
        const stops = stored.get(scope) ?? []
        stored.set(scope, stops)
        stops.push(stopOf(row))
      }
      const told = replayed(this.rows)
      for (const scope of new Set([...told.keys(), ...stored.keys()])) {
        const { isWhole, seq, stands } = told.get(scope) ?? { isWhole: false, seq: 0, stands: [] }
        const left = [...(stored.get(scope) ?? [])]
        for (const { isSure, oneOf } of stands) {
          const exact = left.findIndex((one) => oneOf.some((stop) => isSame(one, stop)))
          // A kill switch that is on since before goes on with a beginning that was purged.
          const isOld = (one: Stop) => scope === "kill" && !isWhole && one.since < purgedBefore
          const at = exact >= 0 ? exact : left.findIndex(isOld)
          if (at >= 0) left.splice(at, 1)
          // One that has ended by the clock holds nothing, and is forgotten.
          else if (isSure && oneOf.every(({ until }) => until === null || until > nowMs)) {
            const changed = left.findIndex((one) => oneOf.some(({ since }) => since === one.since))
            if (changed >= 0) left.splice(changed, 1)
            broken(
              seq,
              changed >= 0
                ? `the stop of "${scope}" is not as it was placed: it was edited in the store`
                : `the stop of "${scope}" does not stand in the store, and nobody lifted it`
            )
          }
        }
        for (const { since } of left) {
          if (!isWhole && since < purgedBefore) continue
          broken(
            seq,
            seq > 0
              ? `a stop of "${scope}" stands in the store that the chain says was lifted, or never placed`
              : `a stop of "${scope}" stands in the store that nobody placed`
          )
        }
      }
    })
  }
}

interface StoredHold {
  readonly kind: string
  readonly what: string
  readonly since: number
  readonly ends_at: number | null
  readonly placed_by: string
  readonly why: string | null
}

/** What stands of each scope after these rows, latest first. */
const replayed = (rows: ReadonlyArray<AuditRow>): ReadonlyMap<string, Told> => {
  const told = new Map<string, Told>()
  for (const row of rows.toReversed()) {
    const event = eventOf(row)
    if (event === undefined) continue
    const before = told.get(event.scope) ?? { stands: [], isWhole: false, seq: 0 }
    told.set(event.scope, { ...before, ...after(event, before), seq: row.seq })
  }
  return told
}

type Event =
  | { readonly _tag: "Lifted"; readonly scope: string }
  | { readonly _tag: "Placed" | "Carried"; readonly scope: string; readonly stop: Stop }

const after = (event: Event, { isWhole, stands }: Told): Pick<Told, "stands" | "isWhole"> => {
  if (event._tag === "Lifted") return { stands: [], isWhole: true }
  const { scope, stop } = event
  if (event._tag === "Carried")
    return { stands: [...stands.flatMap((one) => beside(stop, one)), only(stop)], isWhole }
  // A kill switch that was on goes on since then, and with the reason of then unless there is a new one.
  if (scope !== "kill") return { stands: [only(stop)], isWhole: true }
  const before = stands.flatMap(({ oneOf }) => oneOf)
  return { stands: [{ oneOf: [stop, ...before, ...mixed(stop, before)], isSure: true }], isWhole }
}

const only = (stop: Stop): Standing => ({ oneOf: [stop], isSure: true })

/** What may be left of a hold beside one that was carried over. */
const beside = (carried: Stop, { isSure, oneOf }: Standing): ReadonlyArray<Standing> => {
  const others = oneOf.filter(({ since }) => since !== carried.since)
  if (others.length === 0) return []
  return [{ oneOf: others, isSure: isSure && others.length === oneOf.length }]
}

/** The beginning of one with the reason of another. */
const mixed = (stop: Stop, others: ReadonlyArray<Stop>): ReadonlyArray<Stop> =>
  others.map(({ since }) => ({ ...stop, since }))

/** What a row says; nothing where it cannot be read, for then it was edited. */
const eventOf = (row: AuditRow): Event | undefined => {
  if (row.what.endsWith("carried over"))
    return Option.getOrUndefined(
      Option.map(
        Schema.decodeUnknownOption(Carried)(row.after_value),
        ({ by, kind, since, until, what, why }): Event => ({
          _tag: "Carried",
          scope: named({ kind, what }),
          stop: {
            since: Math.floor(since),
            until: until === undefined ? null : Math.floor(until),
            by: storable(by),
            why: why === undefined ? null : storable(why)
          }
        })
      )
    )
  if (row.what === "hold lifted" || row.what === "kill switch released")
    return Option.getOrUndefined(
      Option.map(
        Schema.decodeUnknownOption(Lifted)(row.before_value),
        ({ scope }): Event => ({ _tag: "Lifted", scope })
      )
    )
  return Option.getOrUndefined(
    Option.map(
      Schema.decodeUnknownOption(Placed)(row.after_value),
      ({ scope, until }): Event => ({
        _tag: "Placed",
        scope,
        stop: {
          since: row.at,
          until: until === null ? null : Math.floor(until),
          by: row.who,
          why: row.why
        }
      })
    )
  )
}

const stopOf = ({ ends_at, placed_by, since, why }: StoredHold): Stop => ({
  since: Number(since),
  until: ends_at === null ? null : Number(ends_at),
  by: storable(placed_by),
  why: why === null ? null : storable(why)
})

const isSame = (one: Stop, other: Stop): boolean =>
  one.since === other.since && one.until === other.until && one.by === other.by && one.why === other.why

/** As `PersonAudit` names a scope in the chain. */
const named = ({ kind, what }: { readonly kind: string; readonly what: string }): string =>
  what === "" ? kind : `${kind} ${what}`
