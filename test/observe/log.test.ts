/** The log's lines, and a secret put through everything that is written or exported: it must not come out anywhere. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as DaemonLog from "../../src/cli/daemon/DaemonLog.js"
import * as Exposition from "../../src/cli/daemon/Exposition.js"
import * as Telemetry from "../../src/cli/daemon/Telemetry.js"
import * as Figures from "../../src/domain/Figures.js"
import * as Redact from "../../src/domain/Redact.js"
import * as ErrorText from "../../src/services/ErrorText.js"
import * as Collector from "./Collector.js"

const lines = async (options: DaemonLog.Options, told: Effect.Effect<unknown>) => {
  const written: Array<string> = []
  await Effect.runPromise(told.pipe(DaemonLog.writing(options, (line) => written.push(line))))
  return written
}

const json: DaemonLog.Options = { format: "json", level: "info" }
const text: DaemonLog.Options = { format: "text", level: "info" }

describe("the log", () => {
  it("writes an event as one JSON object with its fields", async () => {
    const event = { event: "cycle", account: "shop", outcome: "done", due: ["a"], tookMs: 12 }
    const [line = ""] = await lines(json, Effect.logInfo("shop: done", event))
    expect(line.endsWith("\n")).toBe(true)
    expect(JSON.parse(line)).toEqual({
      at: expect.any(String),
      level: "info",
      message: "shop: done",
      ...event
    })
  })

  it("lets no field take the place of time, level or message", async () => {
    const [line = ""] = await lines(json, Effect.logInfo("said", { at: "x", level: "y", message: "z" }))
    expect(JSON.parse(line)).toMatchObject({ level: "info", message: "said" })
  })

  it("writes text for people on one line, whatever the words hold", async () => {
    const told = Effect.logWarning("two\nlines \u001b[31mred", { why: 'a "b"', waitMs: 3 })
    const [line = ""] = await lines(text, told)
    expect(line).toMatch(/^\S+Z WARN two \| lines {2}\[31mred why="a \\"b\\"" waitMs=3\n$/)
  })

  it("has no literal line breaks in text: the places of an error stand behind each other", async () => {
    const error = new Error("no answer\nfrom the host")
    const told = Effect.logError("went wrong", Cause.die(error), {
      why: "first\nsecond",
      stack: { at: "a\nb" }
    })
    const [line = ""] = await lines(text, told)
    expect(line).not.toContain("\\n")
    expect(line.trimEnd()).not.toContain("\n")
    expect(line).toMatch(/no answer \| from the host \| at /)
  })

  it("tells only what the level asks for", async () => {
    const told = Effect.all([
      Effect.logInfo("a"),
      Effect.logWarning("b"),
      Effect.logError("c"),
      Effect.logDebug("d")
    ])
    expect(await lines({ format: "text", level: "warning" }, told)).toHaveLength(2)
    expect(await lines({ format: "text", level: "debug" }, told)).toHaveLength(4)
  })

  it("ends no cycle, whatever somebody wants to log", async () => {
    const loop: { one?: unknown; other?: unknown } = {}
    loop.one = loop
    loop.other = loop
    const broken = {
      get field() {
        throw new Error("cannot be told")
      }
    }
    const told = [{ id: 9007199254740993n }, { loop }, { broken }, { at: new Map([[1n, loop]]) }]
    for (const options of [json, text]) {
      const written = await lines(
        options,
        Effect.forEach(told, (fields) => Effect.logInfo("said", fields))
      )
      expect(written).toHaveLength(told.length)
      expect(written[0]).toContain("9007199254740993")
      for (const line of written) expect(line.length).toBeLessThan(100_000)
      expect(written[2]).toMatch(/said|cannot be told/)
    }
  }, 5_000)

  it("tells a cause with its words", async () => {
    const [line = ""] = await lines(json, Effect.logError("broke", Cause.die(new Error("no such row"))))
    expect(String(JSON.parse(line).cause)).toContain("no such row")
  })
})

const jwt = "eyJhbGciOiJFUzI1NiJ9.eyJhY2MiOjN9.CanarySignature"
const secrets = {
  token: jwt,
  "half a token": jwt.slice(0, 30),
  "a bearer header": "Authorization: Bearer Canary.plain",
  "a header as a map": '{"authorization":"Canary"}',
  "a password in an address": "postgres://bidhelm:Canary@pass@db.example:5432/x",
  "a parameter": "https://x.example/?api_key=Canary&b=1",
  "a marking code": "010460123456789321Canary4u3i\u001d91EE11\u001d92CanaryProof==",
  "a marking code in JSON": JSON.stringify(["010460123456789321Canary4u3i\u001d91EE11\u001d92CanaryProof=="]),
  "an opaque key": "sk-Canary9w8e7r6t5y4u3i2o1pASDFGHJKLzxcvbnmQWERTY"
}
const canary = /Canary|eyJ/

describe("what looks like a secret", () => {
  it.each(Object.entries(secrets))("is blotted out: %s", (_, secret) => {
    expect(Redact.text(`before ${secret} after`)).not.toMatch(canary)
    expect(ErrorText.clean(`before ${secret} after`)).not.toMatch(canary)
    expect(Redact.text(`before ${secret} after`)).toMatch(/^before .*\[removed\]/)
  })

  it.each([
    "run-2026-09-01T09:00:00.000Z-4f2a9c 3 applied, 1 rejected [01-raise-to-reach-max]",
    "plan 5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5",
    "https://advert.example/api/v1/campaigns?ids=1,2",
    "the file token.txt can be read by others",
    "777/1001/женские кеды: 120 ₽ → 150 ₽"
  ])("is not seen where there is none: %s", (said) => {
    expect(Redact.text(said)).toBe(said)
  })

  it("is found fast in hostile text", () => {
    const hostile = [
      "a-".repeat(200_000),
      "Bearer ".repeat(50_000),
      "token:".repeat(50_000),
      "x://a:".repeat(20_000),
      "010460123456789321aaaaa\u001d".repeat(20_000),
      "010460123456789321".repeat(20_000)
    ]
    for (const said of hostile) expect(Redact.text(said).length).toBeGreaterThan(0)
  }, 20_000)
})

describe("a canary", () => {
  const error = new Error(`the marketplace said ${jwt}`, { cause: new Error(`Bearer ${jwt}`) })
  const told = Effect.gen(function* () {
    yield* Effect.logWarning(`failed: ${jwt}`, {
      token: "Canary",
      nested: { list: [{ password: "Canary", a: jwt }] }
    })
    yield* Effect.logError("a cycle broke", error)
    yield* Effect.logError("a cycle broke", Cause.parallel(Cause.die(error), Cause.fail(jwt)))
    yield* Effect.logInfo(Object.values(secrets).join(" "), new Map([["k", jwt]]), Buffer.from("x"))
    yield* Effect.annotateLogs(Effect.logInfo("annotated"), { authorization: "Canary", said: jwt })
  })

  it.each([json, text])(
    "appears 0 times in 50,000 lines of the log ($format), 100,000 in both",
    async (options) => {
      const many = Effect.repeatN(
        Effect.logWarning(`refused: ${jwt}`, { why: `token=${jwt}`, said: secrets }),
        44_999
      )
      const written = await lines(options, Effect.zipRight(many, Effect.repeatN(told, 999)))
      expect(written).toHaveLength(50_000)
      expect(written.filter((line) => canary.test(line))).toEqual([])
    },
    60_000
  )

  it("appears neither on the page of figures nor in what is exported", async () => {
    const collector = await Collector.open()
    const work = Effect.gen(function* () {
      yield* Figures.add(Figures.figures.calls, { operation: jwt, outcome: `Bearer ${jwt}` })
      yield* told
      const broken = Effect.fail(error).pipe(
        Effect.withSpan("broken", { attributes: { said: jwt, token: "Canary" } })
      )
      yield* Effect.ignore(broken)
      const dead = Effect.die(error).pipe(Effect.withSpan("dead"))
      yield* Effect.ignore(Effect.sandbox(dead))
    })
    const options = { url: collector.url, headers: {}, everyMs: 50 }
    await lines(json, work.pipe(Telemetry.exported(options)))
    await collector.close()
    const bodies = collector.sent.map(({ body }) => body)
    const paths = new Set(collector.sent.map(({ path }) => path))
    expect([...paths].sort()).toEqual(["/v1/logs", "/v1/metrics", "/v1/traces"])
    const objects = bodies.flatMap((body) => Collector.objects(JSON.parse(body)))
    expect(objects.map(({ name }) => name)).toEqual(expect.arrayContaining(["broken", "dead", "exception"]))
    expect(bodies.filter((body) => canary.test(body))).toEqual([])
    expect(canary.test(Exposition.text((await import("effect/Metric")).unsafeSnapshot()))).toBe(false)
  }, 30_000)
})

describe("telemetry", () => {
  it("leaves out gauges that are not known", async () => {
    const collector = await Collector.open()
    const options = { url: collector.url, headers: { "x-key": "1" }, everyMs: 50 }
    const { lag } = Figures.figures
    const told = Effect.all([
      Figures.set(lag, { account: "known" }, 3),
      Figures.set(lag, { account: "unknown" }, undefined)
    ])
    await Effect.runPromise(told.pipe(Telemetry.exported(options)))
    await collector.close()
    const metrics = collector.sent.filter(({ path }) => path === "/v1/metrics")
    const all = metrics.flatMap(({ body }) => Collector.objects(JSON.parse(body)))
    const points = all.filter((one) => "asDouble" in one)
    expect(points.length).toBeGreaterThan(0)
    expect(points.every(({ asDouble }) => typeof asDouble === "number")).toBe(true)
    expect(JSON.stringify(points)).toContain('"known"')
    expect(JSON.stringify(points)).not.toContain('"unknown"')
    expect(metrics.every(({ headers }) => headers["x-key"] === "1")).toBe(true)
  }, 30_000)

  it("keeps nobody waiting for a collector that is not there", async () => {
    const options = { url: "http://127.0.0.1:9", headers: {}, everyMs: 50 }
    expect(
      await Effect.runPromise(Effect.succeed(1).pipe(Effect.withSpan("a"), Telemetry.exported(options)))
    ).toBe(1)
  }, 30_000)

  it("reads its headers from the environment and never repeats them", async () => {
    const of = (text: string | undefined) =>
      Effect.runPromise(
        Effect.either(Telemetry.optionsOf({ otlp: "http://127.0.0.1:4318", headersFrom: "H" }, { H: text }))
      )
    expect(await of("authorization=Basic%20abc=, x-org = 7")).toMatchObject({
      right: { headers: { authorization: "Basic abc=", "x-org": "7" } }
    })
    expect(JSON.stringify(await of("Canary"))).not.toContain("Canary")
    expect(await of(undefined)).toMatchObject({
      left: { message: "the environment variable H is not set; put the headers into it" }
    })
  })
})
