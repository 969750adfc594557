/** One door for language tests: rule text in, checked policy or problems out. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { File } from "../../src/engine/language/Load.js"
import * as Load from "../../src/engine/language/Load.js"
import type { Clause, Condition, Policy } from "../../src/engine/language/Policy.js"

/** Every YAML file under a folder of the project, by path, sorted. */
export const folder = (path: string): ReadonlyArray<File> =>
  readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".yaml"))
    .sort()
    .map((name) => ({ path: join(path, name), text: readFileSync(join(path, name), "utf8") }))

/** Codes with lines, such as `E03@7`, of one file. */
export const problems = (text: string, path = "rules/a.yaml"): ReadonlyArray<string> =>
  Load.check([{ path, text }]).diagnostics.map(({ code, span }) => `${code}@${span.line}`)

/** The only policy of a text; fails with its problems otherwise. */
export const policy = (text: string): Policy => {
  const { ruleSet, diagnostics } = Load.check([{ path: "rules/a.yaml", text }])
  const made = ruleSet?.policies[0]
  if (made === undefined) throw new Error(JSON.stringify(diagnostics.map((d) => [d.code, d.message, d.fix])))
  return made
}

/** A cluster policy around one condition. */
export const around = (when: string, more = "window: 7d"): string =>
  `version: 1\nname: a\neach: cluster\n${more}\nwhen:\n  - ${when}\ndo: add_minus\n`

/** The condition of a text, through the whole loader. */
export const condition = (when: string, more?: string): Condition => {
  const clause: Clause | undefined = policy(around(when, more)).when[0]
  if (clause === undefined) throw new Error("no clause")
  return clause.condition
}

/** Codes of one condition. */
export const codes = (when: string, more?: string): ReadonlyArray<string> =>
  Load.check([{ path: "rules/a.yaml", text: around(when, more) }]).diagnostics.map(({ code }) => code)
