/** Commands at the door of a running `bidhelm run`. */
import { readFileSync, statSync } from "node:fs"
import { type IncomingMessage, request } from "node:http"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Json from "../../domain/Json.js"
import * as Lines from "../../domain/Lines.js"
import * as Folder from "../../store/clients/Folder.js"
import * as Input from "../terminal/Input.js"
import * as Forwarding from "./Forwarding.js"

/** Nobody answers at the address: no program runs, or it hangs, or this user may not ask it. */
class NotRunning extends Data.TaggedError("NotRunning")<{
  readonly hangs: boolean
  /** Why this user may not ask, and who may. */
  readonly foreign?: string
}> {}

/** The running program does not take the command. */
class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

/** A program that has not begun to answer after this long hangs, milliseconds. */
const patienceMs = 5000

type Printed = Exclude<Forwarding.Part, { readonly code: number } | { readonly input: number }>

const ask = (address: string, method: string, path: string, body?: Forwarding.Request | Forwarding.Said) =>
  Effect.async<IncomingMessage, NotRunning>((resume) => {
    const asked = request({ socketPath: address, method, path }, (response) => {
      asked.setTimeout(0)
      resume(Effect.succeed(response))
    })
    asked.setTimeout(patienceMs, () => {
      resume(Effect.fail(new NotRunning({ hangs: true })))
      asked.destroy()
    })
    asked.on("error", (error) => resume(Effect.fail(unreachable(address, error))))
    asked.end(body === undefined ? undefined : JSON.stringify(body))
    return Effect.sync(() => asked.destroy())
  })

/** Only these say that nobody is there; a program that hangs has a full queue (EAGAIN), or cuts the connection off. */
const nobody = ["ENOENT", "ECONNREFUSED"]

const unreachable = (address: string, { code = "" }: NodeJS.ErrnoException): NotRunning =>
  code === "EACCES" || code === "EPERM"
    ? new NotRunning({ hangs: false, foreign: whyForeign(address, code) })
    : new NotRunning({ hangs: !nobody.includes(code) })

const textOf = (response: IncomingMessage) =>
  Effect.promise(async () => {
    let text = ""
    for await (const part of response.setEncoding("utf8")) text += String(part)
    return text
  })

/** The reason in an answer that is no success. */
const whyOf = (text: string): string => {
  const told = Option.getOrUndefined(Option.getRight(Json.read(text)))
  return Predicate.hasProperty(told, "message") ? String(told.message) : text
}

/** The program's own account of itself. */
export const status = (address: string) =>
  Effect.gen(function* () {
    const response = yield* ask(address, "GET", Forwarding.statusPath)
    if (response.statusCode !== 200) return yield* new NotRunning({ hangs: true })
    return yield* Effect.mapError(Json.read(yield* textOf(response)), () => new NotRunning({ hangs: true }))
  })

/**
 * Runs a command there; answers its exit code. `told` gets what it prints, as it prints it. What this process reads is
 * said to a command that listens.
 */
export const command = (
  address: string,
  asked: Omit<Forwarding.Request, "cwd">,
  told: (part: Printed) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const response = yield* ask(address, "POST", Forwarding.commandPath, {
      ...asked,
      cwd: Forwarding.folderHere()
    })
    if (response.statusCode !== 200) return yield* new Refused({ message: whyOf(yield* textOf(response)) })
    return yield* Effect.ensuring(
      Effect.scoped(exitCode(address, response, told)),
      Effect.sync(() => response.destroy())
    )
  })

/** Says the lines of this process one after the other; what the command no longer hears is lost with it. */
const saying = (address: string, to: number) =>
  Effect.gen(function* () {
    const lines = yield* Mailbox.make<string | null>()
    yield* Input.listen({
      line: (line) => void lines.unsafeOffer(line),
      end: () => void lines.unsafeOffer(null)
    })
    yield* lines.take.pipe(
      Effect.flatMap((line) => ask(address, "POST", Forwarding.inputPath, { to, line })),
      Effect.flatMap(textOf),
      Effect.forever,
      Effect.ignore,
      Effect.forkScoped
    )
  })

const exitCode = (address: string, response: IncomingMessage, told: (part: Printed) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const ended = () => new Refused({ message: "it ended before the command did; look at bidhelm history" })
    const lines = Lines.of(response)
    for (;;) {
      const next = yield* Effect.tryPromise({ try: () => lines.next(), catch: ended })
      if (next.done === true) return yield* ended()
      const part = (yield* Effect.mapError(Json.read(next.value), ended)) as Forwarding.Part
      if ("code" in part) return part.code
      if ("input" in part) yield* saying(address, part.input)
      else yield* told(part)
    }
  })

// The door of a running `bidhelm run` that this user may not open: whose it is, and what to do about it.

/** What to say at the door of this address; `code` is the system's. */
export const whyForeign = (address: string, code: string): string => {
  const folder = Folder.shutOn(address)
  if (folder !== undefined)
    return `this user may not look into the folder ${folder}, so nobody can tell whether bidhelm run works here; give the command as its owner, or check owner and permissions`
  const owner = ownerOf(address)
  return owner === undefined || owner === process.geteuid?.()
    ? `this user may not open ${address}, the socket of bidhelm run (${code}); mend the permissions of the socket and of its folders`
    : `${address}, the socket of bidhelm run, belongs to another user, ${named(owner)}; give the command as that user: sudo -u ${nameOf(owner) ?? `'#${owner}'`} bidhelm …`
}

const ownerOf = (address: string): number | undefined => {
  try {
    return statSync(address).uid
  } catch {
    return undefined
  }
}

const named = (number: number): string => nameOf(number) ?? `number ${number}`

/** Node knows the name of this process's user only. */
const nameOf = (number: number): string | undefined => {
  try {
    const lines = readFileSync("/etc/passwd", "utf8").split("\n")
    return lines.map((line) => line.split(":")).find((fields) => fields[2] === `${number}`)?.[0]
  } catch {
    return undefined
  }
}
