/** A folder of rule files → one checked rule set, or every problem of every file. Reads no files itself. */
import * as TextOrder from "../../domain/TextOrder.js"
import * as Analyse from "./analysis/Analyse.js"
import * as Check from "./check/Check.js"
import * as Fulfilment from "./check/Fulfilment.js"
import * as Limits from "./check/Limits.js"
import * as Meaning from "./Meaning.js"
import type { AccountLimits, Policy, RuleSet } from "./Policy.js"
import { compare, type Diagnostic, isError, joined, Problems } from "./problems/Diagnostic.js"
import * as Kinds from "./shape/Kinds.js"
import * as EconomicsFile from "./shared/EconomicsFile.js"
import * as EconomicsTable from "./shared/EconomicsTable.js"
import type { DataFile } from "./shared/OwnFact.js"
import * as OwnFacts from "./shared/OwnFacts.js"
import * as Templates from "./shared/Templates.js"
import * as Vars from "./shared/Vars.js"
import type { Node } from "./yaml/Node.js"
import * as Source from "./yaml/Source.js"
import * as Yaml from "./yaml/Yaml.js"

/** A rule file: its path as people know it, and its text. */
export interface File extends Source.OnDisk {
  /** For a file of own facts: the table it names, once somebody has read it; without, no value is known. */
  readonly data?: DataFile
}

