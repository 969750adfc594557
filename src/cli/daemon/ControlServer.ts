/**
 * The door of a running `bidhelm run` for commands on the same machine: HTTP over a socket that only its owner may
 * open. `GET /status` answers JSON; `POST /command` runs a command in this process and streams what it prints.
 */
import { chmodSync, mkdirSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { dirname } from "node:path"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Runtime from "effect/Runtime"
import * as Json from "../../domain/Json.js"
import * as Stopping from "../../engine/door/Stopping.js"
import type { Sink } from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import * as Forwarding from "./Forwarding.js"

export interface Behaviour {
  readonly status: Effect.Effect<unknown>
  /** Runs a command and answers its exit code; what it prints goes to the sink. */
  readonly command: (argv: ReadonlyArray<string>, sink: Sink) => Effect.Effect<number>
  /** True once the program is about to end: what is sent then would be cut off, and nobody would see it arrive. */
  readonly isStopping: Effect.Effect<boolean>
  /** Absolute path of the configuration that this program runs. */
  readonly config: string
}

export interface Door {
  /** Asks commands that send to end before their next request; ends when none of them runs. */
  readonly drain: Effect.Effect<void>
}

/**
 * Serves at the address for the scope. Whoever has the run lock is alone, so an old socket there is a dead one's. At the
 * scope's end whatever still runs is interrupted, and its client told so.
 */
export const serve = (address: string, behaviour: Behaviour) =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime<never>()
    const running = new Set<Fiber.RuntimeFiber<unknown, unknown>>()
    const stopping = yield* Deferred.make<void>()
    const over = yield* Deferred.make<void>()
    const parts: Parts = { behaviour, stopping, over: Deferred.await(over), sending: new Set() }
    const server = createServer((request, response) => {
      const fiber = Runtime.runFork(runtime)(
        Effect.catchAllDefect(answer(parts, request, response), broken(request, response))
      )
      running.add(fiber)
      fiber.addObserver(() => running.delete(fiber))
      response.once("close", () => Runtime.runFork(runtime)(Fiber.interruptFork(fiber)))
    })
    yield* Effect.acquireRelease(listen(server, address), () =>
      Effect.promise(async () => {
        server.close()
        Deferred.unsafeDone(over, Effect.void)
        // What a command has begun is written down while the store is still open, and its client hears the end.
        await gone(running, closingMs)
        server.closeAllConnections()
      })
    )
    const drain = Effect.zipRight(
      Deferred.succeed(stopping, undefined),
      Effect.promise((signal) => gone(parts.sending, Number.POSITIVE_INFINITY, signal))
    )
    return { drain } satisfies Door
  })

interface Parts {
  readonly behaviour: Behaviour
  /** Done when the program was asked to end. */
  readonly stopping: Deferred.Deferred<void>
  /** Ends when nothing is waited for any more. */
  readonly over: Effect.Effect<void>
  /** Answers of commands that send and still run. */
  readonly sending: Set<ServerResponse>
}

/** Waits until a set is empty, by the machine's time, whatever the accounts live by. */
const gone = async (set: ReadonlySet<unknown>, mostMs: number, signal?: AbortSignal): Promise<void> => {
  for (let waited = 0; set.size > 0 && waited < mostMs && signal?.aborted !== true; waited += 20) {
    await new Promise((wake) => setTimeout(wake, 20))
  }
}

/** Longest that interrupted commands are waited for, milliseconds of the machine. */
const closingMs = 3000

const isPipe = process.platform === "win32"

const listen = (server: Server, address: string) =>
  Effect.async<void, ReturnType<typeof stop>>((resume) => {
    // An error later on, such as too many open files, is of one connection and must not end the program.
    server.on("error", (error) =>
      resume(Effect.fail(stop(1, `the socket ${address} cannot be opened: ${error.message}`)))
    )
    if (isPipe) return void server.listen(address, () => resume(Effect.void))
    mkdirSync(dirname(address), { recursive: true, mode: 0o700 })
    rmSync(address, { force: true })
    // The socket is made within `listen`, and must not be open to others for a moment.
    const before = process.umask(0o177)
    server.listen(address, () => {
      chmodSync(address, 0o600)
      resume(Effect.void)
    })
    process.umask(before)
  })

