/**
 * Entries of a list that cannot be read, beside others that can. Which lists may lose one is declared with the operation
 * (`Operation.Entries`), and whoever calls must ask for the rest by `apart` and take what an odd entry would have said
 * as unknown; without both, the whole answer is unreadable (docs/decisions/0052).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Figures from "../domain/Figures.js"
import * as Answer from "./Answer.js"
import type { Batched } from "./Batches.js"
import * as ErrorText from "./ErrorText.js"
import type { Undecodable } from "./MarketplaceError.js"
import type { Apart, Facts } from "./Operation.js"

/** An entry that could not be read. */
export interface OddEntry {
  readonly operation: string
  /** Where it lies in the answer: `["adverts", 3]`. */
  readonly path: ReadonlyArray<string | number>
  /** The field and what is wrong with it: `adverts.3.status: Expected an integer, actual "x"`. */
  readonly problem: string
  /** As it came; read from it only what tells whose it is. */
  readonly raw: unknown
  /** The entry that its list lies in, as it came; undefined for an outermost list. */
  readonly inside: unknown
}

/** What is left of an answer, and what is not. */
export interface Told<A> {
  readonly answer: A
  readonly odd: ReadonlyArray<OddEntry>
}

/** Whoever takes odd entries; undefined where nobody does, and then no answer is read in part. */
class Taker extends Context.Reference<Taker>()("bidhelm/OddEntries", {
  defaultValue: (): ((entries: ReadonlyArray<OddEntry>) => void) | undefined => undefined
}) {}

/** What calls answer without their odd entries, and these beside. */
export const apart = <A, E, R>(calls: Effect.Effect<A, E, R>): Effect.Effect<Told<A>, E, R> =>
  Effect.suspend(() => {
    const odd: Array<OddEntry> = []
    const take = (entries: ReadonlyArray<OddEntry>): void => {
      odd.push(...entries)
    }
    return Effect.map(Effect.provideService(calls, Taker, take), (answer) => ({ answer, odd }))
  })

/** As `apart` for one who stands between: the odd entries go on to whoever takes them, if anybody does. */
export const passing = <A, E, R>(calls: Effect.Effect<A, E, R>): Effect.Effect<Told<A>, E, R> =>
  Effect.flatMap(Taker, (take) =>
    take === undefined
      ? Effect.map(calls, (answer) => ({ answer, odd: [] }))
      : Effect.tap(apart(calls), ({ odd }) => Effect.sync(() => take(odd)))
  )

/** The answer of an unreadable body without its odd entries; none where it cannot be read so, or nobody takes them. */
export const without = (
  facts: Facts,
  success: Schema.Schema.AnyNoContext,
  body: string
): Effect.Effect<Option.Option<unknown>> =>
  Effect.gen(function* () {
    const take = yield* Taker
    const { entries } = facts
    if (take === undefined || entries === undefined || !("apart" in entries)) return Option.none()
    const told = sifted(facts.id, entries.apart, body)
    if (told === undefined || told.odd.length === 0) return Option.none()
    const answer = Schema.decodeUnknownOption(success)(told.answer)
    if (Option.isNone(answer)) return Option.none()
    yield* Figures.add(Figures.figures.oddEntries, { operation: facts.id }, told.odd.length)
    yield* Effect.logWarning(`${facts.id}: ${text(told.odd)}; the others stand`)
    take(told.odd)
    return answer
  })

/** `2 entries could not be read, the first adverts.3.status: Expected an integer, actual "x"`. */
export const text = (odd: ReadonlyArray<OddEntry>): string => {
  const problem = odd[0]?.problem ?? ""
  return odd.length === 1
    ? `an entry could not be read, ${problem}`
    : `${odd.length} entries could not be read, the first ${problem}`
}

/** The error of the keys of which odd entries would have told. */
export const error = (operation: string, odd: ReadonlyArray<OddEntry>): Undecodable =>
  Answer.undecodable(operation, 200, text(odd))

