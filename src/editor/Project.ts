/** The files that are checked together, as they are on disk and in the editor, and what each of them holds. */

import type * as Schema from "effect/Schema"
import * as TextOrder from "../domain/TextOrder.js"
import type { Fact } from "../engine/facts/FactType.js"
import * as Own from "../engine/facts/Own.js"
import type { File } from "../engine/language/Load.js"
import * as Load from "../engine/language/Load.js"
import type { Each } from "../engine/language/Policy.js"
import type { Diagnostic } from "../engine/language/problems/Diagnostic.js"
import * as Kinds from "../engine/language/shape/Kinds.js"
import * as Policy from "../engine/language/shape/Schema.js"
import { type Entry, get, type Node } from "../engine/language/yaml/Node.js"
import * as Yaml from "../engine/language/yaml/Yaml.js"
import * as ReadTests from "../engine/testing/ReadTests.js"
import * as TestSchema from "../engine/testing/TestSchema.js"
import { Sheet } from "./Place.js"

type Kind = Kinds.Kind | "tests"

const schemas: Readonly<Record<Kind, Schema.Schema.All>> = {
  policy: Policy.Policy,
  limits: Policy.Limits,
  vars: Policy.Vars,
  templates: Policy.Templates,
  facts: Policy.Facts,
  economics: Policy.Economics,
  fulfilment: Policy.FulfilmentPolicy,
  tests: TestSchema.Tests
}

/** One file of a project. */
export interface Page {
  readonly path: string
  readonly sheet: Sheet
  /** Absent where the text is no YAML at all. */
  readonly root: Node | undefined
  readonly kind: Kind
  readonly schema: Schema.Schema.All
}

/** Made anew for every change; what belongs to a file that did not change is kept. */
export class Project {
  readonly pages: ReadonlyMap<string, Page>
  private found: ReadonlyArray<Diagnostic> | undefined

  /** Rule files and their tests, told apart by name; paths are unique. */
  constructor(readonly files: ReadonlyArray<File>) {
    this.pages = new Map(files.map((file) => [file.path, page(file)]))
  }

  page(path: string): Page | undefined {
    return this.pages.get(path)
  }

  get rules(): ReadonlyArray<File> {
    return this.files.filter(({ path }) => !isTest(path))
  }

  /** The shared variables' file. */
  get shared(): Page | undefined {
    return [...this.pages.values()].sort(TextOrder.by(({ path }) => path)).find(({ kind }) => kind === "vars")
  }

  /** Facts of the seller's own tables, by their words. */
  get own(): ReadonlyMap<string, Fact> {
    const tables = [...this.pages.values()].filter(({ kind }) => kind === "facts")
    const fields = tables.flatMap(({ root }) => entries(get(root, "fields")))
    return new Map(
      fields.flatMap(({ key, value }) => {
        const type = get(value, "type")
        const id = type?._tag === "Scalar" ? `${key}:${type.text}` : ""
        const fact = Own.byId(id)
        return fact === undefined ? [] : [[key, fact]]
      })
    )
  }

  /** Every problem of every file. Tests are looked at once the rules have no error. */
  get diagnostics(): ReadonlyArray<Diagnostic> {
    this.found ??= this.check()
    return this.found
  }

  /** What the rows of a file are; of a test, of the policy it tests. Undefined where it is not said. */
  each(page: Page): Each | undefined {
    switch (page.kind) {
      case "policy":
        return eachOf(page.sheet.source.text) ?? eachOf(written(get(this.template(page), "each"), "each: "))
      case "tests": {
        const tested = this.tested(page)
        return tested === undefined ? undefined : this.each(tested)
      }
      default:
        return page.kind === "limits" ? "campaign" : undefined
    }
  }

  /** Templates by name. */
  get templates(): ReadonlyArray<Entry> {
    const files = [...this.pages.values()].filter(({ kind }) => kind === "templates")
    return files.flatMap(({ root }) => entries(get(root, "templates")))
  }

  /** The template a policy uses. */
  template({ root }: Page): Node | undefined {
    const name = written(get(root, "use"))
    return this.templates.find(({ key }) => key === name)?.value
  }

  /** The policy a test file names. */
  tested(page: Page): Page | undefined {
    const name = /^policy:[ \t]*["']?([^\s"'#]+)/m.exec(page.sheet.source.text)?.[1]
    return [...this.pages.values()].find((one) => one.kind === "policy" && stem(one.path) === name)
  }

  private check(): ReadonlyArray<Diagnostic> {
    const { diagnostics, ruleSet } = Load.check(this.rules)
    if (ruleSet === undefined) return diagnostics
    const tests = this.files.filter(({ path }) => isTest(path))
    return [...diagnostics, ...ReadTests.read(tests, ruleSet).diagnostics]
  }
}

/** All there are, for places that do not say which. */
export const everyEach: ReadonlyArray<Each> = Policy.Policy.fields.each.literals

/** A policy's id: its file name without the ending. */
export const stem = (path: string): string => path.replace(/^.*[\\/]/, "").replace(/\.ya?ml$/i, "")

/** In a folder `tests`, or named like a test. */
const isTest = (path: string): boolean => /(^|[\\/])tests[\\/]/.test(path) || ReadTests.isTestName(path)

const written = (node: Node | undefined, before = ""): string =>
  node?._tag === "Scalar" ? `${before}${node.text.trim()}` : ""

const pages = new WeakMap<File, Page>()

const page = (file: File): Page => {
  const known = pages.get(file)
  if (known !== undefined) return known
  const sheet = new Sheet(file)
  const { root } = Yaml.parse(sheet.source)
  const kind: Kind = isTest(file.path) ? "tests" : Kinds.of(root, stem(file.path), file.path)
  const made = { path: file.path, sheet, root, kind, schema: schemas[kind] }
  pages.set(file, made)
  return made
}

const eachOf = (text: string): Each | undefined => {
  const written = /^each:[ \t]*["']?(\w+)/m.exec(text)?.[1]
  return everyEach.find((each) => each === written)
}

/** The entries of a map; none of anything else. */
export const entries = (node: Node | undefined): ReadonlyArray<Entry> =>
  node?._tag === "Map" ? node.entries : []
