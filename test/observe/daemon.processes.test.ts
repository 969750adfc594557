/** What a real `bidhelm run` tells of itself: figures, log and telemetry, and never its secrets. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { sandboxToken } from "../../src/sandbox/SandboxToken.js"
import * as Catalogue from "../../src/services/Catalogue.js"
import * as Shop from "../cli/Shop.js"
import * as Collector from "./Collector.js"
import * as Echo from "./Echo.js"
import * as Exposed from "./Exposed.js"

let shop: Shop.Shop
let collector: Collector.Collector
let echo: Echo.Echo
let http: number

beforeEach(async () => {
  shop = await Shop.Shop.open()
  collector = await Collector.open()
  echo = await Echo.before(shop.url, 6)
  http = await freePort()
  for (const [id, mode] of [
    ["01-raise-to-reach-max", "apply"],
    ["02-minus-low-ctr", "apply"],
    ["03-daily-budget-stop", "disabled"]
  ] as const) {
    const path = `rules/${id}.yaml`
    const often = shop.read(path).replace(/^schedule: .*$/m, "schedule: {every: 5m, tz: Europe/Moscow}")
    shop.write(path, often.replace(/^mode: .*$/m, `mode: ${mode}`))
  }
  const more = `runner: {http: "127.0.0.1:${http}", log: json}\ntelemetry: {otlp: "${collector.url}", headers: {env: OTLP}}\n`
  shop.write("bidhelm.yaml", shop.read("bidhelm.yaml").replaceAll(shop.url, echo.url) + more)
  shop.environment = { OTLP: `x-key=${headerSecret}` }
})
afterEach(async () => {
  await echo.close()
  await collector.close()
  await shop.close()
})

const headerSecret = "collectors-own-secret"

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const until = async (reached: () => boolean): Promise<void> => {
  while (!reached()) await new Promise((wake) => setTimeout(wake, 20))
}

describe("a running program", () => {
  it("shows its figures, logs JSON lines and exports telemetry, none of it with a secret", async () => {
    const child = shop.start("run")
    const ending = Shop.ended(child)
    let log = ""
    child.stderr?.on("data", (part: string) => {
      log += part
    })
    await until(() => child.exitCode !== null || /"outcome":"done"/.test(log))
    const answer = await fetch(`http://127.0.0.1:${http}/metrics`)
    expect(answer.headers.get("content-type")).toContain("version=0.0.4")
    const page = await answer.text()
    const shown = await shop.run("plan", "--format", "html")
    child.kill("SIGTERM")
    const { code, stderr, stdout } = await ending
    expect([code, stdout]).toEqual([0, ""])
    const { runs } = JSON.parse((await shop.run("history", "--json")).stdout) as {
      readonly runs: ReadonlyArray<{ readonly counts: Readonly<Record<string, number>> }>
    }
    const applied = runs.reduce((sum, { counts }) => sum + (counts.applied ?? 0), 0)

    expect(applied).toBeGreaterThan(0)

    // The page.
    const found = Exposed.parse(page)
    const value = (name: string, labels: Readonly<Record<string, string>> = {}) =>
      found
        .get(name)
        ?.samples.find((one) => Object.entries(labels).every(([key, is]) => one.labels[key] === is))?.value
    expect(value("bidhelm_account_stopped", { account: "main" })).toBe(0)
    expect(value("bidhelm_store_unreadable")).toBe(0)
    expect(value("bidhelm_rules_broken")).toBe(0)
    expect(value("bidhelm_rule_reload_failures_total")).toBe(0)
    expect(value("bidhelm_store_size_bytes")).toBeGreaterThan(10_000)
    expect(value("bidhelm_audit_head_entries")).toBeGreaterThan(0)
    expect(value("bidhelm_cycles_total", { outcome: "done" })).toBeGreaterThan(0)
    expect(value("bidhelm_changes_total", { state: "applied" })).toBeGreaterThan(0)
    expect(value("bidhelm_changes_total", { state: "applied" })).toBeLessThanOrEqual(applied)
    expect(value("bidhelm_calls_total", { outcome: "unavailable" })).toBeGreaterThan(0)
    expect(value("bidhelm_held_changes", { reason: "human_edit" })).toBe(0)
    expect(value("bidhelm_limiter_wait_seconds")).toBeDefined()
    const operations = new Set(
      found.get("bidhelm_calls_total")?.samples.map(({ labels }) => labels.operation)
    )
    expect([...operations].filter((id) => Catalogue.find(id ?? "") === undefined)).toEqual([])

    // The log.
    const lines = stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    expect(lines.every(({ at, level, message }) => Boolean(at) && Boolean(level) && Boolean(message))).toBe(
      true
    )
    expect(lines.find(({ event }) => event === "cycle")).toMatchObject({ account: "main", level: "info" })

    // The export.
    const bodies = (path: string) =>
      collector.sent.filter((one) => one.path === path).map(({ body }) => JSON.parse(body) as unknown)
    expect(collector.sent.every(({ headers }) => headers["x-key"] === headerSecret)).toBe(true)
    const spans = bodies("/v1/traces")
      .flatMap(Collector.objects)
      .filter((one) => "spanId" in one && "name" in one)
    const names = spans.map(({ name }) => String(name))
    for (const name of ["AccountCycle.run", "Cycle.plan", "Apply.run"]) expect(names).toContain(name)
    expect(names.some((name) => name.startsWith("marketplace."))).toBe(true)
    for (const span of spans) {
      expect(span).toMatchObject({
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
        spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
        startTimeUnixNano: expect.stringMatching(/^\d+$/),
        endTimeUnixNano: expect.stringMatching(/^\d+$/)
      })
    }
    const metrics = bodies("/v1/metrics").flatMap(Collector.objects)
    expect(metrics.map(({ name }) => name)).toContain("bidhelm_calls_total")
    expect(metrics.filter((one) => "asDouble" in one && typeof one.asDouble !== "number")).toEqual([])
    const logs = bodies("/v1/logs").flatMap(Collector.objects)
    expect(logs.some(({ severityText }) => severityText === "INFO")).toBe(true)

    // The canary: a marketplace that quotes it in every sixth answer.
    expect(echo.quoted()).toBeGreaterThan(3)
    const exported = await shop.run("history", "--export", "-")
    const token = sandboxToken()
    const canaries = [token, ...token.split(".").filter((part) => part.length >= 16), headerSecret]
    const told = [page, stderr, shown.stdout, shown.stderr, exported.stdout, exported.stderr]
    const kept = files(join(shop.folder, ".bidhelm"))
    for (const canary of canaries) {
      expect(
        [...told, ...collector.sent.map(({ body }) => body)].filter((text) => text.includes(canary))
      ).toEqual([])
      expect(kept.filter((path) => readFileSync(path).includes(canary))).toEqual([])
    }
  })

  it("ends at the start with a word when the headers of the collector are missing", async () => {
    shop.environment = {}
    const { code, stderr } = await shop.run("run")
    expect(code).toBe(1)
    expect(stderr).toContain("OTLP is not set")
  })
})

const files = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
