/**
 * What the account's streams say together, before any one of them is decided: rates (`Rates`), curves (`Curve`), what is paid of a bid
 * and how clicks follow places (`Demand`). Of a large account a sample is enough; whether a stream is in it follows from its id, so
 * the order of the rows does not matter and tomorrow's sample is today's.
 */
import { by } from "../../domain/TextOrder.js"
import * as Curve from "./Curve.js"
import * as Demand from "./Demand.js"
import * as Rates from "./Rates.js"
import type { Counts, Listed, Payment, Stream } from "./Stream.js"
import * as Value from "./Value.js"

export interface Learned {
  readonly account: Rates.Prior
  /** By group, where it has enough streams to differ from the account. */
  readonly groups: ReadonlyMap<string, Rates.Prior>
  readonly curve: Readonly<Record<Payment, Curve.Belief>>
  readonly clickExponent: number
  readonly paidShare: Readonly<Record<Payment, number>>
}

const accountSample = 3000
const groupSample = 600
/** Smaller groups are judged as the account is. */
const smallestGroup = 20
const curveSample = 2000

export const priorOf = (learned: Learned, { group }: Pick<Stream, "group">): Rates.Prior =>
  learned.groups.get(group) ?? learned.account

/** Those of the samples are asked for: half a million streams are never there at one time. `lessons` are what all of them were seen to teach. */
export const learn = (streams: Listed, lessons: Lessons = lessonsOf(streams)): Learned => {
  const { byGroup, counted, moved, paid } = lessons
  const made = (indices: ReadonlyArray<number>): ReadonlyArray<Counted> =>
    indices
      .flatMap((index) => {
        const stream = streams.at(index)
        return stream !== undefined && isCounted(stream) ? [stream] : []
      })
      .sort(by(({ id }) => id))
  const account = Rates.learn(made(counted.drawn).map(trial), lessons.areCartsTold)
  const groups = new Map<string, Rates.Prior>()
  if (byGroup.size > 1)
    for (const [group, { drawn, size }] of byGroup)
      if (size >= smallestGroup) groups.set(group, Rates.learnGroup(made(drawn).map(trial), account))
  const movedSample = moved.drawn
  const of = (payment: Payment) => {
    const own = paid[payment].drawn
    const all = made(own).map((stream) =>
      Demand.paid(payment, stream.counts.value, stream.history, stream.bidKopecks)
    )
    const told = made([...new Set([...own, ...movedSample])])
    return {
      curve: Curve.learn(told.filter((stream) => stream.payment === payment)),
      paidShare: Demand.paidShare(all)
    }
  }
  const [cpm, cpc] = [of("cpm"), of("cpc")]
  return {
    account,
    groups,
    curve: { cpm: cpm.curve, cpc: cpc.curve },
    clickExponent: Demand.clickExponent(made(movedSample).map(({ history }) => history ?? [])),
    paidShare: { cpm: cpm.paidShare, cpc: cpc.paidShare }
  }
}

interface Hashed {
  readonly index: number
  readonly hash: number
}

/** About as many as wanted of those that are told, by a hash of their ids. Of half a million it keeps no more than twice as many. */
class Sample {
  /** How many were told. */
  size = 0
  private kept: Array<Hashed> = []

  constructor(private readonly wanted: number) {}

  tell(index: number, hash: number): void {
    this.size += 1
    if (hash >= this.below) return
    this.kept.push({ index, hash })
    if (this.kept.length > 2 * this.wanted) this.kept = this.left()
  }

  /** In the order in which they were told. */
  get drawn(): ReadonlyArray<number> {
    return this.left().map(({ index }) => index)
  }

  /** Falls with each that is told, so what was left out never comes back. */
  private get below(): number {
    return (this.wanted / this.size) * 2 ** 32
  }

  private left(): Array<Hashed> {
    const { below } = this
    return this.kept.filter(({ hash }) => hash < below)
  }
}

/** Which streams teach something, by what is asked of them: told one by one, in the order in which they are listed. */
export class Lessons {
  /** How many streams were told. */
  size = 0
  readonly counted = new Sample(accountSample)
  readonly moved = new Sample(curveSample)
  readonly paid: Readonly<Record<Payment, Sample>> = {
    cpm: new Sample(curveSample),
    cpc: new Sample(curveSample)
  }
  readonly byGroup = new Map<string, Sample>()
  private readonly carts = new Rates.Carts()

  get areCartsTold(): boolean {
    return this.carts.areTold
  }

  tell(stream: Stream): void {
    const index = this.size++
    if (!isCounted(stream)) return
    const hash = hashOf(stream.id)
    const group = this.byGroup.get(stream.group) ?? new Sample(groupSample)
    this.byGroup.set(stream.group, group)
    for (const sample of [this.counted, this.paid[stream.payment], group]) sample.tell(index, hash)
    if (stream.history !== undefined) this.moved.tell(index, hash)
    this.carts.add(trial(stream))
  }
}

export const lessonsOf = (streams: Listed): Lessons => {
  const lessons = new Lessons()
  for (let index = 0; index < streams.length; index++) {
    const stream = streams.at(index)
    if (stream !== undefined) lessons.tell(stream)
  }
  return lessons
}

type Counted = Stream & { readonly counts: { readonly _tag: "Known"; readonly value: Counts } }

const isCounted = (stream: Stream): stream is Counted =>
  stream.counts._tag === "Known" && Value.arePossible(stream.counts.value) && stream.counts.value.views > 0

const trial = (stream: Counted): Rates.Trial => Value.trialOf(stream.counts.value)

/** FNV-1a with a last stir, for ids that differ in one digit only. */
const hashOf = (text: string): number => {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  return (h ^ (h >>> 13)) >>> 0
}
