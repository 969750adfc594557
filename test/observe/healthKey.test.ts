/** Health over HTTP with a key: figures for those who show it, yes or no for everybody else. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { describe, expect, it } from "vitest"
import * as Secrets from "../../src/cli/config/Secrets.js"
import * as Health from "../../src/cli/daemon/Health.js"
import type { Standing } from "../../src/engine/schedule/RunnerStatus.js"
import { freePort } from "../faults/Waiting.js"

const key = "a-key-of-24-letters-long"
const broken: Standing = {
  accounts: [],
  rulesVersion: "v1",
  rulesProblem: "rules/01.yaml:3 is wrong",
  lastLookAt: undefined,
  isDraining: false
}

/** Asks a server, with the header when there is one; how often figures were looked up is answered too. */
const asking = (
  own: Redacted.Redacted | undefined,
  asked: ReadonlyArray<readonly [string, string?]>,
  standing: Effect.Effect<Standing> = Effect.succeed(broken)
) =>
  Effect.scoped(
    Effect.gen(function* () {
      let looked = 0
      const figures = Effect.sync(() => `bidhelm_figure ${++looked}\n`)
      const port = yield* Effect.promise(freePort)
      yield* Health.serve({ host: "127.0.0.1", port }, { standing, figures }, { key: own })
      const answers = yield* Effect.forEach(asked, ([path, authorization]) =>
        Effect.promise(async () => {
          const headers = authorization === undefined ? {} : { authorization }
          const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
          return [answer.status, (await answer.text()).trim()] as const
        })
      )
      return { answers, looked }
    })
  ).pipe(Effect.runPromise)

const statuses = (answers: ReadonlyArray<readonly [number, string]>) => answers.map(([status]) => status)

describe("figures behind a key", () => {
  it("are for those who show it, and are not even looked up for others", async () => {
    const wrong = [
      undefined,
      "Bearer",
      "Bearer wrong",
      key,
      `Basic ${key}`,
      `Bearer ${key}x`,
      `Bearer ${key} x`
    ]
    const refused = await asking(
      Redacted.make(key),
      wrong.map((header) => (header === undefined ? ["/metrics"] : ["/metrics", header]))
    )
    expect(statuses(refused.answers)).toEqual(wrong.map(() => 401))
    expect(refused.looked).toBe(0)
    expect(JSON.stringify(refused.answers)).not.toContain(key)
    const right = await asking(Redacted.make(key), [
      ["/metrics", `Bearer ${key}`],
      ["/metrics?x=1", `bearer ${key}`]
    ])
    expect(right.answers).toEqual([
      [200, "bidhelm_figure 1"],
      [200, "bidhelm_figure 2"]
    ])
  })

  it("leave health to everybody, without reasons", async () => {
    const { answers } = await asking(Redacted.make(key), [
      ["/healthz"],
      ["/readyz"],
      ["/readyz", `Bearer ${key}`],
      ["/constructor"]
    ])
    expect(answers.slice(0, 2)).toEqual([
      [200, '{"alive":true}'],
      [503, '{"ready":false}']
    ])
    expect(answers[2]?.[1]).toContain("rules/01.yaml:3")
    expect(answers[3]).toEqual([404, ""])
  })

  it("are open where no key is asked for", async () => {
    const { answers } = await asking(undefined, [["/metrics"], ["/readyz"]])
    expect(statuses(answers)).toEqual([200, 503])
    expect(answers[1]?.[1]).toContain("rulesProblem")
  })
})

describe("health", () => {
  const lookedAgo = (ms: number) =>
    Effect.map(Clock.currentTimeMillis, (nowMs): Standing => ({ ...broken, lastLookAt: nowMs - ms }))

  it("is not ready any more when nothing was looked at for ten minutes, whatever the last look has shown", async () => {
    const fresh = await asking(undefined, [["/readyz"]], lookedAgo(2 * 60_000))
    expect(statuses(fresh.answers)).toEqual([200])
    const late = await asking(undefined, [["/readyz"], ["/healthz"]], lookedAgo(25 * 60_000))
    expect(statuses(late.answers)).toEqual([503, 200])
    expect(late.answers[0]?.[1]).toContain("it has not looked at its accounts for 25 minutes")
    const setBack = await asking(undefined, [["/readyz"]], lookedAgo(-3_600_000))
    expect(statuses(setBack.answers)).toEqual([200])
  })

  it("answers though what it asks is broken, instead of letting whoever asks wait", async () => {
    const { answers } = await asking(undefined, [["/readyz"], ["/metrics"]], Effect.die("broken"))
    expect(answers[0]).toEqual([500, '{"broken":"the log says why"}'])
    expect(statuses(answers)).toEqual([500, 200])
  }, 10_000)
})

describe("the key itself", () => {
  const read = (place: Parameters<typeof Secrets.readHealthKey>[0], environment = {}) =>
    Effect.runPromise(Effect.either(Secrets.readHealthKey(place, environment)))

  it("comes from the environment or a file of its owner's, and is refused with its place but without itself", async () => {
    const folder = mkdtempSync(join(tmpdir(), "bidhelm-key-"))
    const path = join(folder, "key")
    writeFileSync(path, `${key}\n`, { mode: 0o600 })
    expect(await read({ _tag: "File", path })).toMatchObject({ _tag: "Right" })
    expect(await read({ _tag: "Environment", name: "K" }, { K: key })).toMatchObject({ _tag: "Right" })
    const refused = [
      await read({ _tag: "Environment", name: "K" }),
      await read({ _tag: "Environment", name: "K" }, { K: "canary" }),
      await read({ _tag: "Environment", name: "K" }, { K: "canary with spaces in it" }),
      await read({ _tag: "File", path: join(folder, "none") })
    ]
    chmodSync(path, 0o644)
    refused.push(await read({ _tag: "File", path }))
    const said = refused.map((one) => (one._tag === "Left" ? one.left.message : "taken"))
    expect(said.map((text) => text.replaceAll(folder, ""))).toEqual([
      "runner: http_key: the environment variable K is not set; put the key into it",
      expect.stringMatching(/variable K holds no key of at least 16.*openssl rand -hex 24/),
      expect.stringMatching(/variable K holds no key/),
      "runner: http_key: the file /none cannot be read; check the path in bidhelm.yaml",
      "runner: http_key: the file /key can be read by others; run chmod 600 /key"
    ])
    expect(said.join()).not.toContain("canary")
    rmSync(folder, { recursive: true })
  })
})
