/** A folder of rule files → one checked rule set, or every problem of every file. Reads no files itself. */
import * as Analyse from "./analysis/Analyse.js"
import * as Check from "./Check.js"
import type { Diagnostic } from "./Diagnostic.js"
import { compare, isError, Problems } from "./Diagnostic.js"
import * as Limits from "./Limits.js"
import * as Meaning from "./Meaning.js"
import type { Node } from "./Node.js"
import { get } from "./Node.js"
import type { AccountLimits, Policy, RuleSet } from "./Policy.js"
import * as Source from "./Source.js"
import * as Vars from "./Vars.js"
import * as Yaml from "./Yaml.js"

/** A rule file: its path as people know it, and its text. */
export interface File {
  readonly path: string
  readonly text: string
}

export interface Checked {
  /** Present only when no file has an error: a rule set is loaded whole or not at all. */
  readonly ruleSet?: RuleSet
  /** Every problem, sorted by file, line and column. */
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/**
 * Checks files together. `path` decides the id of a policy (its stem); a file with `kind: limits` holds the
 * account's limits. The order of the files does not matter. Never throws, whatever the text.
 */
export const check = (files: ReadonlyArray<File>): Checked => {
  const opened = [...files].sort((a, b) => order(a.path, b.path)).map(open)
  const shared = opened.flatMap((one) => (one.kind === "vars" ? readVars(one) : []))
  const vars = shared[0]?.vars
  const loaded = opened.map((one) => (one.kind === "vars" ? readShared(one, shared) : load(one, vars)))
  const policies = loaded.flatMap(({ policy }) => (policy === undefined ? [] : [policy]))
  policies.sort((a, b) => order(a.id, b.id))
  const limits = loaded.find((one) => one.limits !== undefined)?.limits ?? Limits.none
  const areLimitsRead = loaded.every((one) => !one.isLimits || one.limits !== undefined)
  const diagnostics = [
    ...loaded.flatMap((one) => one.diagnostics),
    ...clashes(opened),
    ...Analyse.all(policies, areLimitsRead ? limits : undefined)
  ].sort(compare)
  if (diagnostics.some(isError)) return { diagnostics }
  diagnostics.push(...shared.flatMap((one) => unused(one)))
  diagnostics.sort(compare)
  return { ruleSet: { policies, limits, hash: Meaning.ofRuleSet(policies, limits) }, diagnostics }
}

type Kind = "policy" | "limits" | "vars"

interface Opened {
  readonly source: Source.Source
  readonly parsed: Yaml.Parsed
  readonly kind: Kind
}

interface Loaded {
  readonly isLimits: boolean
  readonly policy?: Policy
  readonly limits?: AccountLimits
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const open = ({ path, text }: File): Opened => {
  const source = Source.make(path, text)
  const parsed = Yaml.parse(source)
  return { source, parsed, kind: kindOf(parsed.root, path) }
}

const load = ({ source, parsed, kind }: Opened, shared: Vars.Vars | undefined): Loaded => {
  const isLimits = kind === "limits"
  if (parsed.root === undefined) return { isLimits, diagnostics: parsed.problems.list() }
  const meaning = new Problems(source)
  const { root, vars } = Vars.expand(parsed.root, shared, meaning)
  const read = isLimits
    ? { limits: Limits.read(root, meaning) }
    : { policy: Check.policy(root, source.file, meaning) }
  if (meaning.list().every((one) => !isError(one))) vars.unused(meaning)
  const diagnostics = [...parsed.problems.list(), ...audible(meaning, parsed)].sort(compare)
  if (diagnostics.some(isError)) return { isLimits, diagnostics }
  const { policy, limits } = { policy: undefined, limits: undefined, ...read }
  return {
    isLimits,
    diagnostics,
    ...(policy === undefined ? {} : { policy }),
    ...(limits === undefined ? {} : { limits })
  }
}

interface SharedVars {
  readonly opened: Opened
  readonly meaning: Problems
  readonly vars: Vars.Vars
}

const readVars = (opened: Opened): ReadonlyArray<SharedVars> => {
  const { root } = opened.parsed
  const meaning = new Problems(opened.source)
  return root === undefined ? [] : [{ opened, meaning, vars: Vars.read(root, meaning) }]
}

const readShared = (opened: Opened, shared: ReadonlyArray<SharedVars>): Loaded => {
  const own = shared.find((one) => one.opened === opened)
  const meant = own === undefined ? [] : audible(own.meaning, opened.parsed)
  return { isLimits: false, diagnostics: [...opened.parsed.problems.list(), ...meant].sort(compare) }
}

/** Known only when every file has been read. */
const unused = ({ opened, vars }: SharedVars): ReadonlyArray<Diagnostic> => {
  const problems = new Problems(opened.source)
  vars.unused(problems)
  return problems.list()
}

const kindOf = (root: Node | undefined, path: string): Kind => {
  const named = /^_?(limits|vars)$/.exec(Check.stem(path))?.[1]
  const shared = /(^|[\\/])_shared[\\/](limits|vars)\.ya?ml$/.exec(path)?.[2]
  if (root === undefined) return named === "limits" || named === "vars" ? named : "policy"
  const kind = get(root, "kind")
  if (kind !== undefined) return kind._tag === "Scalar" && kind.text.trim() === "vars" ? "vars" : "limits"
  const has = (...keys: ReadonlyArray<string>) => keys.some((key) => get(root, key) !== undefined)
  if (has("vars") && !has("name", "each", "when", "do", "rules")) return "vars"
  return !has("do") && (shared === "limits" || shared === "vars") ? shared : "policy"
}

/** After a syntax problem its lines say nothing, and what seems to be missing may only be hidden by it. */
const audible = (meaning: Problems, { muted, problems }: Yaml.Parsed): ReadonlyArray<Diagnostic> => {
  const broken = problems.list().some(({ code }) => code !== "Y13" && code !== "Y20")
  const hidden = (one: Diagnostic) => broken && /^(K03|K13|K16|E17|K11|S01)$/.test(one.code)
  const silenced = ({ span }: Diagnostic) => {
    for (let line = span.line; line <= span.endLine; line++) if (muted.has(line)) return true
    return false
  }
  return meaning.list().filter((one) => !hidden(one) && !silenced(one))
}

/** K18: two policies with one id, or limits or shared variables in two files. */
const clashes = (opened: ReadonlyArray<Opened>): ReadonlyArray<Diagnostic> => {
  const first = new Map<string, string>()
  return opened.flatMap(({ source, kind }) => {
    const name = kind === "policy" ? Check.stem(source.file) : `_shared ${kind}`
    const other = first.get(name)
    if (other === undefined) {
      first.set(name, source.file)
      return []
    }
    const problems = new Problems(source)
    const message =
      kind === "policy"
        ? `A policy named ${name} is already in ${other}. File names must differ.`
        : `${kind === "limits" ? "Limits" : "Shared variables"} are already in ${other}. Join the two files.`
    problems.error("K18", { start: 0, end: 0 }, message)
    return problems.list()
  })
}
