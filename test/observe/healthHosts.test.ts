/** Health and figures asked for by names and from pages that somebody's browser was led to. */
import { readFileSync } from "node:fs"
import { request } from "node:http"
import { connect } from "node:net"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import * as Health from "../../src/cli/daemon/Health.js"
import { freePort } from "../faults/Waiting.js"

const key = "a-key-of-24-letters-long"
const paths = ["/metrics", "/readyz", "/healthz"]
const standing = { accounts: [], rulesVersion: "v1", rulesProblem: undefined, isDraining: false }

type Headers = Readonly<Record<string, string | ReadonlyArray<string>>>

/** Statuses of requests with the key, and how often anything was looked up; `PORT` in a header is the server's. */
const asking = (asked: ReadonlyArray<readonly [string, Headers]>, names?: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.gen(function* () {
      let looked = 0
      const port = yield* Effect.promise(freePort)
      const current = Effect.sync(() => {
        looked++
        return { ...standing, lastLookAt: Date.now() }
      })
      const figures = Effect.sync(() => `bidhelm_figure ${++looked}\n`)
      const told = { standing: current, figures }
      yield* Health.serve({ host: "127.0.0.1", port }, told, { key: Redacted.make(key), names })
      const statuses = yield* Effect.forEach(asked, ([path, headers]) =>
        Effect.promise(() => statusOf(port, path, headers))
      )
      return { statuses, looked }
    })
  ).pipe(Effect.runPromise)

const statusOf = (port: number, path: string, headers: Headers) =>
  new Promise<number>((resolve, reject) => {
    const own = Object.entries(headers).map(
      ([name, value]) =>
        [name, typeof value === "string" ? value.replace("PORT", `${port}`) : [...value]] as const
    )
    request(
      {
        host: "127.0.0.1",
        port,
        path,
        headers: { authorization: `Bearer ${key}`, ...Object.fromEntries(own) }
      },
      (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      }
    )
      .on("error", reject)
      .end()
  })

const forgedHosts = [
  "evil.example",
  "evil.example:PORT",
  "localhost.evil.example:PORT",
  "127.0.0.1.evil.example:PORT",
  "evil.example.",
  "localhost.",
  "127.0.0.1@evil.example",
  "evil.example@127.0.0.1",
  "evil.example#127.0.0.1",
  "evil.example/127.0.0.1",
  "127.0.0.1, evil.example",
  "127.0.0.1 evil.example",
  "http://127.0.0.1",
  "127.1:PORT",
  "2130706433",
  "0x7f.0.0.1",
  "0177.0.0.1",
  "127.0.0.1:PORT:80",
  "127.0.0.1:",
  "127.0.0.1:x",
  "[::1",
  "::1",
  "[::1]evil.example",
  "[::ffff:10.0.0.5]",
  "10.0.0.5:PORT",
  "0.0.0.0:PORT",
  "[::]:PORT",
  "*",
  "runner-b:PORT",
  "a.runner-a:PORT",
  "runner-a.evil.example"
]
const forgedOrigins = [
  "null",
  "",
  "https://evil.example",
  "http://127.0.0.1",
  "http://127.0.0.1:1",
  "http://localhost:PORT",
  "http://127.0.0.1:PORT.evil.example",
  "http://127.0.0.1:PORT/",
  "http://evil.example@127.0.0.1:PORT",
  "http://evil.example, http://127.0.0.1:PORT",
  "file://",
  "ftp://127.0.0.1:PORT",
  "127.0.0.1:PORT",
  "http:127.0.0.1:PORT",
  "chrome-extension://aaaa",
  "http://[::1]:PORT",
  "http://runner-a:PORT",
  "http://127.0.0.1:PORT http://evil.example",
  "HTTP://EVIL.EXAMPLE",
  "https://127.0.0.1"
]

