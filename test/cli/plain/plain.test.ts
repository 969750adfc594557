/** Commands as they are mostly typed are done without their declarations: nobody may notice. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Program from "../../../src/cli/Program.js"
import * as Typed from "../../../src/cli/plain/Typed.js"

type Way = typeof Program.outcome

const ended = async (way: Way, words: ReadonlyArray<string>) => {
  const [out, err]: [Array<string>, Array<string>] = [[], []]
  const sink = { out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) }
  return { code: await Effect.runPromise(way(words, sink)), out, err }
}

const one = "rules/01-raise-to-reach-max.yaml"

it.each([
  [["check"]],
  [["check", "--json"]],
  [["check", "rules"]],
  [["check", one, "rules/_shared", "--json"]],
  [["check", "rules/tests", "true"]],
  [["check", "nothing/here"]],
  [["check", "nothing/here", "--json"]],
  [["check", "package.json"]],
  [["test"]],
  [["test", "rules/tests/01-raise-to-reach-max.test.yaml"]],
  [["test", "rules/tests/01-raise-to-reach-max.test.yaml", "--json"]],
  [["test", one]],
  [["test", "nothing/here"]]
])("%j ends and says the same with its declaration", async (words) => {
  expect(Typed.read(words)).toBeDefined()
  expect(await ended(Program.outcome, words)).toEqual(await ended(Program.within, words))
})

it.each([
  [[]],
  [["chek"]],
  [["fmt"]],
  [["--json", "check"]],
  [["check", ""]],
  [["check", "--"]],
  [["check", "--help"]],
  [["check", "-h", "--json"]],
  [["check", "--json", "no"]],
  [["check", "--json", "--json"]],
  [["check", "--fix"]],
  [["check", "--config=other.yaml"]],
  [["check", "rules", "--assume", "campaigns=1"]],
  [["--log-level", "debug", "check"]],
  [["test", "--coverage-min", "90"]],
  [["test", "--completions", "bash"]]
])("%j is looked at more closely", (words) => {
  expect(Typed.read(words)).toBeUndefined()
})
