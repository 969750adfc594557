/**
 * The terminal's doors: data goes to stdout, commentary to stderr, so that `bidhelm … | jq` sees data only.
 * Nothing else in the program writes to either.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import * as Redact from "../../domain/Redact.js"
import * as Wrap from "../../reporting/Wrap.js"

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

/** True of a program that goes on for months, whatever becomes of what it prints. */
export const isLeftAlone = (): boolean => unattended

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
  /** `isText` when it is meant for people, and may be broken to fit their terminal. */
  readonly out: (text: string, isText: boolean) => void
  readonly err: (text: string) => void
  /** Whether what is printed may be coloured, and ring a bell. */
  readonly coloured?: boolean
  /** Ends when more may be printed: whoever reads it may be slower. */
  readonly ready?: Effect.Effect<void>
}

type Kind = "out" | "err"

/** One of the process's two doors, as far as they are looked at here. */
export type Stream = Pick<NodeJS.WriteStream, "write"> &
  Partial<Pick<NodeJS.WriteStream, "isTTY" | "columns">>

/**
 * The doors of a terminal. A line that is redrawn is wiped before anything else is written and drawn again after it, so
 * that the two never share a line.
 */
export const terminalOn = (
  stdout: Stream,
  stderr: Stream
): Sink & { readonly redraw: (text: string) => void } => {
  let drawn = ""
  const wipe = "\r\u001b[2K"
  const fitted = (to: Stream, text: string) =>
    to.isTTY === true && to.columns !== undefined && to.columns > 0 ? Wrap.lines(text, to.columns) : text
  const around = (write: () => void, text: string) => {
    if (drawn !== "") stderr.write(wipe)
    write()
    if (drawn !== "" && text.endsWith("\n")) stderr.write(drawn)
  }
  return {
    out: (text, isText) => around(() => stdout.write(isText ? fitted(stdout, text) : text), text),
    err: (text) => around(() => stderr.write(fitted(stderr, Redact.tokens(text))), text),
    redraw: (text) => {
      drawn = Wrap.cut(text, (stderr.columns ?? 80) - 1)
      stderr.write(`${wipe}${drawn}`)
    }
  }
}

const terminal = terminalOn(process.stdout, process.stderr)

const sink = FiberRef.unsafeMake<Sink>(terminal)

/** Shows what a person types on a terminal that does not show it itself. */
export const echo = (signs: string): void => terminal.err(signs)

/** `coloured`, of wherever the output of this command goes. */
export const colouredThere: Effect.Effect<boolean> = Effect.map(
  Effect.suspend(() => FiberRef.get(sink)),
  (to) => (to === terminal ? coloured() : to.coloured === true)
)

/** Sends what an effect prints somewhere else. */
export const into = (other: Sink) => Effect.locally(sink, other)

/** Prints text as it is. */
export const raw = (kind: Kind, text: string): Effect.Effect<void> => print(kind, text, false)

const print = (kind: Kind, text: string, isText: boolean): Effect.Effect<void> =>
  Effect.flatMap(FiberRef.get(sink), (to) => {
    to[kind](text, isText)
    return to.ready ?? Effect.void
  })

const ended = (text: string): string => (text.endsWith("\n") ? text : `${text}\n`)

/** Both ends of a conversation with a program that started this one. */
export const channel = (): {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
} => ({
  input: process.stdin,
  output: process.stdout
})

/** Prints data on stdout, byte by byte: what a program reads, or a person copies. */
export const data = (text: string): Effect.Effect<void> => print("out", ended(text), false)

/** Prints sentences for people on stdout; a terminal breaks them at words. */
export const text = (sentences: string): Effect.Effect<void> => print("out", ended(sentences), true)

/** Prints commentary on stderr; a terminal breaks it at words. */
export const note = (text: string): Effect.Effect<void> => print("err", ended(text), true)

/** Writes a line of a command's log on stderr, of whoever's command it is; the context is that of the log's entry. */
export const logged = (context: FiberRefs.FiberRefs, line: string): void =>
  FiberRefs.getOrDefault(context, sink).err(line)

/** Writes a line of a running program's log on stderr, whoever's command is being run. */
export const logLine = (line: string): void => terminal.err(line)

/** Redraws the last line of stderr, nothing of it when empty; only for a watched terminal. */
export const redraw = (text: string): Effect.Effect<void> => Effect.sync(() => terminal.redraw(text))

/** Prints one versioned JSON answer on stdout. */
export const json = (kind: string, body: Readonly<Record<string, unknown>>): Effect.Effect<void> =>
  data(JSON.stringify(enveloped(kind, body), null, 2))

/** Prints one of several versioned JSON answers on stdout: each is a line. */
export const jsonLine = (kind: string, body: Readonly<Record<string, unknown>>): Effect.Effect<void> =>
  data(JSON.stringify(enveloped(kind, body)))

/** What tells answers apart stands first, and no field of an answer over it. */
const enveloped = (kind: string, body: Readonly<Record<string, unknown>>): object => {
  const own = { version: jsonVersion, kind }
  return { ...own, ...body, ...own }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with an escape character
const ansi = /\u001b\[[0-9;]*m/g

/** What the library says of every option of a kind, above the option's own description. */
const filler =
  /^ *(A user-defined piece of text\.|A true or false value\.|An integer\.|A floating point number\.)\n\n/gm

const plain = (parts: ReadonlyArray<unknown>, above: string, keepColour: boolean): string => {
  const said = parts.map(String).join(" ").trim()
  const named = said.replace(/\$ (?!bidhelm)(?=[a-z])/, () => `$ ${above} `).replace(filler, "")
  return keepColour ? named : named.replace(ansi, "")
}

/**
 * Gives the command-line library doors of its own: its help is coloured even into a pipe, and its usage line
 * leaves out what stands `above` its command, the program's name at least. What an option is for is said by its own description alone.
 */
export const withDoors = <A, E, R>(effect: Effect.Effect<A, E, R>, above: string): Effect.Effect<A, E, R> =>
  Console.consoleWith((console) =>
    Effect.withConsole(effect, {
      ...console,
      log: (...parts) => text(plain(parts, above, coloured())),
      error: (...parts) => note(plain(parts, above, false))
    })
  )
