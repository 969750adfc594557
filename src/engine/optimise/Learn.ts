/**
 * What the account's streams say together, before any one of them is decided: rates (`Rates`), curves (`Curve`), what is paid of a bid
 * and how clicks follow places (`Demand`). Of a large account a sample is enough; whether a stream is in it follows from its id, so
 * the order of the rows does not matter and tomorrow's sample is today's.
 */
import * as Groups from "../../domain/Groups.js"
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
  const { byGroup, counted, hashes, moved, paid } = lessons
  const draw = (all: ReadonlyArray<number>, wanted: number) => drawn(all, hashes, wanted)
  const made = (indices: ReadonlyArray<number>): ReadonlyArray<Counted> =>
    indices
      .flatMap((index) => {
        const stream = streams.at(index)
        return stream !== undefined && isCounted(stream) ? [stream] : []
      })
      .sort(by(({ id }) => id))
  const account = Rates.learn(made(draw(counted, accountSample)).map(trial), lessons.areCartsTold)
  const groups = new Map<string, Rates.Prior>()
  if (byGroup.size > 1)
    for (const [group, list] of byGroup)
      if (list.length >= smallestGroup)
        groups.set(group, Rates.learnGroup(made(draw(list, groupSample)).map(trial), account))
  const movedSample = draw(moved, curveSample)
  const of = (payment: Payment) => {
    const own = draw(paid[payment], curveSample)
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

/** Which streams teach something, by what is asked of them: told one by one, in the order in which they are listed. */
export class Lessons {
  /** How many streams were told. */
  size = 0
  readonly counted: Array<number> = []
  readonly moved: Array<number> = []
  readonly paid: Readonly<Record<Payment, Array<number>>> = { cpm: [], cpc: [] }
  readonly byGroup = new Map<string, [number, ...Array<number>]>()
  /** Of the ids of those that teach something. */
  readonly hashes: Array<number> = []
  private readonly carts = new Rates.Carts()

  get areCartsTold(): boolean {
    return this.carts.areTold
  }

  tell(stream: Stream): void {
    const index = this.size++
    const isTaught = isCounted(stream)
    this.hashes.push(isTaught ? hash(stream.id) : 0)
    if (!isTaught) return
    this.counted.push(index)
    this.paid[stream.payment].push(index)
    if (stream.history !== undefined) this.moved.push(index)
    Groups.add(this.byGroup, stream.group, index)
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

/** About as many as wanted, by a hash of their ids. */
const drawn = (
  all: ReadonlyArray<number>,
  hashes: ReadonlyArray<number>,
  wanted: number
): ReadonlyArray<number> => {
  const below = (wanted / all.length) * 2 ** 32
  return all.length <= wanted ? all : all.filter((index) => hashes[index]! < below)
}

/** FNV-1a with a last stir, for ids that differ in one digit only. */
const hash = (text: string): number => {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  return (h ^ (h >>> 13)) >>> 0
}
