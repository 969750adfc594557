/** Commands at the door of a running `bidhelm run`. */
import { realpathSync } from "node:fs"
import { type IncomingMessage, request } from "node:http"
import { createInterface } from "node:readline"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Part, Request } from "./Forwarding.js"

/** Nobody answers at the address: no program runs, or it hangs. */
export class NotRunning extends Data.TaggedError("NotRunning")<{ readonly hangs: boolean }> {}

/** The running program does not take the command. */
export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

/** A program that has not begun to answer after this long hangs, milliseconds. */
const patienceMs = 5000

const ask = (address: string, method: string, path: string, body?: Request) =>
  Effect.async<IncomingMessage, NotRunning>((resume) => {
    const asked = request({ socketPath: address, method, path }, (response) => {
      asked.setTimeout(0)
      resume(Effect.succeed(response))
    })
    asked.setTimeout(patienceMs, () => {
      resume(Effect.fail(new NotRunning({ hangs: true })))
      asked.destroy()
    })
    asked.on("error", () => resume(Effect.fail(new NotRunning({ hangs: false }))))
    asked.end(body === undefined ? undefined : JSON.stringify(body))
    return Effect.sync(() => asked.destroy())
  })

const textOf = (response: IncomingMessage) =>
  Effect.promise(async () => {
    let text = ""
    for await (const part of response) text += String(part)
    return text
  })

/** The program's own account of itself. */
export const status = (address: string) =>
  Effect.gen(function* () {
    const response = yield* ask(address, "GET", "/status")
    if (response.statusCode !== 200) return yield* new NotRunning({ hangs: true })
    return JSON.parse(yield* textOf(response)) as unknown
  })

/** Runs a command there; answers its exit code. `told` gets what it prints, as it prints it. */
export const command = (
  address: string,
  asked: { readonly argv: ReadonlyArray<string>; readonly config: string },
  told: (part: { readonly out: string } | { readonly err: string }) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const cwd = realpathSync(process.cwd())
    const response = yield* ask(address, "POST", "/command", { ...asked, cwd })
    if (response.statusCode !== 200) return yield* new Refused({ message: yield* textOf(response) })
    const lines = createInterface({ input: response })[Symbol.asyncIterator]()
    for (;;) {
      const next = yield* Effect.tryPromise({
        try: () => lines.next(),
        catch: () => new Refused({ message: "it ended before the command did; look at bidhelm history" })
      })
      if (next.done === true)
        return yield* new Refused({ message: "it ended before the command did; look at bidhelm history" })
      const part = JSON.parse(next.value) as Part
      if ("code" in part) return part.code
      yield* told(part)
    }
  })
