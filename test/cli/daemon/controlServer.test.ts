/** The door of a running program: what it does when who knocks is slow, or when the program ends. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { createServer, request, Server } from "node:http"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import type { ConfigChange } from "../../../src/cli/daemon/ConfigChange.js"
import * as ControlClient from "../../../src/cli/daemon/ControlClient.js"
import * as ControlServer from "../../../src/cli/daemon/ControlServer.js"
import * as Output from "../../../src/cli/terminal/Output.js"
import * as Stopping from "../../../src/engine/door/Stopping.js"
import { until } from "../../faults/Waiting.js"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-door-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Serves one command; answers what ends the program. */
const serve = (
  command: Effect.Effect<number>,
  { change, isStopping = false }: { readonly isStopping?: boolean; readonly change?: ConfigChange } = {}
) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      yield* ControlServer.serve(join(folder, "run.sock"), {
        status: Effect.succeed({}),
        command: (_, sink) => Output.into(sink)(command),
        isStopping: Effect.succeed(isStopping),
        changed: () => change,
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
    const end = await serve(command, { isStopping: true })
    const why = "it is stopping and would cut it off; nothing was sent. Give it again in half a minute"
    expect(await told(line.split(" "))).toMatchObject({
      left: { _tag: "Refused", message: expect.stringContaining(why) }
    })
    expect(began).toBe(0)
    await end()
  }
)

it.each([
  ["kill", "nothing was stopped; end it with the signal TERM, or make the file /shop/.bidhelm/STOP"],
  ["hold --for 3d", "nothing was stopped; end it with the signal TERM, or make the file /shop/.bidhelm/STOP"],
  ["resume --kill", "nothing was done; end it with the signal TERM and start it again"],
  ["apply --yes", "nothing was done; end it with the signal TERM and start it again"],
  ["history", undefined],
  ["holds", undefined]
])("changes nothing of a configuration that it does not run: %s", async (line, why) => {
  const change = { what: "main → shop2", stopFile: "/shop/.bidhelm/STOP" }
  const end = await serve(Effect.succeed(0), { change })
  const message = `/bidhelm.yaml has changed since bidhelm run began (main → shop2): ${why}`
  expect(await told(line.split(" "))).toMatchObject(
    why === undefined
      ? { right: 0 }
      : { left: { _tag: "Refused", message: expect.stringContaining(message) } }
  )
  await end()
})

it.each(["kill", "hold", "history", "resume"])(
  "goes on with what sends nothing while it is stopping: %s",
  async (line) => {
    const end = await serve(Effect.succeed(0), { isStopping: true })
    expect(await told([line])).toMatchObject({ right: 0 })
    await end()
  }
)

/** A command of this name that runs on; answers the door, how the program ends, and what its client heard. */
const running = async (name: string, command: Effect.Effect<number>) => {
  const scope = Effect.runSync(Scope.make())
  const socket = join(folder, "run.sock")
  const door = await Effect.runPromise(
    ControlServer.serve(socket, {
      status: Effect.succeed({}),
      command: (_, sink) => Output.into(sink)(command),
      isStopping: Effect.succeed(false),
      changed: () => undefined,
      config: "/bidhelm.yaml"
    }).pipe(Scope.extend(scope))
  )
  const heard: Array<string> = []
  const end = Effect.runPromise(
    ControlClient.command(socket, { argv: name.split(" "), config: "/bidhelm.yaml" }, (part) =>
      Effect.sync(() => void heard.push(Object.values(part).join("")))
    ).pipe(Effect.either)
  )
  return { door, close: () => Effect.runPromise(Scope.close(scope, Exit.void)), end, heard }
}

it("tells a command that sends that the program is to end, and waits until it has ended by itself", async () => {
  let requests = 0
  const sends = Effect.gen(function* () {
    const { why } = yield* Stopping.Stopping
    for (;;) {
      const stopped = yield* why
      if (stopped !== undefined) {
        // Reading back takes a while.
        yield* Effect.sleep(200)
        yield* Output.note(stopped)
        return 4
      }
      requests += 1
      yield* Effect.sleep(10)
    }
  })
  const { close, door, end, heard } = await running(
    "apply --yes",
    Effect.suspend(() => sends)
  )
  await until(() => requests > 0)
  await Effect.runPromise(door.drain)
  const sent = requests
  await close()
  expect(await end).toMatchObject({ right: 4 })
  expect(heard.join("")).toContain("bidhelm run was asked to end; give the command again")
  expect(heard.join("")).not.toContain("interrupted")
  expect(requests).toBe(sent)
})

