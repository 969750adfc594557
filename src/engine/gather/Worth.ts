/**
 * Which keys get the calls when there are more keys than calls: those whose rows have the most money at stake, times
 * the chance that the answer makes them act. A small share of the calls goes to keys nobody has asked about, or not
 * for the longest time, so that none waits for ever. Pure.
 */
import * as TextOrder from "../../domain/TextOrder.js"

/** What one policy expects of an answer. Money is kopecks a day. */
export interface Claim {
  readonly policy: string
  /** `partial: rotate`: the key's age counts, not its money. */
  readonly rotates: boolean
  /** Money of the rows that act by the last answer, as far as that answer is still trusted. */
  readonly told: number
  /** Money of which no answer tells, or none that is still trusted. */
  readonly untold: number
  /** Rows the last answer tells of, and how many of them it makes act, those that act in part in parts. */
  readonly rowsTold: number
  readonly rowsActing: number
}

/** A key that may be asked about. */
export interface Candidate {
  /** Stable text key; breaks ties. */
  readonly name: string
  /** When it was last answered, epoch milliseconds; never when absent. */
  readonly readAt: number | undefined
  readonly claims: ReadonlyArray<Claim>
}

/** Share of the calls that looks where nobody has looked for longest. */
const exploring = 0.05

/**
 * At most `capacity` of the candidates, in the order to ask in. Policies that rotate get their share of the calls, by
 * the number of their keys. `dice`, from 0 to below 1, rounds the exploring share, so that a handful of calls explores
 * in some of the runs.
 */
export const choose = <C extends Candidate>(
  candidates: ReadonlyArray<C>,
  capacity: number,
  dice: number
): ReadonlyArray<C> => {
  const worths = worthOf(candidates)
  const worth = (one: C): number => worths.get(one.name) ?? 0
  const byWorth = (a: C, b: C): number => worth(b) - worth(a) || byName(a, b)
  const byAge = (a: C, b: C): number => age(a) - age(b) || byWorth(a, b)
  const oldest = (a: C, b: C): number => age(a) - age(b) || byName(a, b)
  const valued = candidates.filter(({ claims }) => claims.some((claim) => !claim.rotates)).sort(byWorth)
  const rotating = candidates.filter(({ claims }) => claims.some((claim) => claim.rotates)).sort(oldest)
  if (capacity >= candidates.length) return [...candidates].sort(byWorth)
  const both = valued.length + rotating.length
  const turns = valued.length === 0 ? capacity : Math.round((capacity * rotating.length) / both)
  const looks = Math.floor((capacity - turns) * exploring + dice)
  const chosen = new Map<string, C>()
  const take = (from: ReadonlyArray<C>, upTo: number): void => {
    for (const one of from) {
      if (chosen.size >= upTo) return
      if (!chosen.has(one.name)) chosen.set(one.name, one)
    }
  }
  take(valued, capacity - turns - looks)
  take([...valued].sort(byAge), capacity - turns)
  take(rotating, capacity)
  take(valued, capacity)
  return [...chosen.values()]
}

/** Expected money a day of each candidate. Who was never asked is taken to act as often as the policy's others do. */
export const worthOf = (candidates: ReadonlyArray<Candidate>): ReadonlyMap<string, number> => {
  const seen = new Map<string, { told: number; acting: number }>()
  for (const { policy, rowsActing, rowsTold } of candidates.flatMap(({ claims }) => claims)) {
    const sum = seen.get(policy) ?? { told: 0, acting: 0 }
    seen.set(policy, { told: sum.told + rowsTold, acting: sum.acting + rowsActing })
  }
  /** Half, until answers tell otherwise. */
  const usual = (policy: string): number => {
    const { acting, told } = seen.get(policy) ?? { told: 0, acting: 0 }
    return (acting + 1) / (told + 2)
  }
  return new Map(
    candidates.map(({ claims, name }) => [
      name,
      claims
        .filter((claim) => !claim.rotates)
        .reduce((sum, { policy, told, untold }) => sum + told + untold * usual(policy), 0)
    ])
  )
}

/** Never asked is older than everything. */
const age = ({ readAt }: Candidate): number => readAt ?? Number.MIN_SAFE_INTEGER

const byName = TextOrder.by(({ name }: Candidate) => name)