const answer = (parts: Parts, request: IncomingMessage, response: ServerResponse) =>
  Effect.gen(function* () {
    const { behaviour } = parts
    const route = `${request.method} ${request.url}`
    if (route === "GET /status") {
      const status = yield* behaviour.status
      return yield* ended(response, 200, `${JSON.stringify(status)}\n`)
    }
    if (route !== "POST /command") return yield* ended(response, 404, "")
    const asked = yield* read(request)
    const why = refusal(behaviour, asked, yield* behaviour.isStopping)
    if (why !== undefined || asked === undefined) return yield* ended(response, 409, why ?? "no command")
    response.writeHead(200, { "content-type": "application/x-ndjson" })
    response.flushHeaders()
    const part = (one: Forwarding.Part) => void response.write(`${JSON.stringify(one)}\n`)
    const command = behaviour.command(asked.argv, {
      out: (text, isText) => part({ out: text, ...(isText ? { isText } : {}) }),
      err: (text) => part({ err: text }),
      ready: ready(response)
    })
    const code = yield* Effect.raceFirst(
      Forwarding.isSending(asked.argv) ? drained(parts, response, command) : command,
      Effect.as(parts.over, undefined)
    )
    if (code === undefined) part({ err: `bidhelm: ${cutOff(asked.argv)}\n` })
    part({ code: code ?? 1 })
    // Its last words are to be on their way before the connections are closed.
    return yield* Effect.async<void>((resume) => void response.end(() => resume(Effect.void)))
  })

/** Whoever asked would wait for ever. */
const broken = (request: IncomingMessage, response: ServerResponse) => (defect: unknown) =>
  Effect.gen(function* () {
    if (response.destroyed) return
    yield* Effect.logError(`bidhelm has a defect: ${request.url} has no answer`, defect)
    if (!response.headersSent) return yield* ended(response, 500, brokenWhy)
    const parts: ReadonlyArray<Forwarding.Part> = [{ err: `bidhelm: ${brokenWhy}\n` }, { code: 1 }]
    for (const part of parts) response.write(`${JSON.stringify(part)}\n`)
    response.end()
  })

const brokenWhy = "bidhelm run has a defect, its log says which; end it, then give the command again"

/** A command that sends: it hears when the program is to end, and is waited for then. */
const drained = <A>({ sending, stopping }: Parts, response: ServerResponse, command: Effect.Effect<A>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => sending.add(response)),
    () => Effect.provideService(command, Stopping.Stopping, Stopping.by(stopping, stoppingWhy)),
    () => Effect.sync(() => sending.delete(response))
  )

const stoppingWhy = "bidhelm run was asked to end; give the command again when that process has ended"

const cutOff = (argv: ReadonlyArray<string>): string =>
  Forwarding.isSending(argv)
    ? "bidhelm run has ended and interrupted this command; bidhelm history says how far it came, and what may have been sent is read back before anything else is"
    : "bidhelm run has ended and interrupted this command; give it again"

/** What is printed and not yet read stays in memory; an export may be larger than that, bytes. */
const mostUnread = 4 * 1024 * 1024

const ready = (response: ServerResponse) =>
  Effect.async<void>((resume) => {
    if (response.writableLength < mostUnread || response.destroyed) return resume(Effect.void)
    const read = () => resume(Effect.void)
    response.once("drain", read).once("close", read)
    return Effect.sync(() => void response.off("drain", read).off("close", read))
  })

const ended = (response: ServerResponse, status: number, text: string) =>
  Effect.sync(() => void response.writeHead(status).end(text))

/** Paths in a command mean the folder it was typed in, so that has to be this program's. */
const refusal = (
  behaviour: Behaviour,
  asked: Forwarding.Request | undefined,
  isStopping: boolean
): string | undefined => {
  if (asked === undefined) return "the request cannot be read"
  if (!Forwarding.isTaken(asked.argv)) return `"${asked.argv[0]}" is not run here`
  if (Forwarding.asks(asked.argv)) return "nobody is here to answer; give --yes"
  if (asked.cwd !== Forwarding.folderHere()) return `it runs in the folder ${process.cwd()}; go there first`
  if (asked.config !== behaviour.config) return `it runs with ${behaviour.config}`
  return isStopping && Forwarding.isSending(asked.argv)
    ? `it is stopping and would cut it off; nothing was sent. Give it again in half a minute, when that process has ended`
    : undefined
}

/** More than any command line. */
const mostBytes = 1_000_000

const read = (request: IncomingMessage) =>
  Effect.promise(async (): Promise<Forwarding.Request | undefined> => {
    // A letter may lie across two chunks.
    request.setEncoding("utf8")
    let text = ""
    for await (const part of request) {
      text += String(part)
      if (text.length > mostBytes) return undefined
    }
    const json = Option.getOrUndefined(Option.getRight(Json.read(text)))
    if (!Predicate.isRecord(json)) return undefined
    const { argv, config, cwd } = json
    const isRequest =
      Array.isArray(argv) && argv.every((word) => typeof word === "string") && typeof cwd === "string"
    return isRequest && typeof config === "string" ? { argv, cwd, config } : undefined
  })
