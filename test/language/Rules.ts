/** One door for language tests: rule text in, checked policy or problems out. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { File } from "../../src/engine/language/Load.js"
import * as Load from "../../src/engine/language/Load.js"
import type { Clause, Condition, Policy } from "../../src/engine/language/Policy.js"

/** Every rule file under a folder of the project, by path, sorted; `tests` folders hold no rules. */
export const folder = (path: string): ReadonlyArray<File> =>
  readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".yaml") && !/(^|[\\/])tests[\\/]/.test(name))
    .sort()
    .map((name) => ({ path: join(path, name), text: readFileSync(join(path, name), "utf8") }))

/** Every file below a folder of rule tests. */
export const testFolder = (path: string): ReadonlyArray<File> =>
  readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".yaml"))
    .sort()
    .map((name) => ({ path: join(path, name), text: readFileSync(join(path, name), "utf8") }))

/** Problems of one file, without S08: most examples leave the kind of campaign open, which is not their point. */
const found = (text: string, path: string) =>
  Load.check([{ path, text }]).diagnostics.filter(({ code }) => code !== "S08")

/** Codes with lines, such as `E03@7`, of one file. */
export const problems = (text: string, path = "rules/a.yaml"): ReadonlyArray<string> =>
  found(text, path).map(({ code, span }) => `${code}@${span.line}`)

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
  const clause: Clause | undefined = policy(around(when, more)).rules[0]?.when[0]
  if (clause === undefined) throw new Error("no clause")
  return clause.condition
}

/** Codes of one condition. */
export const codes = (when: string, more?: string): ReadonlyArray<string> =>
  found(around(when, more), "rules/a.yaml").map(({ code }) => code)
