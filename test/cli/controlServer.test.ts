/** The door of a running program: what it does when who knocks is slow, or when the program ends. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterEach, beforeEach, expect, it } from "vitest"
import * as ControlClient from "../../src/cli/ControlClient.js"
import * as ControlServer from "../../src/cli/ControlServer.js"
import * as Output from "../../src/cli/Output.js"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-door-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Serves one command; answers what ends the program. */
const serve = (command: Effect.Effect<number>, isStopping = false) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      yield* ControlServer.serve(join(folder, "run.sock"), {
        status: Effect.succeed({}),
        command: (_, sink) => Output.into(sink)(command),
        isStopping: Effect.succeed(isStopping),
        config: "/bidhelm.yaml"
      }).pipe(Scope.extend(scope))
      return () => Effect.runPromise(Scope.close(scope, Exit.void))
    })
  )

/** Asks for the command and reads nothing of the answer until `resume` is called. */
const ask = () =>
  new Promise<{ readonly rest: () => Promise<number> }>((resolve) => {
    const asked = request(
      { socketPath: join(folder, "run.sock"), method: "POST", path: "/command" },
      (answer) => {
        answer.on("error", () => undefined)
        resolve({
          rest: async () => {
            let bytes = 0
            for await (const part of answer) bytes += (part as Buffer).length
            return bytes
          }
        })
      }
    )
    asked.on("error", () => undefined)
    asked.end(
      JSON.stringify({ argv: ["history"], cwd: realpathSync(process.cwd()), config: "/bidhelm.yaml" })
    )
  })

it("waits for who reads a long answer slowly, and then tells all of it", async () => {
  const line = "x".repeat(64 * 1024)
  const lines = 400
  let printed = 0
  const command = Effect.gen(function* () {
    for (; printed < lines; printed++) yield* Output.data(line)
    return 0
  })
  const end = await serve(command)
  const { rest } = await ask()
  await new Promise((wake) => setTimeout(wake, 300))
  expect(printed).toBeGreaterThan(0)
  expect(printed).toBeLessThan(lines)
  expect(await rest()).toBeGreaterThan(lines * line.length)
  await end()
})

it("lets a command that it interrupts write down how far it came", async () => {
  let begin: () => void = () => undefined
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  let isWritten = false
  const command = Effect.zipRight(
    Effect.sync(() => begin()),
    Effect.never
  ).pipe(
    Effect.onInterrupt(() =>
      Effect.zipRight(
        Effect.sleep(100),
        Effect.sync(() => {
          isWritten = true
        })
      )
    )
  )
  const end = await serve(command)
  void ask()
  await begun
  await end()
  expect(isWritten).toBe(true)
})

const told = (argv: ReadonlyArray<string>) =>
  Effect.runPromise(
    Effect.either(
      ControlClient.command(join(folder, "run.sock"), { argv, config: "/bidhelm.yaml" }, () => Effect.void)
    )
  )

it.each(["apply --yes", "approve 3f", "call listCampaignIds", "undo RUN --yes"])(
  "begins nothing that it would cut off once it is stopping: %s",
  async (line) => {
    let began = 0
    const command = Effect.sync(() => {
      began += 1
      return 0
    })
    const end = await serve(command, true)
    const why = "it is stopping and would cut it off; nothing was sent. Give it again in half a minute"
    expect(await told(line.split(" "))).toMatchObject({
      left: { _tag: "Refused", message: expect.stringContaining(why) }
    })
    expect(began).toBe(0)
    await end()
  }
)

it.each(["kill", "hold", "history", "resume"])(
  "goes on with what sends nothing while it is stopping: %s",
  async (line) => {
    const end = await serve(Effect.succeed(0), true)
    expect(await told([line])).toMatchObject({ right: 0 })
    await end()
  }
)
