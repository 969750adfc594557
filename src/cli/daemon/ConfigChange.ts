/**
 * What the configuration says now against what a running program began with. The program goes on with what it read,
 * commands read the file anew: whatever they would change or stop of other accounts or another store is not its work.
 */
import { resolve } from "node:path"
import * as Either from "effect/Either"
import * as Plural from "../../domain/Plural.js"
import * as Config from "../config/Config.js"
import * as StoreField from "../config/StoreField.js"
import * as RegularFile from "../terminal/RegularFile.js"
import * as RunFolder from "./RunFolder.js"

/** A change of accounts or store. */
export interface ConfigChange {
  /** `main → shop2`. */
  readonly what: string
  /** The file that stops all sending of the running program. */
  readonly stopFile: string
}

/** The configuration as it is now; undefined when it cannot be read or is not accepted, of which nothing is said. */
export const now = (path: string): Config.Config | undefined => {
  try {
    return Either.getOrUndefined(Config.read(path, RegularFile.readText(path)))
  } catch {
    return undefined
  }
}

/**
 * Reads the file, by the path that it was read by, again at each call; undefined while it has the store and all accounts of before. More accounts take
 * nothing away, and what is wrong with a file that cannot be read says the command itself.
 */
export const since =
  (path: string, begun: Config.Config): (() => ConfigChange | undefined) =>
  () => {
    const read = now(path)
    const what = read === undefined ? undefined : difference(begun, read)
    return what === undefined ? undefined : { what, stopFile: resolve(RunFolder.stopFile(begun)) }
  }

type Compared = Pick<Config.Config, "accounts" | "store">

const difference = (begun: Compared, read: Compared): string | undefined => {
  const [before, after] = [StoreField.describe(begun.store), StoreField.describe(read.store)]
  if (before !== after) return `store: ${before} → ${after}`
  const gone = missing(begun, read)
  if (gone.length === 0) return undefined
  const come = missing(read, begun)
  return come.length === 0 ? `without ${named(gone)}` : `${named(gone)} → ${named(come)}`
}

/** Names of accounts that only the first has. */
const missing = (one: Compared, other: Compared): ReadonlyArray<string> => {
  const names = new Set(other.accounts.map(({ name }) => name))
  return one.accounts.flatMap(({ name }) => (names.has(name) ? [] : [name]))
}

const named = (names: ReadonlyArray<string>): string => Plural.named(names, 3)