it.each([
  ["apply --yes", "bidhelm history says how far it came"],
  ["history", "give it again"]
])("tells the client of a command that takes too long that it was interrupted: %s", async (name, words) => {
  let hasBegun = false
  let isWritten = false
  const begin = Effect.sync(() => {
    hasBegun = true
  })
  const never = Effect.zipRight(begin, Effect.never).pipe(
    Effect.onInterrupt(() =>
      Effect.sync(() => {
        isWritten = true
      })
    )
  )
  const { close, end, heard } = await running(name, never)
  await until(() => hasBegun)
  await close()
  expect(isWritten).toBe(true)
  expect(await end).toMatchObject({ right: 1 })
  expect(heard.join("")).toContain(words)
})

it("does not wait at the end for a command that sends nothing", async () => {
  const { close, door, end } = await running("history", Effect.never)
  await Effect.runPromise(door.drain)
  await close()
  await end
})

it("tells what is printed whole, with signs that some take for the end of a line", async () => {
  const name = "Shoes\u2028summer\u2029 Кроссовки"
  const { close, end, heard } = await running("history", Effect.as(Output.data(name), 3))
  expect(await end).toMatchObject({ right: 3 })
  expect(heard.join("")).toBe(`${name}\n`)
  await close()
})

it("says that it ended when it is gone in the middle of a line", async () => {
  const server = createServer((_, response) => {
    response.writeHead(200)
    response.write('{"out":"hal')
    setTimeout(() => response.destroy(), 50)
  })
  await new Promise<void>((resolve) => server.listen(join(folder, "run.sock"), resolve))
  expect(await told(["history"])).toMatchObject({
    left: { _tag: "Refused", message: "it ended before the command did; look at bidhelm history" }
  })
  server.close()
})

it.skipIf(process.platform !== "linux")(
  "hangs for whoever asks when it takes no more connections: somebody is there",
  async () => {
    const socket = join(folder, "run.sock")
    const listens = `require("node:net").createServer().listen({ path: ${JSON.stringify(socket)}, backlog: 1 }, () => {
      process.stdout.write("here")
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    })`
    const hanging = spawn(process.execPath, ["-e", listens])
    await once(hanging.stdout, "data")
    const waiting = Array.from({ length: 4 }, () => connect(socket).on("error", () => undefined))
    await new Promise((wake) => setTimeout(wake, 200))
    expect(await Effect.runPromise(Effect.flip(ControlClient.status(socket)))).toMatchObject({ hangs: true })
    for (const one of waiting) one.destroy()
    hanging.kill("SIGKILL")
    await once(hanging, "close")
    expect(await Effect.runPromise(Effect.flip(ControlClient.status(socket)))).toMatchObject({ hangs: false })
  }
)

it("survives connections that cannot be taken, such as with too many open files, however many", async () => {
  const listen = vi.spyOn(Server.prototype, "listen")
  const end = await serve(Effect.succeed(0))
  const [server] = listen.mock.contexts
  listen.mockRestore()
  if (!(server instanceof Server)) throw new Error("it listens nowhere")
  for (let n = 0; n < 3; n++) server.emit("error", new Error("accept EMFILE"))
  expect(await told(["history"])).toMatchObject({ right: 0 })
  await end()
})

it("tells whoever waits for a command that broke with a defect, and goes on", async () => {
  const { close, end, heard } = await running("history", Effect.die(new Error("its files are gone")))
  const late = new Promise((wake) => setTimeout(wake, 5000, "nobody told"))
  expect(await Promise.race([end, late])).toMatchObject({ right: 1 })
  expect(heard.join("")).toContain("bidhelm run has a defect, its log says which")
  expect(await told(["history"])).toMatchObject({ right: 1 })
  await close()
})
