/**
 * The terminal's doors: data goes to stdout, commentary to stderr, so that `bidhelm … | jq` sees data only.
 * Nothing else in the program writes to either.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Redact from "../domain/Redact.js"

/** Version of every `--json` answer. */
export const jsonVersion = 1

/** True when a person watches stderr: progress may redraw its line. */
export const watched = (): boolean =>
  !unattended && process.stderr.isTTY === true && process.env.CI === undefined

let unattended = false

/** From now on nobody is asked anything: the program works by itself, whoever watches its terminal. */
export const leaveAlone: Effect.Effect<void> = Effect.sync(() => {
  unattended = true
})

/** True when a person can answer a question. */
export const answerable = (): boolean =>
  !unattended && process.stdin.isTTY === true && process.stdout.isTTY === true

/** True when stdout may carry colour (https://no-color.org). */
export const coloured = (): boolean =>
  !unattended &&
  process.stdout.isTTY === true &&
  (process.env.NO_COLOR ?? "") === "" &&
  process.env.TERM !== "dumb"

/** Where the output of a command goes that runs for somebody else. */
export interface Sink {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Ends when more may be printed: whoever reads it may be slower. */
  readonly ready?: Effect.Effect<void>
}

type Kind = "out" | "err"

const terminal: Sink = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(Redact.tokens(text))
}

const sink = FiberRef.unsafeMake(terminal)

/** Sends what an effect prints somewhere else. */
export const into = (other: Sink) => Effect.locally(sink, other)

/** Prints text as it is. */
export const raw = (kind: Kind, text: string): Effect.Effect<void> =>
  Effect.flatMap(FiberRef.get(sink), (to) => {
    to[kind](text)
    return to.ready ?? Effect.void
  })

const write = (kind: Kind, text: string): Effect.Effect<void> =>
  raw(kind, text.endsWith("\n") ? text : `${text}\n`)

/** Both ends of a conversation with a program that started this one. */
export const channel = (): {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
} => ({
  input: process.stdin,
  output: process.stdout
})

/** Prints data on stdout. */
export const data = (text: string): Effect.Effect<void> => write("out", text)

/** Prints commentary on stderr. */
export const note = (text: string): Effect.Effect<void> => write("err", text)

/** Writes a line of a running program's log on stderr, whoever's command is being run. */
export const logLine = (line: string): void => terminal.err(line)

/** Redraws the last line of stderr; only for a watched terminal. */
export const redraw = (text: string): Effect.Effect<void> => raw("err", `\r\u001b[2K${text}`)

/** Prints one versioned JSON answer on stdout. */
export const json = (kind: string, body: Readonly<Record<string, unknown>>): Effect.Effect<void> =>
  data(JSON.stringify({ version: jsonVersion, kind, ...body }, null, 2))

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with an escape character
const ansi = /\u001b\[[0-9;]*m/g

/** What the library says of every option of a kind, above the option's own description. */
const filler =
  /^ *(A user-defined piece of text\.|A true or false value\.|An integer\.|A floating point number\.)\n\n/gm

const plain = (parts: ReadonlyArray<unknown>, keepColour: boolean): string => {
  const text = parts.map(String).join(" ").trim()
  const named = text.replace(/\$ (?!bidhelm)(?=[a-z])/, "$ bidhelm ").replace(filler, "")
  return keepColour ? named : named.replace(ansi, "")
}

/**
 * Gives the command-line library doors of its own: its help is coloured even into a pipe, and its usage line
 * leaves the program's name out. What an option is for is said by its own description alone.
 */
export const withDoors = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Console.consoleWith((console) =>
    Effect.withConsole(effect, {
      ...console,
      log: (...parts) => data(plain(parts, coloured())),
      error: (...parts) => note(plain(parts, false))
    })
  )
