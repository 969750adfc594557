/** What commands and a running `bidhelm run` say to each other, and which commands it takes over. */
import { realpathSync } from "node:fs"
import { usualConfig } from "../config/UsualConfig.js"

// The socket's endpoints, which `RunnerApi` declares. Whoever asks loads these lines only.
export const statusPath = "/status"
export const commandPath = "/command"
export const inputPath = "/input"

/** A command as it was typed, where it was typed. */
export interface Request {
  readonly argv: ReadonlyArray<string>
  readonly cwd: string
  /** Absolute path of the configuration. */
  readonly config: string
  /** Whether it was typed at a terminal that shows colours. */
  readonly coloured?: boolean
}

/** A line for a command that listens, by the number that its answer began with; null when no line comes any more. */
export interface Said {
  readonly to: number
  readonly line: string | null
}

/** One line of the answer; `isText` when it is meant for people, whose terminal may break it at words. */
export type Part =
  | { readonly out: string; readonly isText?: boolean }
  | { readonly err: string }
  /** The command listens: its lines are said to this number. */
  | { readonly input: number }
  | { readonly code: number }

/** The folder that paths of a command mean. A user who may not enter the folders above it still stands in it. */
export const folderHere = (): string => {
  const folder = process.cwd()
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

/** Commands that open the store. */
const taken = new Set(
  "plan apply economics promos orders supplies reshipments units passes labels pack explain forecast history limits call undo hold holds resume kill approvals approve reject resolve reconcile store account".split(
    " "
  )
)

/** Parts of commands on orders that write in a person's name. */
const assembling = new Set([
  "supplies assemble",
  "supplies deliver",
  "supplies move",
  "orders cancel",
  "orders marks import",
  "passes book",
  "units add"
])

/** Commands that ask a question unless told not to. */
const asking = new Set(["apply", "undo", ...assembling])

/** Commands that send to the marketplace, and wait to see what became of it. */
const sending = new Set(["apply", "approve", "call", "pack", "undo", ...assembling])

/** Commands that a person needs most when the program hangs: they go on without it when it does not answer. */
const urgent = new Set(["hold", "resume", "kill"])

/** Commands that change what the running program does, or take something back from it, beside those that send. */
const steering = new Set([...urgent, "reject", "resolve", "reconcile", "account", "store"])

/** Parts that open no store although their command does. */
const apart = new Set(["orders marks check"])

/** Commands that read lines as long as they run. */
const listening = new Set(["pack"])

/** Commands that nothing else may have the store open for. */
const exclusive = new Set(["restore"])

export const isExclusive = ([name]: Words): boolean => name !== undefined && exclusive.has(name)

/** Arguments after `bidhelm`. */
type Words = ReadonlyArray<string>

/** The words as the command takes them: `--log-level LEVEL` may stand anywhere, before its name too. */
export const wordsOf = (argv: Words): Words =>
  argv.filter(
    (word, i) => argv[i - 1] !== "--log-level" && word !== "--log-level" && !word.startsWith("--log-level=")
  )

export const isTaken = (words: Words): boolean => {
  const [name] = words
  return name !== undefined && taken.has(name) && !isOneOf(apart, words)
}

export const isSending = (words: Words): boolean => isOneOf(sending, words)

export const isSteering = (words: Words): boolean => isSending(words) || isOneOf(steering, words)

/** True when the words begin with a command, or a part of one, of this set. */
const isOneOf = (names: ReadonlySet<string>, words: Words): boolean =>
  [1, 2, 3].some((count) => names.has(words.slice(0, count).join(" ")))

export const isListening = ([name]: Words): boolean => name !== undefined && listening.has(name)

export const isUrgent = ([name]: Words): boolean => name !== undefined && urgent.has(name)

export const isHelp = (words: Words): boolean => words.some((word) => word === "--help" || word === "-h")

/** True for a command that would ask a person something: the running program has nobody to ask. */
export const asks = (words: Words): boolean => {
  const [name, ...rest] = words
  if (!isOneOf(asking, words)) return false
  const answered = rest.some((word) => /^(--yes|-y|--dry-run|--plan)$/.test(word))
  return !answered && !(name === "undo" && isSaved(rest))
}

/** True when `undo` writes its plan to a file, and sends nothing. */
const isSaved = (words: Words): boolean => words.some((word) => word === "--out" || word.startsWith("--out="))

/** The value of `--config`, as the options read it. */
export const configOf = (words: Words): string => {
  const at = words.indexOf("--config")
  if (at >= 0) return words[at + 1] ?? usualConfig
  const joined = words.find((word) => word.startsWith("--config="))
  return joined?.slice("--config=".length) ?? usualConfig
}
