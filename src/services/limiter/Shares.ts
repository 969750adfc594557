/**
 * A queue in which lanes have fair shares: of the turns given while several wait, each gets its weight's part, and what
 * an idle lane does not use is the others'. Start-time fair queueing: each lane has a moment of a virtual time at which
 * it is next; a turn moves it on by its stride. Within a lane consumers take turns.
 */
import { type Lane, lanes } from "../../domain/Lane.js"

/** Turns of a lane while all wait. An order has a cut-off, a bid can wait, an item is enrolled days ahead. */
export const weights: Readonly<Record<Lane, number>> = { orders: 3, ads: 2, promotions: 1 }

/** Of lanes that are next at the same moment the heaviest is first. */
const ranked: ReadonlyArray<Lane> = [...lanes].sort((one, other) => weights[other] - weights[one])

/** Divisible by every weight, so that strides are whole and nothing is lost in fractions. */
const round = ranked.reduce((product, lane) => product * weights[lane], 1)

/** One lane's queue, and when it is next. */
interface Share<A> {
  readonly lane: Lane
  readonly stride: number
  readonly turns: Turns<A>
  at: number
}

export class Shares<A> {
  private readonly shares: ReadonlyArray<Share<A>> = ranked.map((lane) => ({
    lane,
    stride: round / weights[lane],
    turns: new Turns<A>(),
    at: 0
  }))
  /** The moment of the last turn: a lane that comes back from being idle begins here, with no turns saved up. */
  private now = 0

  get size(): number {
    return this.shares.reduce((sum, { turns }) => sum + turns.size, 0)
  }

  add(lane: Lane, consumer: string, one: A): void {
    const share = this.of(lane)
    if (share.turns.size === 0) share.at = Math.max(share.at, this.now)
    share.turns.add(consumer, one)
  }

  /** Takes the next one of the lane that is next. */
  take(): A | undefined {
    const share = first(this.shares.filter(({ turns }) => turns.size > 0))
    if (share === undefined) return undefined
    this.now = share.at
    share.at += share.stride
    return share.turns.take()
  }

  /** Answers whether it was still waiting. */
  remove(lane: Lane, consumer: string, one: A): boolean {
    return this.of(lane).turns.remove(consumer, one)
  }

  /** Everybody in the order of turns as they stand. */
  *inOrder(): Generator<A> {
    let left = this.shares.map(({ at, stride, turns }) => ({ at, stride, waiting: turns.inOrder() }))
    for (let share = first(left); share !== undefined; share = first(left)) {
      const next = share.waiting.next()
      if (next.done === true) left = left.filter((one) => one !== share)
      else yield next.value
      share.at += share.stride
    }
  }

  private of(lane: Lane): Share<A> {
    const share = this.shares.find((one) => one.lane === lane)
    if (share === undefined) throw new Error(`there is no lane ${lane}`)
    return share
  }
}

const first = <S extends { readonly at: number }>(shares: ReadonlyArray<S>): S | undefined =>
  shares.reduce<S | undefined>(
    (soonest, share) => (soonest === undefined || share.at < soonest.at ? share : soonest),
    undefined
  )

// A queue in which consumers take turns: first come, first served within one, one after the other between them.

class Turns<A> {
  /** Consumers in the order of their next turns; never empty ones. */
  private readonly consumers = new Map<string, Set<A>>()
  private waiting = 0

  get size(): number {
    return this.waiting
  }

  add(consumer: string, one: A): void {
    const own = this.consumers.get(consumer)
    if (own === undefined) this.consumers.set(consumer, new Set([one]))
    else own.add(one)
    this.waiting++
  }

  /** Takes the next one; its consumer goes to the end of the round. */
  take(): A | undefined {
    for (const [consumer, own] of this.consumers) {
      for (const one of own) {
        this.remove(consumer, one)
        if (own.size > 0) {
          this.consumers.delete(consumer)
          this.consumers.set(consumer, own)
        }
        return one
      }
    }
    return undefined
  }

  /** Answers whether it was still waiting. */
  remove(consumer: string, one: A): boolean {
    const own = this.consumers.get(consumer)
    if (own === undefined || !own.delete(one)) return false
    if (own.size === 0) this.consumers.delete(consumer)
    this.waiting--
    return true
  }

  /** Everybody in the order of turns as they stand. */
  *inOrder(): Generator<A> {
    let round = [...this.consumers.values()].map((own) => own.values())
    while (round.length > 0) {
      const next: typeof round = []
      for (const own of round) {
        const one = own.next()
        if (one.done === true) continue
        yield one.value
        next.push(own)
      }
      round = next
    }
  }
}
