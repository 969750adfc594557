// @effect-diagnostics missingEffectContext:off
// @effect-diagnostics missingEffectError:off
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, describe } from "vitest"
import { CampaignId } from "../../src/domain/Ids.js"
import { Limiter } from "../../src/services/Limiter.js"
import * as MarketplaceClient from "../../src/services/MarketplaceClient.js"
import { account, token, withPermit } from "./FakeMarketplace.js"
import { inputs } from "./Requests.js"

/** Built in the test's scope: the connection pool must live as long as the client. */
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

const clientOf = (url: string, timeoutMs: number) =>
  Effect.flatMap(world, (context) =>
    Effect.provide(
      MarketplaceClient.make({ account, token, hosts: { advert: url, calendar: url }, timeoutMs }),
      context
    )
  )

const server = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const made = createServer(listener)
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.async<void>((resume) => {
        made.closeAllConnections()
        made.close(() => resume(Effect.void))
      })
  )

/** A client on a real connection to a server that behaves as the listener does. */
const against = (listener: RequestListener, timeoutMs = 15_000) =>
  Effect.gen(function* () {
    const made = yield* server(listener)
    return yield* clientOf(`http://127.0.0.1:${(made.address() as AddressInfo).port}`, timeoutMs)
  })

const pause = (client: MarketplaceClient.Client) =>
  withPermit(client.api.campaignManagement.pauseCampaign({ urlParams: { id: CampaignId.make(777) } }))

describe("over a real connection", () => {
  it.scopedLive("an answer is read, and a DELETE carries its body", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const client = yield* against((request, response) => {
        request.setEncoding("utf8").on("data", (chunk: string) => seen.push(`${request.method} ${chunk}`))
        request.on("end", () =>
          response.setHeader("content-type", "text/plain").end('{"success":[],"failed":[]}')
        )
      })
      yield* withPermit(client.call("deleteClusterBids", inputs.deleteClusterBids!))
      assert.deepStrictEqual(seen, [`DELETE ${JSON.stringify(inputs.deleteClusterBids?.payload)}`])
    })
  )

  it.scopedLive("an answer is asked for as it is, for nothing here unpacks one", () =>
    Effect.gen(function* () {
      const seen: Array<string | undefined> = []
      const client = yield* against((request, response) => {
        seen.push(String(request.headers["accept-encoding"]))
        response.end()
      })
      yield* pause(client)
      assert.deepStrictEqual(seen, ["identity"])
    })
  )

  it.scopedLive("an empty 200 and a 204 are success", () =>
    Effect.gen(function* () {
      for (const status of [200, 204])
        yield* pause(yield* against((_, response) => response.writeHead(status).end()))
    })
  )

  it.scopedLive("half a body may have had its effect", () =>
    Effect.gen(function* () {
      const client = yield* against((_, response) => {
        response.writeHead(200, { "content-length": 1000 })
        response.write('{"half":')
        setTimeout(() => response.destroy(), 20)
      })
      const error = yield* Effect.flip(pause(client))
      assert.isTrue(error._tag === "Transport" && error.arrived === "maybe")
    })
  )

  it.scopedLive("a connection reset before the answer may have had its effect", () =>
    Effect.gen(function* () {
      const client = yield* against((request) => request.socket.destroy())
      const error = yield* Effect.flip(pause(client))
      assert.isTrue(error._tag === "Transport" && error.arrived === "maybe")
    })
  )

  it.scopedLive("silence ends at the timeout", () =>
    Effect.gen(function* () {
      const client = yield* against(() => {}, 50)
      const error = yield* Effect.flip(pause(client))
      assert.isTrue(error._tag === "Transport" && error.arrived === "maybe")
      assert.include(error.message, "0.05 s")
    })
  )

  it.scopedLive("a closed port is known not to have arrived", () =>
    Effect.gen(function* () {
      const client = yield* clientOf("http://127.0.0.1:1", 1000)
      const error = yield* Effect.flip(pause(client))
      assert.isTrue(error._tag === "Transport" && error.arrived === "no")
    })
  )

  it.scopedLive("a redirect is not followed, so the token goes nowhere else", () =>
    Effect.gen(function* () {
      let asked = 0
      const client = yield* against((_, response) => {
        asked++
        response.writeHead(302, { location: "/elsewhere" }).end()
      })
      const error = yield* Effect.flip(pause(client))
      assert.strictEqual(error._tag, "Refused")
      assert.strictEqual(asked, 1)
    })
  )
})
