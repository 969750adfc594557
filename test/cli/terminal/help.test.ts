/** The help of every command: each option says what it is for, and nothing says what everybody sees. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Program from "../../../src/cli/Program.js"
import { commands } from "../../../src/cli/terminal/Commands.js"
import { helpText } from "../../../src/cli/terminal/TopHelp.js"

const helpOf = async (words: ReadonlyArray<string>): Promise<string> => {
  let said = ""
  const out = (text: string) => {
    said += text
  }
  await Effect.runPromise(Program.within([...words, "--help"], { out, err: out }))
  return said
}

/** Option by option: the line that names it, and the first paragraph under it. */
const options = (help: string): ReadonlyArray<{ readonly name: string; readonly says: string }> => {
  const begin = help.search(/^(OPTIONS|ARGUMENTS)$/m)
  if (begin < 0) return []
  const end = help.search(/^COMMANDS$/m)
  const lines = help.slice(begin, end < begin ? undefined : end).split("\n")
  const names = lines.flatMap((line, at) => (/^[[(<-]/.test(line) ? [at] : []))
  return names.map((at) => ({
    name: lines[at] ?? "",
    says: (lines.slice(at + 1).find((line) => line.trim() !== "") ?? "").trim()
  }))
}

/** Names in the section of a command's own commands. */
const below = (help: string): ReadonlyArray<string> => {
  const begin = help.search(/^COMMANDS$/m)
  if (begin < 0) return []
  return [...help.slice(begin).matchAll(/^ *- ([a-z][a-z-]*)/gm)].map(([, name = ""]) => name)
}

const mute = async (words: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const help = await helpOf(words)
  expect(help).toContain("DESCRIPTION")
  expect(help.split("\n").find((line) => line.startsWith("$ bidhelm"))).toMatch(
    new RegExp(`^\\$ bidhelm ${words.join(" ")}( |$)`)
  )
  expect(help).not.toMatch(/user-defined piece of text|A true or false value|An integer\.|floating point/)
  const children = below(help)
  const found = options(help)
  if (children.length === 0) expect(found.length).toBeGreaterThan(0)
  const silent = found.filter(({ says }) => says === "" || /^(This setting|[[(<-])/.test(says))
  const deeper = await Promise.all(children.map((child) => mute([...words, child])))
  return [...silent.map(({ name }) => `${words.join(" ")} ${name}`), ...deeper.flat()]
}

it.each(Object.keys(commands))("says of every option of %s what it is for", async (name) => {
  expect(await mute([name])).toEqual([])
})

it("knows the commands of a command", async () => {
  expect(below(await helpOf(["store"]))).toContain("purge")
})

it("fits the terminal's width, and what continues stands below the description", () => {
  const lines = helpText("1.0.0", 60).split("\n")
  expect(lines.filter((line) => line.length > 60)).toEqual([])
  expect(lines).toContain("  demo         a local marketplace and the shipped rules:")
})
