/**
 * Commands as they are mostly typed, with paths and `--json` and nothing else: they are done without their
 * declarations, and without the library that reads options by them. What else is typed goes the long way.
 */

/** What was typed of a command that is plain. */
export interface Typed {
  readonly name: "check" | "test"
  readonly paths: ReadonlyArray<string>
  readonly json: boolean
}

/** What the words after `bidhelm` say; undefined when they have to be looked at more closely. */
export const read = ([name, ...words]: ReadonlyArray<string>): Typed | undefined => {
  if (name !== "check" && name !== "test") return undefined
  // Anywhere else it might be followed by a value of its own: `--json no`.
  const json = words.at(-1) === "--json"
  const paths = json ? words.slice(0, -1) : words
  return paths.every((path) => /^[^-]/.test(path)) ? { name, paths, json } : undefined
}