export interface Checked {
  /** Present only when no file has an error: a rule set is loaded whole or not at all. */
  readonly ruleSet?: RuleSet
  /** Every problem, sorted by file, line and column. */
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/** Reads the YAML of one file. Whoever checks the same files over and over may give one that remembers (`Reload`). */
type Opener = (file: File) => Opened

/**
 * Checks files together. `path` decides the id of a policy (its stem); a file with `kind: limits` holds the
 * account's limits, one with `kind: fulfilment` says how orders are assembled. The order of the files does not matter. Never throws, whatever the text.
 */
export const check = (files: ReadonlyArray<File>, opener: Opener = open): Checked => {
  const opened = withOneTable([...files].sort(TextOrder.by(({ path }) => path)).map(opener))
  const shared = readShared(opened)
  const loaded = opened.map((one) => shared.done.get(one) ?? load(one, shared))
  const policies = loaded.flatMap(({ policy }) => (policy === undefined ? [] : [policy]))
  policies.sort(TextOrder.by(({ id }) => id))
  const assembling = loaded
    .flatMap(({ fulfilment }) => (fulfilment === undefined ? [] : [fulfilment]))
    .filter(({ policy }) => policy.mode !== "disabled")
    .sort(TextOrder.by(({ policy }) => policy.id))
  const limitsAt = loaded.findIndex((one) => one.limits !== undefined)
  const limits = loaded[limitsAt]?.limits ?? Limits.none
  const limitsFile = opened[limitsAt]?.source.file
  const areLimitsRead = loaded.every((one) => !one.isLimits || one.limits !== undefined)
  const diagnostics = [
    ...joined([
      ...loaded.flatMap((one) => one.diagnostics),
      ...Analyse.all(policies, areLimitsRead ? limits : undefined),
      ...(shared.economics === undefined ? policies.flatMap(EconomicsFile.lacking) : [])
    ]),
    ...Fulfilment.claimedTwice(assembling),
    ...clashes(opened)
  ].sort(compare)
  if (!diagnostics.some(isError)) diagnostics.push(...opened.flatMap((one, at) => unmade(one, loaded[at])))
  if (diagnostics.some(isError)) return { diagnostics }
  diagnostics.push(...shared.unused.flatMap((warn) => warn()))
  diagnostics.sort(compare)
  const economics = shared.economics ?? EconomicsTable.none
  const asksEconomics = policies.some((policy) => EconomicsFile.firstAsked(policy) !== undefined)
  const ownFacts = [
    ...shared.ownFacts,
    ...(shared.economics !== undefined || asksEconomics ? economics.facts : [])
  ]
  const facts = {
    ...(ownFacts.length === 0 ? {} : { ownFacts }),
    ...(economics.needsCodes ? { needsVendorCodes: true as const } : {}),
    ...(economics.unknownColumns.length === 0 ? {} : { unknownColumns: economics.unknownColumns })
  }
  const fulfilment = assembling.map(({ policy }) => policy)
  return {
    ruleSet: Meaning.namedSet({
      policies,
      fulfilment,
      limits,
      ...(limitsFile === undefined ? {} : { limitsFile }),
      ...facts
    }),
    diagnostics
  }
}

/** As `check`, of what is no policy: the limits, and what conditions in them may name. */
export const withoutPolicies = (files: ReadonlyArray<File>): Checked =>
  without(files, ["policy", "fulfilment", "templates", "economics"])

/** As `check`, of what says how orders are assembled, and of the limits, which may forbid everything. */
export const withoutAdvertising = (files: ReadonlyArray<File>): Checked =>
  without(files, ["policy", "templates", "economics"])

/** What cannot be told apart stays: it may be anything. */
const without = (files: ReadonlyArray<File>, kinds: ReadonlyArray<Kinds.Kind>): Checked => {
  const opened = new Map(files.map((file) => [file, open(file)]))
  const stays = (file: File) => {
    const { kind, parsed } = opened.get(file) ?? open(file)
    return !kinds.includes(kind) || (parsed.root === undefined && !Kinds.isTable(file.path))
  }
  return check(files.filter(stays), (file) => opened.get(file) ?? open(file))
}

/** Where a file says which table it is, the one under its usual name is none. */
const withOneTable = (opened: ReadonlyArray<Opened>): ReadonlyArray<Opened> => {
  const isNamed = opened.some(({ kind, source }) => kind === "economics" && !Kinds.isTable(source.file))
  return isNamed ? opened.filter(({ source }) => !Kinds.isTable(source.file)) : opened
}

/** A file's tree and its kind: what is known without looking at other files. */
export interface Opened {
  readonly source: Source.Source
  readonly parsed: Yaml.Parsed
  readonly kind: Kinds.Kind
  readonly data?: DataFile
}

interface Loaded {
  readonly isLimits: boolean
  readonly policy?: Policy
  readonly fulfilment?: Fulfilment.Read
  readonly limits?: AccountLimits
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/** What policies may name, and the files it stands in, which are read first. */
interface Shared {
  readonly vars?: Vars.Vars
  readonly templates: Templates.Templates
  readonly ownFacts: ReadonlyArray<OwnFacts.OwnFact>
  readonly words: OwnFacts.Words
  /** Undefined where there is no table. */
  readonly economics: EconomicsTable.Table | undefined
  /** The lines of the templates' file that a syntax problem spoiled. */
  readonly parsed: ReadonlyMap<string, Yaml.Parsed>
  readonly done: ReadonlyMap<Opened, Loaded>
  /** Known only when every file has been read. */
  readonly unused: ReadonlyArray<() => ReadonlyArray<Diagnostic>>
}

/** See `Opened`. */
export const open = (file: File): Opened => {
  const { data, path } = file
  const source = Source.ofFile(file)
  const parsed = Yaml.parse(source)
  const kind = Kinds.of(parsed.root, Check.stem(path), path)
  return { source, parsed, kind, ...(data === undefined ? {} : { data }) }
}

const readShared = (opened: ReadonlyArray<Opened>): Shared => {
  const done = new Map<Opened, Loaded>()
  const unused: Array<Shared["unused"][number]> = []
  const read = <A>(kind: Kinds.Kind, reading: (one: Opened, meaning: Problems) => A): ReadonlyArray<A> =>
    opened
      .filter((one) => one.kind === kind)
      .flatMap((one) => {
        const meaning = new Problems(one.source, calledOf(kind))
        const isTable = Kinds.isTable(one.source.file)
        const made = isTable || one.parsed.root !== undefined ? [reading(one, meaning)] : []
        const found = [...(isTable ? [] : one.parsed.problems.list()), ...audible(meaning, one.parsed)]
        done.set(one, { isLimits: false, diagnostics: found.sort(compare) })
        return made
      })
  const watched =
    <A extends Vars.Vars | Templates.Templates>(reading: (root: Node, meaning: Problems) => A) =>
    (one: Opened, meaning: Problems): A => {
      const made = reading(one.parsed.root!, meaning)
      unused.push(() => {
        const problems = new Problems(one.source)
        made.unused(problems)
        return problems.list()
      })
      return made
    }
  const [vars] = read("vars", watched(Vars.read))
  const [templates] = read("templates", watched(Templates.read))
  const named = new Map<string, string>()
  const facts = read("facts", (one, meaning) => OwnFacts.read(one.parsed.root!, one.data, named, meaning))
  const ownFacts = facts.flatMap((one) => one.facts)
  const economics = read("economics", (one, meaning) => ({
    ...EconomicsFile.read(one.parsed.root, one.data, meaning),
    file: one.source.file
  }))
  for (const { diagnostics, file } of [...facts, ...economics]) {
    const owner = opened.find((one) => one.source.file === file)
    const before = owner === undefined ? undefined : done.get(owner)
    if (owner !== undefined && before !== undefined)
      done.set(owner, { ...before, diagnostics: [...before.diagnostics, ...diagnostics] })
  }
  return {
    ...(vars === undefined ? {} : { vars }),
    templates: templates ?? Templates.none,
    ownFacts,
    words: new Map(ownFacts.map(({ fact }) => [fact.word, fact])),
    economics: economics[0]?.table,
    parsed: new Map(opened.map((one) => [one.source.file, one.parsed])),
    done,
    unused
  }
}

const calledOf = (kind: Kinds.Kind): string | undefined =>
  kind === "policy" ? undefined : Kinds.called[kind]

const load = ({ kind, parsed, source }: Opened, shared: Shared): Loaded => {
  const isLimits = kind === "limits"
  if (parsed.root === undefined) return { isLimits, diagnostics: parsed.problems.list() }
  const meaning = new Problems(source, calledOf(kind))
  const { root, vars } = Vars.expand(parsed.root, shared.vars, meaning)
  const read = isLimits
    ? { limits: Limits.read(root, meaning, shared.words) }
    : kind === "fulfilment"
      ? { fulfilment: Fulfilment.read(root, meaning) }
      : { policy: policy(root, shared, meaning) }
  if (meaning.list().every((one) => !isError(one))) vars.unused(meaning)
  const diagnostics = [...parsed.problems.list(), ...audible(meaning, parsed, shared.parsed)].sort(compare)
  if (diagnostics.some(isError)) return { isLimits, diagnostics }
  const made = { policy: undefined, fulfilment: undefined, limits: undefined, ...read }
  return {
    isLimits,
    diagnostics,
    ...(made.policy === undefined ? {} : { policy: made.policy }),
    ...(made.fulfilment === undefined ? {} : { fulfilment: made.fulfilment }),
    ...(made.limits === undefined ? {} : { limits: made.limits })
  }
}

/** K13: a file of which nothing was made though nothing was wrong with it. It would be left out in silence. */
const unmade = ({ kind, source }: Opened, made: Loaded | undefined): ReadonlyArray<Diagnostic> => {
  const isRead = made?.policy !== undefined || made?.fulfilment !== undefined || made?.limits !== undefined
  if (isRead || !(kind === "policy" || kind === "fulfilment" || kind === "limits")) return []
  const problems = new Problems(source)
  const message = "Nothing in this file could be read as rules. Compare it with docs/rules/reference.md."
  problems.error("K13", { start: 0, end: 0 }, message)
  return problems.list()
}

const policy = (root: Node, shared: Shared, meaning: Problems): Policy | undefined => {
  if (Kinds.isUntold(root, meaning)) return undefined
  const expanded = Templates.expand(root, shared.templates, shared.vars, meaning)
  if (expanded === undefined) return undefined
  const made = Check.policy(expanded.root, meaning.source.file, meaning, shared.words)
  const { use } = expanded
  return made === undefined || use === undefined ? made : { ...made, use: Source.span(meaning.source, use) }
}

/** After a syntax problem its lines say nothing, and what seems to be missing may only be hidden by it. */
const audible = (
  meaning: Problems,
  parsed: Yaml.Parsed,
  others?: ReadonlyMap<string, Yaml.Parsed>
): ReadonlyArray<Diagnostic> => {
  const { problems } = parsed
  const broken = problems.list().some(({ code }) => code !== "Y13" && code !== "Y20")
  const hidden = (one: Diagnostic) => broken && /^(K03|K13|K16|E17|K11|S01)$/.test(one.code)
  const silenced = ({ file, span }: Diagnostic) => {
    const { muted } = others?.get(file) ?? parsed
    for (let line = span.line; line <= span.endLine; line++) if (muted.has(line)) return true
    return false
  }
  return meaning.list().filter((one) => !hidden(one) && !silenced(one))
}

/** What `bidhelm undo` and `bidhelm call` do counts as a policy of these names. */
const taken = new Map([
  ["undo", "what a person takes back"],
  ["call", "what a person calls by hand"]
])

/** K18: two policies with one id, or limits, shared variables or templates in two files. */
const clashes = (opened: ReadonlyArray<Opened>): ReadonlyArray<Diagnostic> => {
  const first = new Map<string, string>()
  return opened.flatMap(({ source, kind }) => {
    if (kind === "facts") return []
    const isPolicy = kind === "policy" || kind === "fulfilment"
    const name = isPolicy ? Check.stem(source.file) : `_shared ${kind}`
    const other = first.get(name)
    const meant = isPolicy ? taken.get(name) : undefined
    if (meant !== undefined) {
      const problems = new Problems(source)
      problems.error("K18", { start: 0, end: 0 }, `${name} is the name of ${meant}. Name the file otherwise.`)
      return problems.list()
    }
    if (other === undefined) {
      first.set(name, source.file)
      return []
    }
    const problems = new Problems(source)
    const message = isPolicy
      ? `A policy named ${name} is already in ${other}. File names must differ.`
      : `${Kinds.called[kind]} are already in ${other}. Join the two files.`
    problems.error("K18", { start: 0, end: 0 }, message)
    return problems.list()
  })
}

/** Rule files checked over and over, by a program that watches its folder: what stayed the same is not read again. */
export class Reload {
  private files: ReadonlyArray<File> = []
  private checked: Checked | undefined
  /** By path, of the files last checked. */
  private opened: ReadonlyMap<string, Remembered> = new Map()

  /** As `Load.check`. Nothing is done for the same files as last time; of changed ones only the changed are opened. */
  check(files: ReadonlyArray<File>): Checked {
    if (this.checked !== undefined && isSame(files, this.files)) return this.checked
    const opened = new Map<string, Remembered>()
    const checked = check(files, (file) => {
      const before = this.opened.get(file.path)
      const remembered =
        before !== undefined && isUnchanged(file, before.file) ? before : { file, opened: open(file) }
      opened.set(file.path, remembered)
      return remembered.opened
    })
    this.files = files
    this.opened = opened
    this.checked = checked
    return checked
  }
}

interface Remembered {
  readonly file: File
  readonly opened: Opened
}

const isSame = (a: ReadonlyArray<File>, b: ReadonlyArray<File>): boolean =>
  a.length === b.length && a.every((file, at) => isUnchanged(file, b[at]!))

/** A table that was read once more is another one: its age may have changed. */
const isUnchanged = (a: File, b: File): boolean =>
  a.path === b.path && a.text === b.text && a.garbled === b.garbled && a.data === b.data
