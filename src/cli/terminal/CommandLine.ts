/**
 * What was typed, held against the commands and options there are: an unknown or incomplete one is told with the word
 * that was probably meant, before the library takes it for something else.
 */
import * as Descriptor from "@effect/cli/CommandDescriptor"
import type * as Usage from "@effect/cli/Usage"
import * as HashSet from "effect/HashSet"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Suggest from "../../engine/language/problems/Suggest.js"
import * as Forwarding from "../daemon/Forwarding.js"

/** A command of the program, as the library made it. */
export interface Known {
  readonly descriptor: Descriptor.Command<unknown>
}

type Words = ReadonlyArray<string>

/**
 * What speaks against the arguments after `bidhelm`, and what to type instead; undefined when nothing does. `names` are
 * those of all commands, `commands` at least the one that is typed.
 */
export const objection = (
  names: ReadonlyArray<string>,
  commands: ReadonlyArray<Known>,
  typed: Words
): string | undefined => {
  const level = typed.find((_, at) => typed[at - 1] === "--log-level")
  if (level !== undefined && !levels.includes(level))
    return `--log-level ${level}: choose one of ${levels.join(", ")}`
  const words = Forwarding.wordsOf(typed)
  const [name] = words
  if (name === undefined || name.startsWith("-") || words.some((word) => builtIn.has(word))) return undefined
  const command = commands.find(({ descriptor }) =>
    HashSet.has(Descriptor.getNames(descriptor), name)
  )?.descriptor
  if (command === undefined) return `there is no command "${name}". ${meant(name, names)}See: bidhelm --help`
  return within(command, [name], words.slice(1))
}

/** The commands that the words lead through: `["orders", "marks", "import"]`; none where they name none. */
export const path = (commands: ReadonlyArray<Known>, typed: Words): Words => {
  const found: Array<string> = []
  let parts: ReadonlyArray<Descriptor.Command<unknown>> = commands.map(({ descriptor }) => descriptor)
  for (const word of Forwarding.wordsOf(typed)) {
    const part = parts.find((one) => HashSet.has(Descriptor.getNames(one), word))
    if (part === undefined) break
    found.push(word)
    parts = partsOf(part)
  }
  return found
}

/** `title` are the words that lead to the command, `rest` those behind it; a part of a command may have parts itself. */
const within = (command: Descriptor.Command<unknown>, title: Words, rest: Words): string | undefined => {
  const parts = partsOf(command)
  if (parts.length === 0) return ofOptions(command, title.join(" "), rest)
  const [next] = rest
  if (next === undefined) return undefined
  const named = (part: Descriptor.Command<unknown>) => [...HashSet.values(Descriptor.getNames(part))]
  const own = ownOf(command)
  if (next.startsWith("-")) {
    const isOfPart = parts.some((part) => named(part).some((name) => rest.includes(name)))
    return own === undefined || isOfPart ? undefined : ofOptions(own, title.join(" "), rest)
  }
  const part = parts.find((one) => named(one).includes(next))
  if (part === undefined && own !== undefined && takesWords(own)) return ofOptions(own, title.join(" "), rest)
  return part === undefined
    ? `there is no command "${[...title, next].join(" ")}". ${meant(next, parts.flatMap(named).sort())}${remedy(title)}`
    : within(part, [...title, next], rest.slice(1))
}

/** The parts of a command, each with its own: `getSubcommands` of the library ends one level deep. */
const partsOf = (command: unknown): ReadonlyArray<Descriptor.Command<unknown>> => {
  if (Predicate.hasProperty(command, "_tag") && command._tag === "Map")
    return partsOf(Predicate.hasProperty(command, "command") ? command.command : undefined)
  return Predicate.hasProperty(command, "children") && Array.isArray(command.children) ? command.children : []
}

/** A command that has parts, without them. */
const ownOf = (command: unknown): Descriptor.Command<unknown> | undefined => {
  if (Predicate.hasProperty(command, "_tag") && command._tag === "Map")
    return ownOf(Predicate.hasProperty(command, "command") ? command.command : undefined)
  const parent = Predicate.hasProperty(command, "parent") ? command.parent : undefined
  return parent === undefined ? undefined : (parent as Descriptor.Command<unknown>)
}

/** Whether a word behind the command may be another than a part's name. */
const takesWords = (command: unknown): boolean => {
  if (Predicate.hasProperty(command, "_tag") && command._tag === "Map")
    return takesWords(Predicate.hasProperty(command, "command") ? command.command : undefined)
  const words = Predicate.hasProperty(command, "args") ? command.args : undefined
  return Predicate.hasProperty(words, "_tag") && words._tag !== "Empty"
}

