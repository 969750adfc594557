// @effect-diagnostics missingEffectContext:off
// @effect-diagnostics missingEffectError:off
/** A real client against a server that breaks the connection or the answer at every place: what is known afterwards. */
import { createServer as createHttp, type RequestListener } from "node:http"
import { createServer as createHttps } from "node:https"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { gzipSync } from "node:zlib"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { assert, describe } from "vitest"
import { Limiter } from "../../src/services/Limiter.js"
import * as MarketplaceClient from "../../src/services/MarketplaceClient.js"
import { type CallError, effectOf } from "../../src/services/MarketplaceError.js"
import { account, token, withPermit } from "./FakeMarketplace.js"
import { inputs } from "./Requests.js"
import { certificate, key } from "./SelfSigned.js"

const world = Layer.build(
  Layer.merge(
    NodeHttpClient.layerUndici,
    Layer.succeed(Limiter, {
      call: (_, send) => send,
      states: Effect.succeed([]),
      quotas: Effect.succeed([])
    })
  )
)

/** Long enough for every answer that comes, short enough for those that never do. */
const timeoutMs = 2000

const clientOf = (url: string) =>
  Effect.flatMap(world, (context) =>
    Effect.provide(
      MarketplaceClient.make({ account, token, hosts: { advert: url, calendar: url }, timeoutMs }),
      context
    )
  )

/** Listens on a free port of this machine for the scope; open connections die with it. */
const listening = (server: Server) =>
  Effect.acquireRelease(
    Effect.async<{ readonly port: number; readonly sockets: Set<Socket> }>((resume) => {
      const sockets = new Set<Socket>()
      server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => {})))
      server.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({ port: (server.address() as AddressInfo).port, sockets }))
      )
    }),
    ({ sockets }) =>
      Effect.async<void>((resume) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resume(Effect.void))
      })
  )

/** What a connection does once the whole request is here; `asked` counts those. */
type Script = (socket: Socket) => void

interface Wire {
  readonly url: string
  readonly asked: () => number
}

/** Reads the whole request before the script starts. */
const afterRequest = (script: Script): Effect.Effect<Wire, never, import("effect/Scope").Scope> =>
  Effect.gen(function* () {
    let asked = 0
    const server = createServer((socket) => {
      let text = ""
      socket.on("data", (bytes) => {
        text += bytes.toString("latin1")
        const end = text.indexOf("\r\n\r\n")
        if (end < 0) return
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
        if (text.length < end + 4 + length) return
        text = ""
        asked++
        script(socket)
      })
    })
    const { port } = yield* listening(server)
    return { url: `http://127.0.0.1:${port}`, asked: () => asked }
  })

/** Acts as soon as somebody connects, or as soon as the first byte of the request is here. */
const early = (when: "connection" | "first byte") =>
  Effect.gen(function* () {
    let asked = 0
    const server = createServer((socket) => {
      const reset = () => {
        asked++
        socket.resetAndDestroy()
      }
      if (when === "connection") reset()
      else socket.once("data", reset)
    })
    const { port } = yield* listening(server)
    return { url: `http://127.0.0.1:${port}`, asked: () => asked }
  })

const withHttp = (listener: RequestListener) =>
  Effect.map(listening(createHttp(listener)), ({ port }) => `http://127.0.0.1:${port}`)

