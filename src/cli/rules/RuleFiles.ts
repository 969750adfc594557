/** Rule files on disk: found below a folder, read, checked together. */
import { isUtf8 } from "node:buffer"
import { closeSync, type Dirent, existsSync, readdirSync, readSync, statSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { File } from "../../engine/language/Load.js"
import * as Load from "../../engine/language/Load.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import { type Diagnostic, isError } from "../../engine/language/problems/Diagnostic.js"
import * as Render from "../../engine/language/problems/Render.js"
import * as Kinds from "../../engine/language/shape/Kinds.js"
import * as OwnFacts from "../../engine/language/shared/OwnFacts.js"
import * as Yaml from "../../engine/language/yaml/Yaml.js"
import * as LimitsKept from "../../engine/planning/LimitsKept.js"
import * as FileHints from "../../store/clients/FileHints.js"
import * as Folder from "../../store/clients/Folder.js"
import * as Output from "../terminal/Output.js"
import * as RegularFile from "../terminal/RegularFile.js"
import { stop } from "../terminal/Stop.js"
import type { Tables } from "./DataFiles.js"

/** What is looked at when nothing is named: the configured folder, or `rules` where there is no configuration. */
export const usualFolder = (config: string) =>
  Effect.gen(function* () {
    if (!existsSync(config)) return "rules"
    const Workspace = yield* Effect.promise(() => import("../config/Workspace.js"))
    return join((yield* Workspace.config(config)).rulesFolder)
  })

/** Where the seller's table of goods may lie; the first that is there counts. */
export const goodsTables = (rulesFolder: string): ReadonlyArray<string> =>
  ["goods.csv", "goods.xlsx"].map((name) => join(rulesFolder, "_shared", name))

/** Those of the paths where nothing is, not even a link. */
export const missing = (paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.filter((path) => !existsSync(path) && RegularFile.objection(path) === undefined)

/**
 * Every rule file below the paths, sorted, and the economics table beside them; a path may be a file itself. `tests` folders
 * and what is hidden hold no rules. `tables` are those of the looks before.
 */
export const find = (paths: ReadonlyArray<string>, tables?: Tables) =>
  Effect.gen(function* () {
    const lacking = missing(paths)
    if (lacking.length > 0) {
      return yield* stop(
        1,
        `there is nothing at ${lacking.join(", ")}; starter rules come with: bidhelm init`
      )
    }
    const places = yield* placesIn(paths)
    const buffer = Buffer.allocUnsafe(Yaml.maxBytes + 1)
    const [unread, files] = Arr.partitionMap(places, (place) => {
      const { path } = place
      const objection = RegularFile.objection(path)
      return objection === undefined
        ? Either.try({ try: () => read(place, buffer), catch: (cause) => RegularFile.why(path, cause) })
        : Either.left(objection)
    })
    if (unread.length > 0) return yield* stop(1, `${unreadable}: ${unread.join("\n")}`)
    return yield* withTables(files, tables)
  })

/** As `find`, without the files that cannot be read: an editor goes on with the others. */
export const findReadable = (paths: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const places = yield* placesIn(paths)
    const buffer = Buffer.allocUnsafe(Yaml.maxBytes + 1)
    const readable = Option.liftThrowable((place: Place) => read(place, buffer))
    return yield* withTables(places.flatMap((place) => Option.toArray(readable(place))))
  })

const withTables = (found: ReadonlyArray<Load.File>, tables?: Tables) =>
  Effect.gen(function* () {
    if (!found.some(({ path, text }) => OwnFacts.mayWant(text) || Kinds.isTable(path))) return found
    const DataFiles = yield* Effect.promise(() => import("./DataFiles.js"))
    return yield* DataFiles.attach(found, tables)
  })

/** Paths of the rule files below a path. Throws when it cannot be read. */
export const below = (path: string): ReadonlyArray<string> =>
  !Folder.isThere(path)
    ? [path]
    : seenIn(path).flatMap((entry) => {
        const child = join(path, entry.name)
        if (entry.isDirectory()) return entry.name === "tests" ? [] : below(child)
        return Kinds.isYaml(entry.name) || Kinds.isTable(child) ? [child] : []
      })

/** What a folder holds but for what is hidden: editors and systems leave copies, locks and leftovers under such names. */
export const seenIn = (folder: string): ReadonlyArray<Dirent> =>
  readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith("."))

