/** The keys of log and telemetry in `bidhelm.yaml`. */
import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"
import * as Config from "../../src/cli/config/Config.js"
import * as Render from "../../src/engine/language/problems/Render.js"

const file = (more: string) =>
  `version: 1\naccounts:\n  - {name: shop, token: {env: T}}\nhosts: {advert: "https://a.example", calendar: "https://b.example"}\n${more}\n`

const read = (more: string) => Config.read("bidhelm.yaml", file(more))

const complaint = (more: string): string => {
  const refused = Either.getOrThrow(Either.flip(read(more)))
  return Render.all(refused.problems, new Map([["bidhelm.yaml", refused.source]]))
}

describe("telemetry, log and plans in the configuration", () => {
  it("are read", () => {
    const config = Either.getOrThrow(
      read(
        'runner: {log: json, log_level: warning}\ntelemetry: {otlp: "https://o.example/otlp/", headers: {env: H}}'
      )
    )
    expect(config.runner).toEqual({ log: "json", logLevel: "warning" })
    expect(config.telemetry).toEqual({ otlp: "https://o.example/otlp", headersFrom: "H" })
  })

  it("say how many accounts plan at once", () => {
    expect(Either.getOrThrow(read("runner: {plans_at_once: 4}")).runner).toEqual({ plansAtOnce: 4 })
    expect(complaint("runner: {plans_at_once: 0}")).toContain("1 to 1000")
  })

  it("send nothing in the clear to another machine", () => {
    expect(complaint('telemetry: {otlp: "http://o.example:4318"}')).toContain("https://")
  })

  it("do not repeat headers that somebody wrote into the file", () => {
    for (const headers of ["{x-key: Canary-secret}", "Canary-secret", '{env: H, x-key: "Canary-secret"}']) {
      const said = complaint(`telemetry: {otlp: "https://o.example", headers: ${headers}}`)
      expect(said).toContain("headers")
      expect(said).not.toContain("Canary")
    }
  })

  it("refuse words that there are not", () => {
    expect(complaint("runner: {log: xml}")).toContain("json")
    expect(complaint("runner: {log_level: loud}")).toContain("warning")
    expect(complaint("telemetry: {olpt: x}")).toContain("otlp")
  })
})

describe("the address of health and figures", () => {
  it("is open to other machines only with a key", () => {
    expect(complaint('runner: {http: "0.0.0.0:9464"}')).toMatch(/K16[\s\S]*need a key: http_key/)
    expect(complaint('runner: {http: "runner-a:9464"}')).toContain("http_key")
    for (const local of ["127.0.0.1:9464", "localhost:9464", "[::1]:9464"]) {
      expect(Either.isRight(read(`runner: {http: "${local}"}`)), local).toBe(true)
    }
    const { runner } = Either.getOrThrow(
      read('runner: {http: "0.0.0.0:9464", http_key: {file: secrets/key}}')
    )
    expect(runner).toEqual({
      http: { host: "0.0.0.0", port: 9464 },
      httpKey: { _tag: "File", path: "secrets/key" }
    })
  })

  it("has names of its own, without ports and only beside an address", () => {
    expect(
      Either.getOrThrow(read('runner: {http: "127.0.0.1:9464", http_names: [runner-a, b.example]}')).runner
    ).toMatchObject({ httpNames: ["runner-a", "b.example"] })
    expect(complaint("runner: {http_names: [runner-a]}")).toContain("Names for nothing")
    for (const names of ["runner-a", '["runner-a:9464"]', '["http://runner-a"]', '["*"]', '["[::1]"]'])
      expect(complaint(`runner: {http: "127.0.0.1:9464", http_names: ${names}}`)).toContain("without ports")
  })

  it("refuses a key without an address, in two places, or in the file itself, which no message repeats", () => {
    expect(complaint("runner: {http_key: {env: KEY}}")).toContain("A key for nothing")
    expect(complaint('runner: {http: "0.0.0.0:1", http_key: {env: KEY, file: key}}')).toContain("either")
    for (const key of ["Canary-key", "{key: Canary-key}", "{env: KEY, value: Canary-key}"]) {
      const said = complaint(`runner: {http: "0.0.0.0:9464", http_key: ${key}}`)
      expect(said).toContain("http_key")
      expect(said).not.toContain("Canary")
    }
  })
})
