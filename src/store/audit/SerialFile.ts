/** The file in which a machine notes the ends of the audit chains that it has seen: see `SerialMarker`. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import * as Folder from "../clients/Folder.js"

/** The end of an account's chain. */
export interface Head {
  readonly account: string
  readonly seq: number
  readonly hash: string
  /**
   * When the account had last been reconciled as this was noted, epoch milliseconds; 0 when never. Files of older
   * versions do not say it.
   */
  readonly reconciled?: number
}

/** By account. A file that is missing or cannot be read says nothing. */
export const read = (path: string): ReadonlyMap<string, Head> => {
  if (!existsSync(path)) return new Map()
  try {
    const { heads } = JSON.parse(readFileSync(path, "utf8")) as { readonly heads: ReadonlyArray<Head> }
    return new Map(
      heads
        .filter(({ account, seq }) => typeof account === "string" && Number.isSafeInteger(seq))
        .map((head) => [head.account, head])
    )
  } catch {
    return new Map()
  }
}

/**
 * Writes the heads in the place of those that were `seen`. What another run or program has noted meanwhile stays where
 * it is the later one, and so does what is noted of accounts that are not among them.
 */
export const replace = (
  path: string,
  seen: ReadonlyMap<string, Head>,
  heads: ReadonlyMap<string, Head>
): void => {
  const all = new Map(heads)
  for (const [account, there] of read(path)) {
    const ours = all.get(account)
    const before = seen.get(account)
    if (ours === undefined || (!(before && isSame(there, before)) && isLater(there, ours))) {
      all.set(account, there)
    }
  }
  Folder.make(dirname(path))
  const rows = [...all.values()].map(({ account, hash, reconciled, seq }) => ({
    account,
    seq,
    hash,
    reconciled
  }))
  // Two programs that wrote one file at once would leave neither's.
  const fresh = `${path}.${process.pid}.new`
  writeFileSync(fresh, `${JSON.stringify({ version: 1, heads: rows })}\n`, { flush: true })
  renameSync(fresh, path)
}

/** Whether both are the same place of a chain. */
export const isSame = (one: Head, other: Head): boolean => one.seq === other.seq && one.hash === other.hash

/** Chains grow, and begin to grow anew only when somebody has reconciled. */
const isLater = (one: Head, other: Head): boolean => {
  const [left, right] = [one, other].map(({ reconciled = Number.POSITIVE_INFINITY }) => reconciled)
  return left === right ? one.seq > other.seq : left! > right!
}
