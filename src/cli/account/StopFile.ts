/**
 * The kill switch of a running `apply`: a file named `STOP` beside the store, `kill_switch: true` in the limits, or
 * `bidhelm kill`. Looked at before every request, so that whoever pulls it waits for one request at most.
 */
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Holdings from "../../engine/door/Holdings.js"
import type { Journal } from "../../engine/door/Journal.js"
import type { KillSwitch } from "../../engine/door/Stopping.js"
import * as Kinds from "../../engine/language/shape/Kinds.js"
import * as Node from "../../engine/language/yaml/Node.js"
import * as Source from "../../engine/language/yaml/Source.js"
import * as Yaml from "../../engine/language/yaml/Yaml.js"
import * as LimitsKept from "../../engine/planning/LimitsKept.js"
import { LimitsMemory } from "../../engine/planning/LimitsMemory.js"
import * as RunFolder from "../daemon/RunFolder.js"
import * as RuleFiles from "../rules/RuleFiles.js"
import * as RegularFile from "../terminal/RegularFile.js"

export interface Places {
  readonly storePath: string
  readonly storeLink?: string
  readonly rulesFolder: string
  /** Where the rules of this run are from, when that is another folder (`--rules`). */
  readonly rulesOfRun?: string
}

/** The switch of one account: the file, the limits, and what `bidhelm kill` left in the store. */
export const layer = (places: Places, account: string): Layer.Layer<KillSwitch, never, Journal> => {
  const look = looking(places)
  const pulled = pulledIn(places)
  return Holdings.killSwitch(
    account,
    Effect.sync(() => pulled(look()))
  )
}

/**
 * As `layer`, of commands that read no rules: limits that are gone stop them, for their kill switch may have been pulled.
 */
export const guarding = (
  places: Places,
  account: string
): Layer.Layer<KillSwitch, never, Journal | LimitsMemory> => {
  const pulled = pulledIn(places)
  const look = looking(places)
  return Layer.unwrapEffect(
    Effect.map(LimitsMemory, (memory) =>
      Holdings.killSwitch(
        account,
        Effect.gen(function* () {
          const files = look()
          const why = pulled(files)
          if (why !== undefined || !areNone(files)) return why
          return yield* Effect.provideService(LimitsKept.goneFrom(account), LimitsMemory, memory)
        })
      )
    )
  )
}

/** Why the files of a look stop everything; undefined where none does. */
const pulledIn = (places: Places): ((files: Files) => string | undefined) => {
  const limits = pulling()
  return (files) => {
    const stopped = RunFolder.stopped(places)
    if (stopped !== undefined) return stopped.says
    const found = limits(files)
    return found === undefined ? undefined : `kill_switch is true in ${found}`
  }
}

/** The files of one look at the folders of the rules. */
interface Files {
  /** Where limits usually stand, whether they are there or not. */
  readonly usual: ReadonlyArray<string>
  /** All that are there; gathered when they are asked for first. */
  readonly all: () => ReadonlyArray<string>
}

/** Looks at the folders anew at each call. */
const looking = ({ rulesFolder, rulesOfRun = rulesFolder }: Omit<Places, "storePath">): (() => Files) => {
  const folders = [...new Set([rulesFolder, rulesOfRun])]
  const usual = folders.flatMap(usualIn)
  return () => {
    let found: ReadonlyArray<string> | undefined
    const all = () => {
      found ??= folders.flatMap(rulesBelow)
      return found
    }
    return { usual, all }
  }
}

/** Whether no rule file holds limits. One that is just being saved is one all the same. */
const areNone = ({ all, usual }: Files): boolean =>
  !usual.some((path) => existsSync(path)) && !all().some(isOfLimits)

/** A file that nobody can read may be of limits. */
const isOfLimits = (path: string): boolean => {
  if (Kinds.isTable(path)) return false
  try {
    const text = RegularFile.readText(path)
    if (!text.includes("limits")) return false
    return Kinds.of(Yaml.parse(Source.make(path, text)).root, "", path) === "limits"
  } catch {
    return true
  }
}

/** The file whose limits say `kill_switch: true`, looked for anew by each call; undefined when none does. */
export const inLimits = (places: Omit<Places, "storePath">): (() => string | undefined) => {
  const look = looking(places)
  const found = pulling()
  return () => found(look())
}

/** Of the files of a look; each is read when it has changed since the last one. */
const pulling = (): ((files: Files) => string | undefined) => {
  const known: Known = new Map()
  const read: LastRead = new Map()
  return ({ all, usual }) =>
    usual.find((path) => switchedOff(path, read)) ?? all().find((path) => pulls(path, known, read))
}

/** Whether a file pulls the switch, by when it was written and how long it is. */
type Known = Map<string, { readonly stamp: string; readonly isPulled: boolean }>

/** Limits count in whatever rule file they are. There may be hundreds, so each is read when it has changed only. */
const pulls = (path: string, known: Known, read: LastRead): boolean => {
  try {
    const { mtimeMs, size } = statSync(path)
    const stamp = `${mtimeMs} ${size}`
    const before = known.get(path)
    if (before?.stamp === stamp) return before.isPulled
    const isPulled = size <= Yaml.maxBytes ? switchedOff(path, read) : false
    // A right to read that comes later changes neither time nor size.
    if (isPulled === undefined) return false
    known.set(path, { stamp, isPulled })
    return isPulled
  } catch {
    return false
  }
}

/** Where limits usually stand. */
const usualIn = (folder: string): ReadonlyArray<string> =>
  ["limits.yaml", "limits.yml"].map((name) => join(folder, "_shared", name))

const rulesBelow = (folder: string): ReadonlyArray<string> => {
  try {
    return RuleFiles.below(folder)
  } catch {
    return []
  }
}

/** What a file said when it was read last. The usual files are read at every look, and parsed when their text is another one. */
type LastRead = Map<string, { readonly text: string; readonly isPulled: boolean }>

/**
 * A file that is just being saved may be half written: only a clear yes counts; the rules were checked before. Undefined
 * where the file cannot be read.
 */
const switchedOff = (path: string, read: LastRead): boolean | undefined => {
  if (!existsSync(path)) return false
  try {
    const text = RegularFile.readText(path)
    const before = read.get(path)
    if (before?.text === text) return before.isPulled
    const isPulled = saysYes(path, text)
    read.set(path, { text, isPulled })
    return isPulled
  } catch {
    return undefined
  }
}

const saysYes = (path: string, text: string): boolean => {
  const { root } = Yaml.parse(Source.make(path, text))
  const value = Node.get(Node.get(root, "account"), "kill_switch")
  return value?._tag === "Scalar" && value.text.toLowerCase() === "true"
}