const unreadable = "the rules cannot be read"

const placesIn = (paths: ReadonlyArray<string>) =>
  Effect.try({
    try: () => placesOf(paths),
    catch: (cause) =>
      stop(1, `${unreadable}: ${RegularFile.why(FileHints.pathOf(cause) ?? paths.join(", "), cause)}`)
  })

interface Place {
  readonly path: string
  /** The folder that a link may not lead out of, if its text is to be quoted. */
  readonly root: string
}

/** Each file once, sorted. */
const placesOf = (paths: ReadonlyArray<string>): ReadonlyArray<Place> => {
  const roots = new Map<string, string>()
  for (const path of paths) {
    const root = Folder.isThere(path) ? path : dirname(path)
    for (const file of below(path)) roots.set(file, root)
  }
  return [...roots.keys()].sort().map((path) => ({ path, root: roots.get(path) ?? path }))
}

/** Reads no more than the check needs to refuse a file as too large. */
const read = ({ path, root }: Place, buffer: Buffer): Load.File => {
  // A table is no text of a rule: whoever reads tables reads it.
  if (Kinds.isTable(path)) return { path, text: "" }
  const linkedTo = RegularFile.linkedOut(path, root)
  const file = RegularFile.open(path)
  try {
    let length = 0
    // Less than was asked for is all there is: these are files on disk.
    for (;;) {
      const wanted = buffer.length - length
      const count = readSync(file, buffer, length, wanted, null)
      length += count
      if (count < wanted || length === buffer.length) break
    }
    const text = buffer.toString("utf8", 0, length)
    // Cut off, a file may end inside a letter; it is refused as too large.
    const garbled = length < buffer.length && !isUtf8(buffer.subarray(0, length))
    return {
      path,
      text,
      ...(linkedTo === undefined ? {} : { linkedTo }),
      ...(garbled ? { garbled } : {})
    }
  } finally {
    closeSync(file)
  }
}

/**
 * What a change back is held against: the rules of a folder, or where policies have errors what they share, the limits above
 * all. Errors of that end the command with 3, as `answering` has them.
 */
export const loadToUndo = (kind: string, isJson: boolean) => (folder: string) =>
  loadPart(
    folder,
    Load.withoutPolicies,
    "no policy is needed to undo, and the limits hold",
    asked(kind, isJson)
  )

/** As `loadToUndo`, of what a person does with orders and supplies by name. */
export const loadLimits = (kind: string, isJson: boolean) => (folder: string) =>
  loadPart(folder, Load.withoutPolicies, "no policy is needed here, and the limits hold", asked(kind, isJson))

/**
 * What orders are assembled by: the rules of a folder, or where policies over rows have errors, or the seller's table, what is
 * left without them. Errors of that end the command with 3, as `answering` has them.
 */
export const loadToAssemble =
  (kind?: string, isJson = false) =>
  (folder: string) =>
    loadPart(folder, Load.withoutAdvertising, "nothing of that is needed here", asked(kind, isJson))

/** The kind of the JSON answer; undefined where people are answered. */
const asked = (kind: string | undefined, isJson: boolean): string | undefined => (isJson ? kind : undefined)

const loadPart = (
  folder: string,
  partOf: (files: ReadonlyArray<Load.File>) => Load.Checked,
  whyItIsEnough: string,
  json: string | undefined
) =>
  Effect.gen(function* () {
    const files = yield* find([folder])
    const all = Load.check(files)
    if (all.ruleSet !== undefined) return yield* checked(all, files, json)
    const part = partOf(files)
    if (part.ruleSet === undefined) return yield* checked(all, files, json)
    const broken = new Set(all.diagnostics.filter(isError).map(({ file }) => file))
    const told = `${[...broken].join(", ")}: errors, which bidhelm check tells; ${whyItIsEnough}`
    for (const line of yield* untold([told])) yield* Output.note(line)
    return part.ruleSet
  })

/**
 * The checked rules of a folder; problems are printed, and errors end the command with 3. Files are called by their
 * path, or as if the folder were `shownAs`. A command that answers in JSON gives the kind of its answer, and errors are its answer, as
 * `check --json` has them.
 */
