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
import type { Counts, Payment, Stream } from "./Stream.js"
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

export const learn = (streams: ReadonlyArray<Stream>): Learned => {
  const counted = streams.filter(isCounted)
  const isToldOfCarts = Rates.tellOfCarts(counted.map(trial))
  const account = Rates.learn(sample(counted, accountSample).map(trial), isToldOfCarts)
  const byGroup = Groups.by(counted, ({ group }) => group)
  const groups = new Map<string, Rates.Prior>()
  if (byGroup.size > 1)
    for (const [group, list] of byGroup)
      if (list.length >= smallestGroup)
        groups.set(group, Rates.learnGroup(sample(list, groupSample).map(trial), account))
  const moved = sample(
    counted.filter(({ history }) => history !== undefined),
    curveSample
  )
  const of = (payment: Payment) => {
    const own = sample(
      counted.filter((stream) => stream.payment === payment),
      curveSample
    )
    const all = own.map((stream) =>
      Demand.paid(payment, stream.counts.value, stream.history, stream.bidKopecks)
    )
    const told = [...new Set([...own, ...moved.filter((stream) => stream.payment === payment)])].sort(
      by(({ id }) => id)
    )
    return { curve: Curve.learn(told), paidShare: Demand.paidShare(all) }
  }
  const [cpm, cpc] = [of("cpm"), of("cpc")]
  return {
    account,
    groups,
    curve: { cpm: cpm.curve, cpc: cpc.curve },
    clickExponent: Demand.clickExponent(moved.map(({ history }) => history ?? [])),
    paidShare: { cpm: cpm.paidShare, cpc: cpc.paidShare }
  }
}

type Counted = Stream & { readonly counts: { readonly _tag: "Known"; readonly value: Counts } }

const isCounted = (stream: Stream): stream is Counted =>
  stream.counts._tag === "Known" && Value.arePossible(stream.counts.value) && stream.counts.value.views > 0

const trial = (stream: Counted): Rates.Trial => Value.trialOf(stream.counts.value)

/** About as many as wanted, by a hash of their ids, in the order of these. */
const sample = <A extends { readonly id: string }>(
  all: ReadonlyArray<A>,
  wanted: number
): ReadonlyArray<A> => {
  const below = (wanted / all.length) * 2 ** 32
  const drawn = all.length <= wanted ? all : all.filter(({ id }) => hash(id) < below)
  return [...drawn].sort(by(({ id }) => id))
}

/** FNV-1a with a last stir, for ids that differ in one digit only. */
const hash = (text: string): number => {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  return (h ^ (h >>> 13)) >>> 0
}
