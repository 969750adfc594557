/** What goes through the door of a running program in more than one piece. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import * as ControlClient from "../../../src/cli/daemon/ControlClient.js"
import * as ControlServer from "../../../src/cli/daemon/ControlServer.js"

let folder: string
let socket: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-door-"))
  socket = join(folder, "run.sock")
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Serves for as long as `use` takes; keeps the words of every command. */
const served = async <A>(use: (heard: ReadonlyArray<ReadonlyArray<string>>) => Promise<A>, status = {}) => {
  const heard: Array<ReadonlyArray<string>> = []
  const scope = Effect.runSync(Scope.make())
  await Effect.runPromise(
    ControlServer.serve(socket, {
      status: Effect.succeed(status),
      command: (argv) =>
        Effect.sync(() => {
          heard.push(argv)
          return 0
        }),
      isStopping: Effect.succeed(false),
      changed: () => undefined,
      config: "/bidhelm.yaml"
    }).pipe(Scope.extend(scope))
  )
  const answer = await use(heard)
  await Effect.runPromise(Scope.close(scope, Exit.void))
  return answer
}

/** More than two of the pieces that sockets are read in; letters begin at even and at odd bytes. */
const phrases = "купить кроссовки недорого ".repeat(4000)

it.each(["", "x"])("takes over a command's Cyrillic as it was typed, wherever its bytes are cut: %s", (odd) =>
  served(async (heard) => {
    const argv = ["call", "setMinusPhrases", "--params", odd + phrases]
    expect(Buffer.byteLength(odd + phrases)).toBeGreaterThan(128 * 1024)
    const code = await Effect.runPromise(
      ControlClient.command(socket, { argv, config: "/bidhelm.yaml" }, () => Effect.void)
    )
    expect(code).toBe(0)
    expect(heard).toEqual([argv])
  })
)

it("takes over a letter whose two bytes come one after the other", () =>
  served(async (heard) => {
    const body = Buffer.from(
      JSON.stringify({ argv: ["hold", "ж"], cwd: realpathSync(process.cwd()), config: "/bidhelm.yaml" })
    )
    const cut = body.indexOf(Buffer.from("ж")) + 1
    await new Promise<void>((resolve, reject) => {
      const asked = request({ socketPath: socket, method: "POST", path: "/command" }, (answer) =>
        answer.resume().on("end", resolve)
      ).on("error", reject)
      asked.write(body.subarray(0, cut))
      setTimeout(() => asked.end(body.subarray(cut)), 100)
    })
    expect(heard).toEqual([["hold", "ж"]])
  }))

it("takes over a command line as long as the system lets one be, whatever its signs become in JSON", () =>
  served(async (heard) => {
    const argv = ["orders", "cancel", "--yes", '"'.repeat(6_000_000)]
    const code = await Effect.runPromise(
      ControlClient.command(socket, { argv, config: "/bidhelm.yaml" }, () => Effect.void)
    )
    expect([code, heard.length]).toEqual([0, 1])
  }))

/** Posts a body as it is; answers status and text, or the error's code when nothing is answered. */
const posted = (body: string | Buffer) =>
  new Promise<unknown>((resolve) => {
    const asked = request({ socketPath: socket, method: "POST", path: "/command" }, async (answer) => {
      let text = ""
      for await (const part of answer.setEncoding("utf8")) text += String(part)
      resolve([answer.statusCode, text])
    })
    asked.on("error", () => resolve("cut off"))
    asked.end(body)
  })

it("refuses what is no command without a word of a defect, and goes on", () =>
  served(async (heard) => {
    const logged: Array<string> = []
    const log = vi.spyOn(console, "log").mockImplementation((...words) => void logged.push(words.join(" ")))
    expect(await posted("{nope")).toEqual([400, expect.stringContaining("what was sent is no JSON")])
    expect(await posted("{}")).toEqual([400, expect.stringContaining("HttpApiDecodeError")])
    expect(await posted(Buffer.alloc(17_000_000, "x"))).toBe("cut off")
    log.mockRestore()
    expect(logged).toEqual([])
    const argv = ["history"]
    await Effect.runPromise(
      ControlClient.command(socket, { argv, config: "/bidhelm.yaml" }, () => Effect.void)
    )
    expect(heard).toEqual([argv])
  }))

it.each(["", "x"])("tells its status in Cyrillic as it is, wherever its bytes are cut: %s", (odd) => {
  const status = { stoppedWhy: odd + phrases }
  return served(async () => {
    expect(await Effect.runPromise(ControlClient.status(socket))).toEqual(status)
  }, status)
})