/** Whose an entry is, if that much of it can be read. */
export const named =
  <F, I, K>(fields: Schema.Schema<F, I>, keyOf: (fields: F) => K) =>
  ({ raw }: Pick<OddEntry, "raw">): Option.Option<K> =>
    Option.map(Schema.decodeUnknownOption(fields)(raw), keyOf)

/** An answer about keys that were asked for. */
interface Rows<K, V> {
  readonly operation: string
  readonly asked: ReadonlyArray<K>
  /** Tells keys apart. */
  readonly nameOf: (key: K) => string | number
  readonly rows: ReadonlyArray<V>
  readonly keyOf: (row: V) => K
  readonly odd: ReadonlyArray<OddEntry>
  readonly whose: (entry: OddEntry) => Option.Option<K>
}

/**
 * The rows of keys that no odd entry concerns, and the others as a failure: the keys that odd entries name, and as soon
 * as one names none, also those that no row tells of.
 */
export const parted = <K, V>(answer: Rows<K, V>): Batched<K, V> => {
  const { asked, keyOf, nameOf, odd, operation, rows, whose } = answer
  if (odd.length === 0) return { values: rows, failures: [] }
  const owners = odd.map(whose)
  const names = new Set(owners.flatMap((one) => (Option.isSome(one) ? [nameOf(one.value)] : [])))
  const told = new Set(rows.map((row) => nameOf(keyOf(row))))
  const isAnybody = owners.some(Option.isNone)
  const isLost = (key: K): boolean => names.has(nameOf(key)) || (isAnybody && !told.has(nameOf(key)))
  return {
    values: rows.filter((row) => !isLost(keyOf(row))),
    failures: [{ keys: asked.filter(isLost), error: error(operation, odd) }]
  }
}

/** Undefined where the body is no JSON, or no entry of an outermost list can be read: that is another answer. */
const sifted = (operation: string, lists: ReadonlyArray<Apart>, body: string): Told<unknown> | undefined => {
  const json = ErrorText.parse(body)
  if (Option.isNone(json)) return undefined
  const odd: Array<OddEntry> = []
  // Inner lists first: an entry is as good as what is left of it.
  const ordered = [...lists].sort((a, b) => depth(b) - depth(a))
  let answer: unknown = json.value
  for (const { at, of } of ordered) {
    const read = Schema.decodeUnknownEither(of)
    let kept = 0
    let dropped = 0
    const sift: Sift = (list, path, inside) =>
      list.filter((raw, nth) => {
        const decoded = read(raw)
        if (Either.isRight(decoded)) kept++
        else {
          dropped++
          const place = [...path, nth]
          odd.push({ operation, path: place, problem: Answer.complaint(decoded.left, place), raw, inside })
        }
        return Either.isRight(decoded)
      })
    answer = within(answer, steps(at), sift)
    if (dropped > 0 && kept === 0 && !at.includes("*")) return undefined
  }
  return { answer, odd }
}

type Path = OddEntry["path"]

/** What is kept of a list at a place, which lies in an entry of another one or in none. */
type Sift = (list: ReadonlyArray<unknown>, path: Path, inside: unknown) => ReadonlyArray<unknown>

const steps = (at: string): ReadonlyArray<string> => (at === "" ? [] : at.split("."))

const depth = ({ at }: Apart): number => steps(at).length

/** The value with the lists at a place sifted; `*` is every entry of the list there. */
const within = (
  value: unknown,
  [step, ...rest]: ReadonlyArray<string>,
  sift: Sift,
  path: Path = [],
  inside?: unknown
): unknown => {
  if (step === undefined) return Array.isArray(value) ? sift(value, path, inside) : value
  if (step === "*")
    return Array.isArray(value)
      ? value.map((one, nth) => within(one, rest, sift, [...path, nth], one))
      : value
  return Predicate.isRecord(value) && step in value
    ? { ...value, [step]: within(value[step], rest, sift, [...path, step], inside) }
    : value
}
