/**
 * The door of a running `bidhelm run` for commands on the same machine: `ControlApi` over a socket that only its owner may
 * open. A command runs in this process, and what it prints is streamed to whoever gave it.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import * as Stream from "effect/Stream"
import * as Stopping from "../../engine/door/Stopping.js"
import * as Input from "../terminal/Input.js"
import type { Sink } from "../terminal/Output.js"
import type { ConfigChange } from "./ConfigChange.js"
import * as Forwarding from "./Forwarding.js"
import * as HttpListener from "./HttpListener.js"
import { ControlApi, NotTaken } from "./RunnerApi.js"

export interface Behaviour {
  readonly status: Effect.Effect<unknown>
  /** Runs a command and answers its exit code; what it prints goes to the sink. */
  readonly command: (argv: ReadonlyArray<string>, sink: Sink) => Effect.Effect<number>
  /** True once the program is about to end: what is sent then would be cut off, and nobody would see it arrive. */
  readonly isStopping: Effect.Effect<boolean>
  /** Absolute path of the configuration that this program runs. */
  readonly config: string
  /** What of its accounts and its store the configuration says differently by now. */
  readonly changed: () => ConfigChange | undefined
}

export interface Door {
  /** Asks commands that send to end before their next request; ends when none of them runs. */
  readonly drain: Effect.Effect<void>
}

/**
 * Serves at the address for the scope. At the scope's end whatever still runs is interrupted, and its client told so: what
 * a command has begun is written down while the store is still open.
 */
export const serve = (address: string, behaviour: Behaviour) =>
  Effect.gen(function* () {
    const stopping = yield* Deferred.make<void>()
    const over = yield* Deferred.make<void>()
    const parts: Parts = {
      behaviour,
      stopping,
      over: Deferred.await(over),
      sending: new Set(),
      heard: new Map()
    }
    const control = HttpApiBuilder.group(ControlApi, "control", (handlers) =>
      handlers
        .handle("status", () => behaviour.status)
        .handle("command", ({ payload }) => commanded(parts, payload))
        .handle("input", ({ payload }) => said(parts, payload))
    )
    yield* HttpListener.serve(Layer.provide(HttpApiBuilder.api(ControlApi), control), {
      place: { _tag: "Socket", path: address },
      closing: Deferred.succeed(over, undefined)
    })
    const drain = Effect.zipRight(
      Deferred.succeed(stopping, undefined),
      Effect.promise((signal) => HttpListener.gone(parts.sending, Number.POSITIVE_INFINITY, signal))
    )
    return { drain } satisfies Door
  })

interface Parts {
  readonly behaviour: Behaviour
  /** Done when the program was asked to end. */
  readonly stopping: Deferred.Deferred<void>
  /** Ends when nothing is waited for any more. */
  readonly over: Effect.Effect<void>
  /** Commands that send and still run. */
  readonly sending: Set<object>
  /** Whom lines are said to, of commands that listen. */
  readonly heard: Map<number, Input.Listener>
}

const said = ({ heard }: Parts, { line, to }: Forwarding.Said) =>
  Effect.suspend(() => {
    const listener = heard.get(to)
    if (listener === undefined) return new NotTaken({ message: "the command has ended" })
    if (line === null) listener.end()
    else listener.line(line)
    return Effect.void
  })

const commanded = (parts: Parts, asked: Forwarding.Request) =>
  Effect.gen(function* () {
    const why = refusal(parts.behaviour, asked, yield* parts.behaviour.isStopping)
    if (why !== undefined) return yield* new NotTaken({ message: why })
    const response = NodeHttpServerRequest.toServerResponse(yield* HttpServerRequest.HttpServerRequest)
    // A command may print nothing for long: whoever gave it is to know at once that it runs.
    const begun = Stream.execute(Effect.sync(() => response.flushHeaders()))
    return HttpServerResponse.stream(Stream.concat(begun, printed(parts, asked)), {
      contentType: "application/x-ndjson"
    })
  })

/** What is printed and not yet read stays in memory; an export may be larger than that, bytes. */
const mostUnread = 4 * 1024 * 1024

