/**
 * Health for whoever watches over the program, over HTTP on this machine: `/healthz` answers while it lives, `/readyz`
 * only while it takes up what is due. `/metrics` has the figures for Prometheus. What it tells holds no secret.
 */
import { createServer } from "node:http"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import type { Standing } from "../engine/run/RunnerStatus.js"
import type { Address } from "./Config.js"
import * as Exposition from "./Exposition.js"
import { stop } from "./Stop.js"

interface Answer {
  readonly status: number
  readonly body: string
  /** JSON unless said. */
  readonly type?: string
}

type Routes = Readonly<Record<string, Effect.Effect<Answer>>>

/** `current` and `figures` are asked with every question. */
export const routes = (current: Effect.Effect<Standing>, figures: Effect.Effect<string>): Routes => ({
  "/healthz": Effect.succeed({ status: 200, body: json({ alive: true }) }),
  "/readyz": Effect.map(current, (standing) => {
    const why = notReady(standing)
    const body = { ready: why === undefined, why, rulesProblem: standing.rulesProblem }
    return { status: why === undefined ? 200 : 503, body: json(body) }
  }),
  "/metrics": Effect.map(figures, (body) => ({ status: 200, body, type: Exposition.contentType }))
})

const notReady = ({ accounts, isDraining, lastLookAt }: Standing): string | undefined => {
  if (isDraining) return "it is stopping"
  if (lastLookAt === undefined) return "it has not looked at its accounts yet"
  const broken = accounts.filter(({ problem }) => problem !== undefined)
  if (accounts.length === 0 || broken.length < accounts.length) return undefined
  return `no account can be looked at: ${broken[0]?.problem}`
}

const json = (value: unknown): string => `${JSON.stringify(value)}\n`

/** Serves the routes for the scope. */
export const serve = ({ host, port }: Address, told: Routes) =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime<never>()
    const server = createServer((request, response) => {
      const found =
        request.method === "GET" ? told[new URL(request.url ?? "/", "http://x").pathname] : undefined
      const missing: Effect.Effect<Answer> = Effect.succeed({ status: 404, body: "" })
      const answered = Effect.map(found ?? missing, ({ body, status, type = "application/json" }) => {
        response.writeHead(status, { "content-type": type }).end(body)
      })
      Runtime.runFork(runtime)(answered)
    })
    yield* Effect.acquireRelease(
      Effect.async<void, ReturnType<typeof stop>>((resume) => {
        server.once("error", (error) =>
          resume(
            Effect.fail(
              stop(1, `${host}:${port} cannot be used (${error.message}); choose another as runner: http`)
            )
          )
        )
        server.listen(port, host, () => resume(Effect.void))
      }),
      () =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    )
  })
