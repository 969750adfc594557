/**
 * Chance by seed: the same keys give the same number on every machine and in every order of asking. There is no
 * state, so any part of the market can be computed alone.
 */

/** Folds one more key into a hash. Numbers beyond 32 bits count by their low half. */
export const mix = (hash: number, key: number): number => {
  let k = Math.imul(key, 0xcc9e2d51)
  k = (k << 15) | (k >>> 17)
  let h = hash ^ Math.imul(k, 0x1b873593)
  h = (h << 13) | (h >>> 19)
  return (Math.imul(h, 5) + 0xe6546b64) | 0
}

/** The hash of several keys under a seed. */
export const roll = (seed: number, ...keys: ReadonlyArray<number>): number => keys.reduce(mix, seed)

/** The hash of a text under a seed. */
export const ofText = (seed: number, text: string): number => {
  let hash = seed
  for (let i = 0; i < text.length; i++) hash = mix(hash, text.charCodeAt(i))
  return mix(hash, text.length)
}

/** A hash as a whole number from 0 to 2³² − 1, well spread. */
export const uint = (hash: number): number => {
  let h = hash ^ (hash >>> 16)
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** A hash as a number in [0, 1). */
export const unit = (hash: number): number => uint(hash) / 4_294_967_296

/** A hash as a number in [low, high). */
export const between = (hash: number, low: number, high: number): number => low + unit(hash) * (high - low)

/** A hash as one of the choices; the list must not be empty. */
export const pick = <A>(hash: number, choices: ReadonlyArray<A>): A =>
  choices[uint(hash) % choices.length] as A

/**
 * A hash as the number of successes in `trials`, each with this chance: the smallest number below which at most the
 * hash's share of all outcomes lie. For one hash it never falls as the trials grow.
 */
export const binomial = (hash: number, trials: number, chance: number): number => {
  if (chance <= 0 || trials === 0) return 0
  if (chance >= 1) return trials
  const share = unit(hash)
  const odds = Math.log(chance) - Math.log1p(-chance)
  let log = trials * Math.log1p(-chance)
  let sum = Math.exp(log)
  let successes = 0
  while (sum <= share && successes < trials) {
    log += Math.log((trials - successes) / (successes + 1)) + odds
    successes++
    sum += Math.exp(log)
  }
  return successes
}