export const load = (folder: string, shownAs: string = folder, json?: string) =>
  Effect.gen(function* () {
    const found = yield* find([folder])
    const files = found.map((file) => ({ ...file, path: join(shownAs, relative(folder, file.path)) }))
    return yield* checked(Load.check(files), files, json)
  })

/** The rules of a folder as they are when it runs. */
export type RulesRead = ReturnType<typeof load>

/** What was told of rules that are read more than once. None where each reading tells all. */
class Told extends Context.Reference<Told>()("bidhelm/RulesTold", {
  defaultValue: (): { readonly before: Set<string> | undefined } => ({ before: undefined })
}) {}

/** A reading that tells, each time it runs, only what it has not told before. */
export const tellingOnce = (read: RulesRead): RulesRead => {
  const told = { before: new Set<string>() }
  return Effect.provideService(read, Told, told)
}

/** Those of the lines that were not told before. */
const untold = <A>(lines: ReadonlyArray<A>) =>
  Effect.map(Told, ({ before }) =>
    lines.filter((line) => {
      const key = JSON.stringify(line)
      if (before?.has(key) === true) return false
      before?.add(key)
      return true
    })
  )

/** As `load`, by the folder alone, for the command whose JSON answer is of this kind. */
export const answering = (kind: string, isJson: boolean) => (folder: string) =>
  load(folder, folder, asked(kind, isJson))

const checked = ({ diagnostics, ruleSet }: Load.Checked, files: ReadonlyArray<Load.File>, json?: string) =>
  Effect.gen(function* () {
    if (json !== undefined && ruleSet === undefined) {
      const Mend = yield* Effect.promise(() => import("../../engine/language/format/Mend.js"))
      yield* Output.json(json, Mend.report(diagnostics, files))
    } else {
      const fresh = yield* untold(diagnostics)
      if (fresh.length > 0) yield* Output.note(Render.text(fresh, files))
    }
    if (ruleSet === undefined) return yield* stop(3, "the rules have errors; nothing was done")
    return ruleSet satisfies RuleSet
  })

/** What is to be known of a whole folder without limits of the account; undefined where it has some, or no policy is switched on. */
export const withoutLimits = (rules: RuleSet): string | undefined =>
  LimitsKept.areThere(rules) || rules.policies.every(({ mode }) => mode === "disabled")
    ? undefined
    : "no limits of the account: no rule file has kind: limits, so only each policy's own limits hold"

/** Says that no limits of the account hold. */
export const tellLimits = (rules: RuleSet) => {
  const told = withoutLimits(rules)
  return told === undefined ? Effect.void : Output.note(told)
}

// What `bidhelm check PATHS` looks at: the named files, and beside them what they may name of `_shared`.

export interface Scope {
  /** All that is checked together. */
  readonly files: ReadonlyArray<File>
  /** Of those the ones that were asked for: only they are told about and mended. */
  readonly named: ReadonlyArray<File>
}

/** The rule files below the paths, with those of the nearest `_shared` around each. */
export const scopeOf = (paths: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const named = yield* find(paths)
    const known = new Set(named.map(({ path }) => resolve(path)))
    const shared = [...new Set(paths.flatMap(sharedAround))]
    const found = shared.length === 0 ? [] : yield* find(shared)
    const files = [...named, ...found.filter(({ path }) => !known.has(resolve(path)))]
    return { files, named } satisfies Scope
  })

/** Problems of the named files; of the others only what keeps the named ones from being read. */
export const told = (scope: Scope, diagnostics: ReadonlyArray<Diagnostic>): ReadonlyArray<Diagnostic> => {
  const named = new Set(
    scope.named.flatMap(({ data, path }) => [path, ...(data === undefined ? [] : [data.path])])
  )
  return diagnostics.filter((one) => named.has(one.file) || isError(one))
}

/** Farther above, a `_shared` is somebody else's. */
const mostAbove = 3

const sharedAround = (path: string): ReadonlyArray<string> => {
  const folder = statSync(path).isFile() ? dirname(path) : path
  const above = Array.from({ length: mostAbove + 1 }, (_, n) => join(folder, ...Array(n).fill("..")))
  const found = above.map((one) => join(one, "_shared")).find((one) => existsSync(one))
  return found === undefined ? [] : [found]
}