/** Where it says what may be typed behind the words of a command. */
export const remedy = (title: Words): string => `See: ${["bidhelm", ...title, "--help"].join(" ")}`

/** Of the library's log. */
const levels = ["all", "trace", "debug", "info", "warning", "error", "fatal", "none"]

/** Taken by the library, whatever the command. */
const builtIn = new Set(["--help", "-h", "--version", "--wizard", "--completions"])

interface Taken {
  readonly names: ReadonlyArray<string>
  /** What the value may be; undefined for an option that has none. */
  readonly value: string | undefined
  readonly isNeeded: boolean
  /** Takes every further word. */
  readonly isMany: boolean
}

const ofOptions = (command: Descriptor.Command<unknown>, title: string, words: Words): string | undefined => {
  const all = taken(Descriptor.getUsage(command))
  const options = all.filter((one) => one.names.some((name) => name.startsWith("-")))
  const places = all.filter(({ names: [name = ""] }) => name.startsWith("<"))
  const see = `See: bidhelm ${title} --help`
  const used = new Set<Taken>()
  const find = (word: string) => options.find(({ names }) => names.includes(word))
  const isFlags = (word: string) =>
    /^-[a-z]{2,}$/i.test(word) && [...word.slice(1)].every((one) => find(`-${one}`))
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ""
    if (word === "--") return undefined
    if (isFlags(word)) continue
    if (!/^--?[a-z]/i.test(word)) {
      const place = places.find((one) => one.isMany || !used.has(one))
      if (place === undefined) return `${title} does not take "${word}". ${see}`
      const wrong = place.value === undefined ? undefined : ofValue(title, place.value, word, false)
      if (wrong !== undefined) return `${wrong}. ${see}`
      used.add(place)
      continue
    }
    const [name = word] = word.split("=", 1)
    const option = find(name)
    if (option === undefined) {
      const names = options.flatMap((one) => one.names.filter((other) => other.startsWith("--")))
      return `${title} has no option ${name}. ${meant(name, names)}${see}`
    }
    used.add(option)
    if (option.value === undefined) continue
    const value = name === word ? words[++at] : word.slice(name.length + 1)
    const wrong = ofValue(name, option.value, value, value !== undefined && find(value) !== undefined)
    if (wrong !== undefined) return `${wrong}. ${see}`
  }
  const missing = [...places, ...options]
    .filter((one) => one.isNeeded && !used.has(one))
    .map(({ names: [name = ""] }) => name)
  return missing.length === 0 ? undefined : `${title} needs ${missing.map(placeName).join(" and ")}. ${see}`
}

/** `<plan>` of the library's picture as the usage lines write it: PLAN. */
const placeName = (name: string): string => (name.startsWith("<") ? name.slice(1, -1).toUpperCase() : name)

const ofValue = (name: string, accepted: string, value: string | undefined, isOption: boolean) => {
  const choices = accepted.split(" | ")
  const what = choices.length > 1 ? `: ${choices.join(", ")}` : ""
  if (value === undefined || value === "") return `${name} needs a value behind it${what}`
  if (isOption) return `${name} needs a value behind it${what}; ${value} is another option`
  if (accepted === "integer" && !Number.isInteger(Number(value)))
    return `${name} ${value}: write a whole number`
  return choices.length > 1 && !choices.includes(value)
    ? `${name} ${value}: choose one of ${choices.join(", ")}`
    : undefined
}

/** "Did you mean --out? ", where something is near enough; dashes count for nothing. */
const meant = (word: string, known: ReadonlyArray<string>): string => {
  const names = new Map(known.map((name) => [bare(name), name]))
  const near = Suggest.nearest(bare(word), [...names.keys()])
  return near === undefined ? "" : `Did you mean ${names.get(near) ?? near}? `
}

const bare = (name: string): string => name.replace(/^-+/, "").replaceAll("-", "_")

/** What stands in the library's own picture of a command: its name, its options, and as `<name>` the words behind it. */
const taken = (usage: Usage.Usage): ReadonlyArray<Taken> => {
  switch (usage._tag) {
    case "Empty":
    case "Mixed":
      return []
    case "Named":
      return [
        {
          names: usage.names,
          value: Option.getOrUndefined(usage.acceptedValues),
          isNeeded: true,
          isMany: false
        }
      ]
    case "Optional":
      return taken(usage.usage).map((one) => ({ ...one, isNeeded: false }))
    // The library does not tell how many it wants, and refuses too few itself.
    case "Repeated":
      return taken(usage.usage).map((one) => ({ ...one, isNeeded: false, isMany: true }))
    case "Alternation":
      return [...taken(usage.left), ...taken(usage.right)].map((one) => ({ ...one, isNeeded: false }))
    case "Concat":
      return [...taken(usage.left), ...taken(usage.right)]
  }
}
