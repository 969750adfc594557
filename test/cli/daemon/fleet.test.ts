/** The accounts of a running program at its start: what is wrong with one is no reason to leave the others alone. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { afterEach, beforeEach, expect, it } from "vitest"
import * as Config from "../../../src/cli/config/Config.js"
import * as Fleet from "../../../src/cli/daemon/Fleet.js"
import * as Store from "../../../src/cli/store/Store.js"
import * as LimitsKept from "../../../src/engine/planning/LimitsKept.js"
import { sandboxToken } from "../../../src/sandbox/SandboxToken.js"
import * as Stage from "../../run/SupervisorStage.js"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-fleet-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const seller = (n: number) => `5a4d0000-0000-4000-8000-00000000000${n}`

/** A configuration of two accounts whose marketplace nobody reaches. */
const config = (first: string, second: string, store = ""): Config.Config => {
  for (const [name, token] of [
    ["first", first],
    ["second", second]
  ] as const) {
    writeFileSync(join(folder, name), token, { mode: 0o600 })
  }
  const text = `version: 1
accounts:
  - name: first
    token: {file: first}
  - name: second
    token: {file: second}
hosts: {advert: "http://127.0.0.1:9", calendar: "http://127.0.0.1:9"}
${store}`
  return Either.getOrThrow(Config.read(join(folder, "bidhelm.yaml"), text))
}

const flags = { config: "bidhelm.yaml", account: Option.none(), maxWait: Option.none() }

/** Opens accounts as at the program's start; answers how a cycle of the second ends, and what was told. */
const start = (of: Config.Config, account: Option.Option<string> = Option.none()) => {
  const told: Array<string> = []
  const logger = Logger.make(({ message }) => void told.push(String(message)))
  const rules = Stage.rules({ a: "{every: 1h}" })
  return Effect.runPromise(
    Effect.gen(function* () {
      const cycle = yield* Fleet.open(of, yield* Fleet.choose(of, { ...flags, account }))
      const stopping = yield* Deferred.make<void>()
      const loaded = { rules, version: "v1", problem: undefined }
      const ended = yield* cycle({ account: "second", lane: "ads", loaded, due: new Set(["a"]), stopping })
      return { ended, told }
    }).pipe(
      Effect.scoped,
      Effect.provide(NodeContext.layer),
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Effect.either
    )
  )
}

const expired = sandboxToken({ seller: seller(2), expiresAtMs: Date.parse("2026-01-01T00:00:00Z") })

it("begin their work though the token of one has expired: that one is refused, and the log says so", async () => {
  const { ended, told } = Either.getOrThrow(await start(config(sandboxToken({ seller: seller(1) }), expired)))
  expect(ended).toMatchObject({ _tag: "Refused", why: expect.stringContaining("expired on 2026-01-01") })
  expect(told.filter((line) => line.startsWith("second: "))).toEqual([expect.stringContaining("expired on")])
  expect(told.filter((line) => line.startsWith("first: "))).toEqual([])
})

it("show another credential when the token of the file is another, whatever else is wrong, and never the token", async () => {
  const token = sandboxToken({ seller: seller(1) })
  const two = config(token, "")
  const look = Effect.gen(function* () {
    const shown = yield* Fleet.credential(yield* Fleet.choose(two, { ...flags, account: Option.none() }))
    const before = [yield* shown("first"), yield* shown("second")]
    expect([yield* shown("first"), yield* shown("second")]).toEqual(before)
    expect(before.join()).not.toContain(token.slice(0, 12))
    config("", token)
    expect(yield* shown("first")).not.toBe(before[0])
    expect(yield* shown("second")).toBe(before[0])
  })
  await Effect.runPromise(Effect.provide(look, NodeContext.layer))
})

it("do not begin when none has a token, and the message says where the first one is to be", async () => {
  const failed = await start(config("", expired))
  expect(Either.getLeft(failed).pipe(Option.getOrThrow).message).toContain("There is no token in")
})

it("do not begin on one of several machines that lacks the token of one", async () => {
  const store = "store: postgres://nobody@127.0.0.1:9/nothing\n"
  const failed = await start(config(sandboxToken({ seller: seller(1) }), "", store))
  expect(Either.getLeft(failed).pipe(Option.getOrThrow).message).toContain("There is no token in")
})

it("are those it was started for: of another, whose due time an earlier start has left, it does not say that the configuration lacks it", async () => {
  const both = config(sandboxToken({ seller: seller(1) }), sandboxToken({ seller: seller(2) }))
  const { ended } = Either.getOrThrow(await start(both, Option.some("first")))
  expect(ended).toEqual({
    _tag: "Refused",
    why: "second is not among the accounts that this program was started for"
  })
})

it("are refused by rules without limits where another machine has some", async () => {
  const both = config(sandboxToken({ seller: seller(1) }), sandboxToken({ seller: seller(2) }))
  const other = Stage.rules({ a: "{every: 1h}" })
  await Effect.runPromise(
    LimitsKept.note("second", { ...other, limits: { ...other.limits } }).pipe(
      Effect.provide(Store.layer(both))
    )
  )
  const { ended } = Either.getOrThrow(await start(both))
  expect(ended).toMatchObject({ _tag: "Refused", why: expect.stringContaining("limits of the account") })
})
