/** `bidhelm status` where nobody answers: it tells a program that cannot be asked just now from one that is not there. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, expect, it } from "vitest"
import * as Holder from "../../../src/cli/account/Holder.js"
import * as Program from "../../../src/cli/Program.js"
import * as ProcessLock from "../../../src/store/clients/ProcessLock.js"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-status-"))
  writeFileSync(
    join(folder, "bidhelm.yaml"),
    `version: 1
accounts:
  - name: shop
    token: {env: BIDHELM_TOKEN}
hosts: {advert: "http://127.0.0.1:9", calendar: "http://127.0.0.1:9"}
`
  )
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const lock = () => join(folder, ".bidhelm", "run.lock")

const given = (...words: ReadonlyArray<string>) =>
  Effect.suspend(() => {
    let said = ""
    const add = (text: string) => {
      said += text
    }
    return Effect.map(
      Program.within([...words, "--config", join(folder, "bidhelm.yaml")], {
        out: add,
        err: add,
        ready: Effect.void
      }),
      (code) => ({ code, said })
    )
  })

const status = given("status")

it("says that none is running, and how to start it", async () => {
  const { code, said } = await Effect.runPromise(status)
  expect(code).toBe(1)
  expect(said).toContain("bidhelm run is not running here; start it with: bidhelm run")
})

it("does not ask for a second one while one works that cannot be asked: at its start, its end, and with --once", async () => {
  const { code, said } = await Effect.runPromise(
    Effect.scoped(Effect.zipRight(ProcessLock.hold(lock(), Holder.name()), status))
  )
  expect(code).toBe(1)
  expect(said).toContain(`bidhelm run works here (${Holder.name()}), but cannot be asked`)
  expect(said).not.toContain("start it with")
})

it("knows that one which was killed works no more, though its name is still there", async () => {
  await Effect.runPromise(
    Effect.scoped(ProcessLock.hold(lock(), Holder.name())).pipe(
      Effect.zipRight(
        Effect.sync(() => writeFileSync(`${lock()}.pid`, "pid 1 on a container that is no more (0-0)"))
      ),
      Effect.zipRight(status)
    )
  ).then(({ said }) => expect(said).toContain("bidhelm run is not running here"))
  // Status only looks: on a read-only disk it could not write a name of its own.
  expect(readFileSync(`${lock()}.pid`, "utf8")).toContain("pid 1 on a container")
})

it("run --once says which file it cannot write, and calls that no bug", async () => {
  mkdirSync(`${lock()}.pid`, { recursive: true })
  const { code, said } = await Effect.runPromise(given("run", "--once"))
  expect(code).toBe(1)
  expect(said).toMatch(/^bidhelm: could not write .*run\.lock\.pid: /)
  expect(said).not.toContain("bug")
})
