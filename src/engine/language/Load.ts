/** A folder of rule files → one checked rule set, or every problem of every file. Reads no files itself. */
import * as Check from "./Check.js"
import type { Diagnostic } from "./Diagnostic.js"
import { compare, isError, Problems } from "./Diagnostic.js"
import * as Limits from "./Limits.js"
import * as Meaning from "./Meaning.js"
import type { Node } from "./Node.js"
import { get } from "./Node.js"
import type { AccountLimits, Policy, RuleSet } from "./Policy.js"
import * as Source from "./Source.js"
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
  const loaded = [...files].sort((a, b) => order(a.path, b.path)).map(load)
  const diagnostics = [...loaded.flatMap((one) => one.diagnostics), ...clashes(loaded)].sort(compare)
  if (diagnostics.some(isError)) return { diagnostics }
  const policies = loaded.flatMap(({ policy }) => (policy === undefined ? [] : [policy]))
  policies.sort((a, b) => order(a.id, b.id))
  const limits = loaded.find((one) => one.limits !== undefined)?.limits ?? Limits.none
  return { ruleSet: { policies, limits, hash: Meaning.ofRuleSet(policies, limits) }, diagnostics }
}

interface Loaded {
  readonly source: Source.Source
  readonly isLimits: boolean
  readonly policy?: Policy
  readonly limits?: AccountLimits
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const load = (file: File): Loaded => {
  const source = Source.make(file.path, file.text)
  const parsed = Yaml.parse(source)
  const { root } = parsed
  const isLimits =
    root === undefined ? /^_?limits$/.test(Check.stem(file.path)) : isLimitsFile(root, file.path)
  if (root === undefined) return { source, isLimits, diagnostics: parsed.problems.list() }
  const meaning = new Problems(source)
  const read = isLimits
    ? { limits: Limits.read(root, meaning) }
    : { policy: Check.policy(root, file.path, meaning) }
  const diagnostics = [...parsed.problems.list(), ...audible(meaning, parsed)].sort(compare)
  if (diagnostics.some(isError)) return { source, isLimits, diagnostics }
  const { policy, limits } = { policy: undefined, limits: undefined, ...read }
  return {
    source,
    isLimits,
    diagnostics,
    ...(policy === undefined ? {} : { policy }),
    ...(limits === undefined ? {} : { limits })
  }
}

const isLimitsFile = (root: Node, path: string): boolean => {
  const kind = get(root, "kind")
  return (
    kind !== undefined || (/(^|[\\/])_shared[\\/]limits\.ya?ml$/.test(path) && get(root, "do") === undefined)
  )
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

/** K18: two policies with one id, or limits in two files. */
const clashes = (loaded: ReadonlyArray<Loaded>): ReadonlyArray<Diagnostic> => {
  const first = new Map<string, string>()
  return loaded.flatMap(({ source, isLimits }) => {
    const name = isLimits ? "" : Check.stem(source.file)
    const other = first.get(name)
    if (other === undefined) {
      first.set(name, source.file)
      return []
    }
    const problems = new Problems(source)
    const message = isLimits
      ? `Limits are already in ${other}. Join the two files.`
      : `A policy named ${name} is already in ${other}. File names must differ.`
    problems.error("K18", { start: 0, end: 0 }, message)
    return problems.list()
  })
}
