/** The file in which a machine notes the ends of the audit chains that it has seen: see `SerialMarker`. */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
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

export type Heads = ReadonlyMap<string, Head>

/** A file that is missing or cannot be read says nothing. It is read anew only when it is another one than before. */
export class SerialFile {
  private stamp: string | undefined
  private kept: Heads = new Map()
  constructor(readonly path: string) {}

  /** What it says now, by account. */
  heads(): Heads {
    const stamp = stampOf(this.path)
    if (stamp === undefined || stamp !== this.stamp)
      this.kept = stamp === undefined ? new Map() : read(this.path)
    this.stamp = stamp
    return this.kept
  }

  /**
   * Writes the heads in the place of those that were `seen`. What another run or program has noted meanwhile stays where
   * it is the later one, and so does what is noted of accounts that are not among them.
   */
  replace(seen: Heads, heads: Heads): void {
    const all = new Map(this.heads())
    for (const [account, ours] of heads) {
      const [there, before] = [all.get(account), seen.get(account)]
      const isKept = there !== undefined && !(before && isSameHead(there, before)) && isLater(there, ours)
      if (!isKept) all.set(account, ours)
    }
    this.stamp = write(this.path, all)
    this.kept = all
  }
}

/** Of a file that is put in the place of another one all of it changes. */
const stampOf = (path: string): string | undefined => {
  try {
    const { dev, ino, mtimeNs, size } = statSync(path, { bigint: true })
    return [dev, ino, size, mtimeNs].join(" ")
  } catch {
    return undefined
  }
}

const read = (path: string): Heads => {
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

/** Answers the stamp of what it has written, whatever may be in its place by then. */
const write = (path: string, all: Heads): string | undefined => {
  Folder.make(dirname(path))
  const rows = [...all.values()].map(({ account, hash, reconciled, seq }) => ({
    account,
    seq,
    hash,
    reconciled
  }))
  // Two programs that wrote one file at once would leave neither's.
  const fresh = `${path}.${process.pid}.new`
  try {
    writeFileSync(fresh, `${JSON.stringify({ version: 1, heads: rows })}\n`, { flush: true })
    const stamp = stampOf(fresh)
    renameSync(fresh, path)
    return stamp
  } catch (cause) {
    // Every program would leave one of its own while the disk is full.
    rmSync(fresh, { force: true })
    throw cause
  }
}

/** Whether both are the same place of a chain. */
export const isSameHead = (one: Head, other: Head): boolean =>
  one.seq === other.seq && one.hash === other.hash

/** Chains grow, and begin to grow anew only when somebody has reconciled. */
const isLater = (one: Head, other: Head): boolean => {
  const [left, right] = [one, other].map(({ reconciled = Number.POSITIVE_INFINITY }) => reconciled)
  return left === right ? one.seq > other.seq : left! > right!
}