describe("50 forged requests that show the right key", () => {
  it("are refused under every path, and nothing is looked up for them", async () => {
    const forged = [
      ...forgedHosts.map((host) => [421, { host }] as const),
      ...forgedOrigins.map((origin) => [403, { host: "127.0.0.1:PORT", origin }] as const)
    ]
    expect(forged.length).toBeGreaterThanOrEqual(50)
    const asked = forged.flatMap(([status, headers]) => paths.map((path) => [status, path, headers] as const))
    const { looked, statuses } = await asking(
      asked.map(([, path, headers]) => [path, headers]),
      ["runner-a"]
    )
    expect(statuses).toEqual(asked.map(([status]) => status))
    expect(looked).toBe(0)
  })

  it("are refused with two hosts, and with none", async () => {
    const said = await Effect.gen(function* () {
      const port = yield* Effect.promise(freePort)
      const told = { standing: Effect.die("not asked"), figures: Effect.die("not asked") }
      yield* Health.serve({ host: "127.0.0.1", port }, told)
      const raw = (head: string) =>
        Effect.promise(
          () =>
            new Promise<string>((resolve) => {
              const socket = connect(port, "127.0.0.1", () => socket.end(`${head}\r\n\r\n`))
              let text = ""
              socket.on("data", (bytes) => {
                text += bytes
              })
              socket.on("close", () => resolve(text))
            })
        )
      return [
        yield* raw("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example"),
        yield* raw("GET /metrics HTTP/1.1\r\nHost: evil.example\r\nHost: 127.0.0.1"),
        yield* raw("GET /metrics HTTP/1.0")
      ]
    }).pipe(Effect.scoped, Effect.runPromise)
    expect(said.map((text) => text.slice(0, 12))).toEqual(said.map(() => expect.stringMatching(/ 4(00|21)$/)))
  })
})

describe("requests that are meant", () => {
  it("come by names of this machine, by the names of the configuration, and from the very same origin", async () => {
    const hosts = [
      "127.0.0.1:PORT",
      "localhost",
      "LOCALHOST:PORT",
      "[::1]:PORT",
      "127.0.0.2",
      "Runner-A:PORT"
    ]
    const { statuses } = await asking(
      [
        ...hosts.map((host) => ["/metrics", { host }] as const),
        ["/readyz", { host: "127.0.0.1:PORT", origin: "http://127.0.0.1:PORT" }],
        ["/healthz", { host: "runner-a", origin: "https://runner-a" }]
      ],
      ["runner-a"]
    )
    expect(statuses).toEqual([...hosts, 0, 0].map(() => 200))
  })

  it("come by any IP address where other machines reach it, as probes do, and never by a name that was not said", () => {
    const at = (host: string, asked: string) =>
      Health.refusal({ host, port: 9464 }, [], { hosts: [asked], origin: undefined })?.status
    for (const host of ["0.0.0.0", "::", "10.0.0.5", "runner-a"]) {
      for (const asked of ["10.0.0.5:9464", "192.168.1.2", "[fd00::5]:9464", "127.0.0.1:9464"])
        expect(at(host, asked)).toBeUndefined()
      expect(at(host, "evil.example:9464")).toBe(421)
    }
    expect(at("runner-a", "runner-a:9464")).toBeUndefined()
    expect(at("0.0.0.0", "runner-a:9464")).toBe(421)
  })

  it("come from the scraper of the demo fleet by the names that its runners know", () => {
    const targets = /targets: (\[.*\])/.exec(readFileSync("ops/prometheus/prometheus.yaml", "utf8"))?.[1]
    const asked: ReadonlyArray<string> = parse(targets ?? "")
    const runners = ["a", "b"].map((one) => {
      const { runner } = parse(readFileSync(`ops/demo/runner-${one}.yaml`, "utf8"))
      const [host, port] = runner.http.split(":")
      return { address: { host, port: Number(port) }, names: runner.http_names }
    })
    expect(asked).toHaveLength(runners.length)
    for (const target of asked) {
      const runner = runners.find(({ address }) => target.endsWith(`:${address.port}`))!
      const refused = Health.refusal(runner.address, runner.names, {
        hosts: [target],
        origin: undefined
      })
      expect(refused, target).toBeUndefined()
    }
  })
})
