/** Files of rule tests → checked tests, or every problem of every file with its place. Reads no files itself. */
import * as TextOrder from "../../domain/TextOrder.js"
import type { File } from "../language/Load.js"
import type { Policy, RuleSet } from "../language/Policy.js"
import { compare, type Diagnostic, isError, Problems } from "../language/problems/Diagnostic.js"
import * as Suggest from "../language/problems/Suggest.js"
import { entry, type Node, type ScalarNode } from "../language/yaml/Node.js"
import * as Source from "../language/yaml/Source.js"
import * as Yaml from "../language/yaml/Yaml.js"
import * as Cases from "./Cases.js"
import * as Layout from "./Layout.js"
import type { TestFile } from "./TestFile.js"

export interface Read {
  /** Present only when no file has an error: tests run all or not at all. */
  readonly files?: ReadonlyArray<TestFile>
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

/** The order of the files does not matter. Never throws, whatever the text. */
export const read = (files: ReadonlyArray<File>, rules: RuleSet): Read => {
  const loaded = [...files].sort(TextOrder.by(({ path }) => path)).map((file) => one(file, rules))
  const diagnostics = loaded.flatMap((each) => each.diagnostics).sort(compare)
  if (diagnostics.some(isError)) return { diagnostics }
  return { files: loaded.flatMap(({ test }) => (test === undefined ? [] : [test])), diagnostics }
}

/** Name of a file of rule tests. */
export const isTestName = (path: string): boolean => /\.test\.ya?ml$/i.test(path)

interface One {
  readonly test?: TestFile
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

const one = (file: File, rules: RuleSet): One => {
  const source = Source.ofFile(file)
  if (!isTestName(file.path)) {
    const problems = new Problems(source)
    const name = file.path.replace(/\.ya?ml$/i, "")
    problems.error(
      "T06",
      { start: 0, end: 0 },
      "Files of tests end in .test.yaml; this one is never run.",
      `${name}.test.yaml`
    )
    return { diagnostics: problems.list() }
  }
  const { muted, problems, root } = Yaml.parse(source)
  if (root === undefined) return { diagnostics: problems.list() }
  const meaning = new Problems(source, "Tests")
  const test = body(root, file.path, rules, meaning)
  const broken = problems.list().some(isError)
  const audible = meaning.list().filter(({ span, code }) => {
    for (let line = span.line; line <= span.endLine; line++) if (muted.has(line)) return false
    return !broken || !/^(K13|K16|T0[235])$/.test(code)
  })
  return { ...(test === undefined ? {} : { test }), diagnostics: [...problems.list(), ...audible] }
}

const keys: Layout.Keys = {
  known: ["version", "kind", "policy", "cases"],
  needed: {
    version: "Write version: 1",
    kind: "Write kind: tests",
    policy: "Which policy is tested? Its file name without .yaml",
    cases: "List the cases, each after a dash."
  }
}

const body = (root: Node, file: string, rules: RuleSet, problems: Problems): TestFile | undefined => {
  const map = Layout.map(root, "This file", keys, problems)
  if (map === undefined) return undefined
  const version = Layout.text(map, "version", problems)
  if (version !== undefined && version.text !== "1") {
    problems.error("K17", version.range, `Version ${version.text} is not known. Write version: 1`, "1")
  }
  const kind = Layout.text(map, "kind", problems)
  if (kind !== undefined && kind.text !== "tests") {
    problems.error(
      "K04",
      kind.range,
      `kind cannot be "${kind.text}". A file of tests says kind: tests`,
      "tests"
    )
  }
  const policy = policyOf(Layout.text(map, "policy", problems), rules, problems)
  const items = Layout.list(map, "cases", problems)
  if (items?.length === 0) {
    problems.error(
      "T02",
      entry(map, "cases")!.keyRange,
      "There is no case here. A file without cases tests nothing."
    )
  }
  if (policy === undefined) return undefined
  const cases = Cases.read(items ?? [], policy, problems)
  return { file, policy, cases }
}

/** T01; the rest of the file is then checked against the policy that was probably meant. */
const policyOf = (node: ScalarNode | undefined, rules: RuleSet, problems: Problems): Policy | undefined => {
  if (node === undefined) return undefined
  const wanted = node.text.trim()
  const found = rules.policies.find((policy) => policy.id === wanted)
  if (found !== undefined) return found
  const ids = rules.policies.map((policy): string => policy.id)
  const near = nearestPolicy(wanted, ids)
  const hint =
    near !== undefined
      ? `Did you mean ${near}?`
      : ids.length === 0
        ? "There are no policies."
        : `There is: ${ids.join(", ")}.`
  problems.error("T01", node.range, `No policy "${wanted}". ${hint}`, near)
  return rules.policies.find((policy) => policy.id === near)
}

// The policy that a misspelt or shortened name means: names are long, and people write their beginnings.

/** `01-rase` means `01-raise-to-reach-max`. */
const nearestPolicy = (wanted: string, ids: ReadonlyArray<string>): string | undefined => {
  const beginnings = new Map<string, string>()
  for (const id of ids) {
    const words = id.split("-")
    for (let count = words.length; count > 0; count--) {
      const beginning = words.slice(0, count).join("_").toLowerCase()
      if (!beginnings.has(beginning)) beginnings.set(beginning, id)
    }
  }
  const near = Suggest.nearest(wanted.replace(/\.ya?ml$/i, ""), [...beginnings.keys()])
  return near === undefined ? undefined : beginnings.get(near)
}
