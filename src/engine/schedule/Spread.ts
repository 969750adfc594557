/** Spreads accounts over a stretch of time, so that not all of them ask the marketplace at the same second. */

/** Always the same for an account: milliseconds from 0 to before `withinMs`. */
export const of = (account: string, withinMs: number): number => {
  let hash = 0x811c9dc5
  for (const char of account) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0
  // The last steps of the hash leave neighbouring names close together; these part them.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0
  return Math.floor(((hash ^ (hash >>> 13)) >>> 0) * (Math.max(0, withinMs) / 2 ** 32))
}