/** Runs the command for as long as somebody reads; its parts as lines of JSON. */
const printed = (parts: Parts, asked: Forwarding.Request) =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const lines = yield* Mailbox.make<Uint8Array>()
      const room = yield* Effect.makeLatch(true)
      let unread = 0
      const part = (one: Forwarding.Part) => {
        const line = Buffer.from(`${JSON.stringify(one)}\n`)
        unread += line.length
        if (unread >= mostUnread) room.unsafeClose()
        lines.unsafeOffer(line)
      }
      const sink: Sink = {
        out: (text, isText) => part({ out: text, ...(isText ? { isText } : {}) }),
        err: (text) => part({ err: text }),
        coloured: asked.coloured === true,
        ready: room.await
      }
      const heard = Forwarding.isListening(asked.argv) ? yield* listener(parts, part) : undefined
      const running = run(parts, asked, sink)
      yield* (heard === undefined ? running : Input.from(heard)(running)).pipe(
        Effect.catchAllDefect(broken),
        Effect.flatMap(({ code, why }) =>
          Effect.sync(() => {
            if (why !== undefined) part({ err: `bidhelm: ${why}\n` })
            part({ code })
          })
        ),
        Effect.ensuring(lines.end),
        Effect.forkScoped
      )
      return Stream.tap(Mailbox.toStream(lines), (line) =>
        Effect.suspend(() => {
          unread -= line.length
          return unread < mostUnread ? room.open : Effect.void
        })
      )
    })
  )

/** Hears for the scope what is said to the number that is answered. */
const listener = ({ heard }: Parts, part: (one: Forwarding.Part) => void) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const input = Input.filled()
      const number = ++last
      heard.set(number, input)
      part({ input: number })
      return { number, input }
    }),
    ({ number }) => Effect.sync(() => heard.delete(number))
  ).pipe(Effect.map(({ input }) => input))

let last = 0

interface Ended {
  readonly code: number
  /** Why it did not end by itself. */
  readonly why?: string
}

/** The command until it ends or the program does. */
const run = (parts: Parts, { argv }: Forwarding.Request, sink: Sink): Effect.Effect<Ended> => {
  const command = Effect.map(parts.behaviour.command(argv, sink), (code): Ended => ({ code }))
  return Effect.raceFirst(
    Forwarding.isSending(argv) ? drained(parts, command) : command,
    Effect.as(parts.over, { code: 1, why: cutOff(argv) })
  )
}

const broken = (defect: unknown): Effect.Effect<Ended> =>
  Effect.as(Effect.logError(`bidhelm has a defect: ${Forwarding.commandPath} has no answer`, defect), {
    code: 1,
    why: "bidhelm run has a defect, its log says which; end it, then give the command again"
  })

/** A command that sends: it hears when the program is to end, and is waited for then. */
const drained = <A>({ sending, stopping }: Parts, command: Effect.Effect<A>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const one = {}
      sending.add(one)
      return one
    }),
    () => Effect.provideService(command, Stopping.Stopping, Stopping.by(stopping, stoppingWhy)),
    (one) => Effect.sync(() => sending.delete(one))
  )

const stoppingWhy = "bidhelm run was asked to end; give the command again when that process has ended"

const cutOff = (argv: ReadonlyArray<string>): string =>
  Forwarding.isSending(argv)
    ? "bidhelm run has ended and interrupted this command; bidhelm history says how far it came, and what may have been sent is read back before anything else is"
    : "bidhelm run has ended and interrupted this command; give it again"

/** Paths in a command mean the folder it was typed in, so that has to be this program's. */
const refusal = (
  behaviour: Behaviour,
  asked: Forwarding.Request,
  isStopping: boolean
): string | undefined => {
  if (!Forwarding.isTaken(asked.argv)) return `"${asked.argv[0]}" is not run here`
  if (Forwarding.asks(asked.argv)) return "nobody is here to answer; give --yes"
  if (asked.cwd !== Forwarding.folderHere()) return `it runs in the folder ${process.cwd()}; go there first`
  if (asked.config !== behaviour.config) return `it runs with ${behaviour.config}`
  const changed = Forwarding.isSteering(asked.argv) ? behaviour.changed() : undefined
  if (changed !== undefined) return otherwise(behaviour.config, asked.argv, changed)
  return isStopping && Forwarding.isSending(asked.argv)
    ? `it is stopping and would cut it off; nothing was sent. Give it again in half a minute, when that process has ended`
    : undefined
}

/** The command would read the file as it is now, and change or stop what this program knows nothing of. */
const otherwise = (
  config: string,
  [name = ""]: ReadonlyArray<string>,
  { stopFile, what }: ConfigChange
): string =>
  `${config} has changed since bidhelm run began (${what}): ${
    name === "kill" || name === "hold"
      ? `nothing was stopped; end it with the signal TERM, or make the file ${stopFile}, which stops all its sending`
      : "nothing was done; end it with the signal TERM and start it again, or take the change back"
  }`
