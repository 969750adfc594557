/**
 * A configuration that is no YAML. Nobody can tell there which of its words is a secret, so messages and excerpts repeat
 * only what is surely none: known keys, names of variables, and lines that say something harmless.
 */
import type { Diagnostic } from "../../engine/language/problems/Diagnostic.js"
import type * as Node from "../../engine/language/yaml/Node.js"
import * as Source from "../../engine/language/yaml/Source.js"
import type { Refused } from "./Config.js"
import { Fields } from "./ConfigFields.js"
import * as ConfigKeys from "./ConfigKeys.js"
import * as ConfigSecrets from "./ConfigSecrets.js"

/** Problems and text of such a file without the words that may be secrets. */
export const told = (
  path: string,
  content: string,
  root: Node.Node | undefined,
  problems: ReadonlyArray<Diagnostic>
): Refused => {
  const hidden = new Set<string>()
  const shown = content.replace(/[^\r\n]+/g, (line) =>
    isHarmless(line)
      ? line
      : line.replace(word, (one) => {
          if (known.has(one) || ConfigKeys.variable.test(one)) return one
          hidden.add(one)
          return "*".repeat(one.length)
        })
  )
  const source = Source.make(path, ConfigSecrets.blotted(shown, root))
  return { source, problems: problems.map((one) => without(one, hidden)) }
}

/** Rules read the same YAML, and their problems quote what they are about. */
const without = (problem: Diagnostic, hidden: ReadonlySet<string>): Diagnostic => {
  const { fix, message, ...rest } = problem
  const quoting = (text: string) => (text.match(word) ?? []).some((one) => isOf(hidden, one))
  const said = message
    .replace(/".*"/, (quoted) => (quoting(quoted) ? '"…"' : quoted))
    .replace(/^(This (?:file )?cannot be read as YAML): .*$/, (whole, before) =>
      quoting(whole) ? `${before}.` : whole
    )
  return { ...rest, message: said, ...(fix === undefined || quoting(fix) ? {} : { fix }) }
}

/** A quotation may end within a word, or begin in one. */
const isOf = (hidden: ReadonlySet<string>, one: string): boolean =>
  hidden.has(one) ||
  (one.length > 3 &&
    !known.has(one) &&
    [...hidden].some((other) => other.includes(one) || (other.length > 3 && one.includes(other))))

const word = /[^\s{}[\],:"'`!&*?|>@%#=-]+/g

const known = ConfigKeys.names(Fields.ast)

/** Begins with a known key, and no secret is anywhere near it. */
const isHarmless = (line: string): boolean => {
  const first = /^\s*(?:-\s+)?(\w+):(?:\s|$)/.exec(line)?.[1]
  return first !== undefined && known.has(first) && !beside.test(line)
}

/** Words of a line that speaks of a secret or of the place of one; a nested map may hide a misspelt one. */
const beside = /\b(\w*token\w*|\w*password|\w*key|header\w*|scheme|env|file)\b|[{[].*[{[]/i