const head = (length: number, more = "") =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${more}content-length: ${length}\r\n\r\n`

/** Whole but for its end; every script ends in an answer that nobody can take for one. */
const broken: Readonly<Record<string, Script>> = {
  "reset after the request, before the answer": (socket) => void socket.resetAndDestroy(),
  "closed politely before the answer": (socket) => void socket.end(),
  "half of the headers, then closed": (socket) => void socket.end("HTTP/1.1 200 OK\r\ncontent-ty"),
  "headers that never end": (socket) => void socket.write("HTTP/1.1 200 OK\r\ncontent-type: app"),
  "headers, then nothing": (socket) => void socket.write(head(20)),
  "half a body, then closed": (socket) => void socket.end(`${head(1000)}{"total": 1`),
  "half a body, then reset": (socket) => {
    socket.write(`${head(1000)}{"total": 1`)
    setTimeout(() => socket.resetAndDestroy(), 20)
  },
  "one byte now and then": (socket) => {
    socket.write(head(100_000))
    const drip = setInterval(() => socket.write(" "), 20)
    socket.on("close", () => clearInterval(drip))
  },
  "chunks that never end": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
    const drip = setInterval(() => socket.write("1\r\n \r\n"), 20)
    socket.on("close", () => clearInterval(drip))
  },
  "no HTTP at all": (socket) => void socket.end("SSH-2.0-OpenSSH_9.6\r\n"),
  "a page": (socket) => {
    const page = "<!doctype html><title>Sign in</title>"
    socket.end(head(page.length).replace("application/json", "text/html") + page)
  },
  "a picture": (socket) => {
    socket.end(`${head(4).replace("application/json", "image/png")}\x89PNG`)
  },
  "gzip that is none": (socket) => void socket.end(`${head(4, "content-encoding: gzip\r\n")}{}{}`),
  "gzip cut in half": (socket) => {
    const packed = gzipSync(JSON.stringify({ total: "x".repeat(5000) })).subarray(0, 20)
    socket.write(head(packed.length, "content-encoding: gzip\r\n"))
    socket.end(packed)
  }
}

/** Money, a value that a rule sets, and a question: sent once, once, and as often as is good for nothing. */
const operations = [
  ["depositCampaignBudget", 1],
  ["setItemBids", 1],
  ["getBalance", 3]
] as const

const failed = (
  url: string,
  operation: string
): Effect.Effect<CallError, unknown, import("effect/Scope").Scope> =>
  Effect.flatMap(clientOf(url), (client) =>
    Effect.flip(withPermit(client.call(operation, inputs[operation] ?? {})))
  )

/** What only the deadline ends; how often a read is tried after that is in `outcomes.test.ts`. */
const endless = /never end|then nothing|now and then/

describe.concurrent("an answer that breaks", () => {
  it.scopedLive.each(Object.entries(broken))(
    "%s: a write is sent once and its outcome unknown, a read at most three times",
    ([about, script]) =>
      Effect.gen(function* () {
        for (const [operation, most] of operations) {
          if (endless.test(about) && most > 1) continue
          const { asked, url } = yield* afterRequest(script)
          const error = yield* failed(url, operation)
          assert.include(["Transport", "Undecodable"], error._tag, operation)
          assert.strictEqual(effectOf(error), "unknown", operation)
          assert.isAtLeast(asked(), 1)
          assert.isAtMost(asked(), most, operation)
          assert.notInclude(error.message, "secret-token")
        }
      })
  )

  it.scopedLive.each(["connection", "first byte"] as const)(
    "reset at the %s: nothing proves that it did not arrive, so a write is not sent again",
    (when) =>
      Effect.gen(function* () {
        for (const [operation, most] of operations) {
          const { asked, url } = yield* early(when)
          const error = yield* failed(url, operation)
          assert.strictEqual(effectOf(error), "unknown", operation)
          assert.isAtMost(asked(), most, operation)
        }
      })
  )
})

describe.concurrent("a connection that never is", () => {
  it.scopedLive("to a server whose certificate nobody vouches for: nothing arrived, nothing was said", () =>
    Effect.gen(function* () {
      let asked = 0
      const server = createHttps({ cert: certificate, key }, () => asked++)
      server.on("tlsClientError", () => {})
      const { port } = yield* listening(server)
      for (const [operation] of operations) {
        const error = yield* failed(`https://127.0.0.1:${port}`, operation)
        assert.strictEqual(effectOf(error), "none", `${operation}: ${error.message}`)
      }
      assert.strictEqual(asked, 0)
    })
  )

  it.scopedLive("to a server that speaks no TLS: it never hears the token", () =>
    Effect.gen(function* () {
      let heard = ""
      const server = createServer((socket) => {
        socket.on("data", (bytes) => {
          heard += bytes.toString("latin1")
          socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")
        })
      })
      const { port } = yield* listening(server)
      const error = yield* failed(`https://127.0.0.1:${port}`, "depositCampaignBudget")
      assert.strictEqual(error._tag, "Transport")
      assert.notInclude(heard, "secret-token")
    })
  )
})

describe("an answer that is too much, or elsewhere", () => {
  it.scopedLive("gzip that grows without end is not read on", () =>
    Effect.gen(function* () {
      const bomb = gzipSync(Buffer.alloc(66 * 1024 * 1024))
      const url = yield* withHttp((_, response) => {
        response.writeHead(200, { "content-encoding": "gzip", "content-type": "application/json" }).end(bomb)
      })
      const client = yield* Effect.flatMap(world, (context) =>
        Effect.provide(
          MarketplaceClient.make({ account, token, hosts: { advert: url }, timeoutMs: 30_000 }),
          context
        )
      )
      const error = yield* Effect.flip(
        withPermit(client.call("depositCampaignBudget", inputs.depositCampaignBudget ?? {}))
      )
      assert.strictEqual(effectOf(error), "unknown")
      assert.notInclude(error.message, "s)")
    })
  )

  it.scopedLive("a redirect to another host is refused: that host hears nothing", () =>
    Effect.gen(function* () {
      for (const status of [301, 302, 303, 307, 308]) {
        let elsewhere = 0
        const other = yield* withHttp((_, response) => {
          elsewhere++
          response.end("{}")
        })
        const url = yield* withHttp((_, response) => {
          response.writeHead(status, { location: `${other}/adv/v1/budget` }).end()
        })
        for (const [operation] of operations) {
          const error = yield* failed(url, operation)
          assert.strictEqual(error._tag, "Refused", `${operation} ${status}`)
          assert.include(error.message, `the answer was a redirect to ${new URL(other).host} (${status}).`)
          assert.include(error.message, "It was not followed, and the token was not sent there")
        }
        assert.strictEqual(elsewhere, 0)
      }
    })
  )

  it.scopedLive("a redirect tells its host alone: path, user and body may hold a session or the token", () =>
    Effect.gen(function* () {
      const secret = Redacted.value(token.value)
      const led = [
        [`https://user:canary@other.example/canary?session=canary#canary`, "other.example"],
        ["//other.example:8443/canary", "other.example:8443"],
        ["/canary?token=canary", "the same host"],
        [`https://${secret}.other.example/`, "other.example"],
        ["https://", "a place that it does not name"],
        [undefined, "a place that it does not name"]
      ] as const
      for (const [location, told] of led) {
        const url = yield* withHttp((_, response) => {
          response
            .writeHead(302, location === undefined ? {} : { location })
            .end(`Found. Redirecting to ${location} canary`)
        })
        const { message } = yield* failed(url, "getBalance")
        assert.include(message, told)
        assert.notInclude(message, "canary")
        assert.notInclude(message, secret)
      }
    })
  )

  it.scopedLive("right JSON under a wrong content type is read: the type says nothing about the body", () =>
    Effect.gen(function* () {
      const body = JSON.stringify({ balance: 100, net: 100, bonus: 0, cashbacks: [] })
      const url = yield* withHttp((_, response) => {
        response.writeHead(200, { "content-type": "text/html" }).end(body)
      })
      const client = yield* clientOf(url)
      yield* client.call("getBalance", inputs.getBalance ?? {}).pipe(withPermit)
    })
  )
})
