/** What a command does at the door of a running program before anything of the command itself. */
import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as ControlClient from "../../../src/cli/daemon/ControlClient.js"
import * as ControlServer from "../../../src/cli/daemon/ControlServer.js"
import * as Forward from "../../../src/cli/daemon/Forward.js"
import * as Output from "../../../src/cli/terminal/Output.js"

const configuration = `version: 1
accounts:
  - name: main
    token: {env: BIDHELM_TOKEN}
hosts: {advert: "https://advert.example", calendar: "https://calendar.example"}
`

let folder: string
let config: string
let socket: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "bidhelm-forward-")))
  config = join(folder, "bidhelm.yaml")
  socket = join(folder, ".bidhelm", "run.sock")
  writeFileSync(config, configuration)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Gives a command its configuration, and hears what is said beside the answer. */
const attempt = async (...words: ReadonlyArray<string>) => {
  let said = ""
  const err = (text: string) => {
    said += text
  }
  const asked = Effect.either(Forward.attempt([...words, "--config", config]))
  return { ...(await Effect.runPromise(Output.into({ out: err, err })(asked))), said }
}

/** Serves for as long as `use` takes; answers the commands that came. */
const served = async (use: () => Promise<void>): Promise<ReadonlyArray<string>> => {
  const came: Array<string> = []
  const scope = Effect.runSync(Scope.make())
  await Effect.runPromise(
    ControlServer.serve(socket, {
      status: Effect.succeed({}),
      command: (argv) =>
        Effect.sync(() => {
          came.push(argv.slice(0, -2).join(" "))
          return 0
        }),
      isStopping: Effect.succeed(false),
      changed: () => undefined,
      config
    }).pipe(Scope.extend(scope))
  )
  await use().finally(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return came
}

describe("a command beside a running program", () => {
  it.each(["undo 3f --out undo.json", "undo 3f --out=undo.json", "apply p --yes"])(
    "asks nothing, so goes there: %s",
    (line) =>
      served(async () => {
        expect(await attempt(...line.split(" "))).toMatchObject({ right: true })
      }).then((came) => expect(came).toEqual([line]))
  )

  it("that would ask is refused there", () =>
    served(async () => {
      const why = expect.stringContaining("cannot ask you. Give --yes")
      expect(await attempt("undo", "3f")).toMatchObject({ left: { _tag: "Stop", message: why } })
    }).then((came) => expect(came).toEqual([])))

  it.each([
    ["apply", "bidhelm plan --out plan.json, then bidhelm apply plan.json --yes"],
    ["undo 3f", "bidhelm undo with --out undo.json, then bidhelm apply undo.json --yes"]
  ])("is told how to look first by the command it is: %s", async (line, todo) => {
    await served(async () => {
      const message = expect.stringContaining(todo)
      expect(await attempt(...line.split(" "))).toMatchObject({ left: { message } })
    })
  })

  it("says itself what is wrong with a configuration that cannot be read", async () => {
    rmSync(config)
    expect(await attempt("plan")).toMatchObject({ right: false })
    mkdirSync(config)
    expect(await attempt("plan")).toMatchObject({ right: false })
  })
})

const isRoot = process.geteuid?.() === 0

/**
 * Runs as a user that may not open the door: root as another one, any other without the right to. That user stands in a
 * folder that cannot be entered from above, as after `sudo -u` in somebody's home.
 */
const asStranger = async (use: () => Promise<void>) => {
  const home = join(folder, "home")
  const here = process.cwd()
  mkdirSync(join(home, "shop"), { recursive: true })
  process.chdir(join(home, "shop"))
  chmodSync(home, isRoot ? 0o700 : 0)
  chmodSync(folder, 0o755)
  chmodSync(join(folder, ".bidhelm"), 0o755)
  chmodSync(socket, isRoot ? 0o600 : 0)
  if (isRoot) process.seteuid?.(65_534)
  await use().finally(() => {
    if (isRoot) process.seteuid?.(0)
    chmodSync(home, 0o700)
    process.chdir(here)
  })
}

describe("the door of another user", () => {
  it.each(["apply --yes", "undo 3f", "restore backup.gz", "plan"])(
    "ends a command, and says what to do: %s",
    (line) =>
      served(() =>
        asStranger(async () => {
          const why = isRoot ? `give the command as that user: sudo -u root bidhelm` : "mend the permissions"
          expect(await attempt(...line.split(" "))).toMatchObject({
            left: { _tag: "Stop", code: 1, message: expect.stringContaining(why) }
          })
        })
      ).then((came) => expect(came).toEqual([]))
  )

  it("keeps nobody from stopping what is sent", () =>
    served(() =>
      asStranger(async () => {
        const { said, ...ended } = await attempt("kill")
        expect(ended).toMatchObject({ right: false })
        expect(said).toContain("going on without it")
        expect(said).toContain(socket)
        expect(said).toContain("stops all sending")
        expect((await attempt("resume", "--kill")).said).not.toContain("stops all sending")
      })
    ).then((came) => expect(came).toEqual([])))

  it("is told from one where nobody is", async () => {
    expect(await Effect.runPromise(Effect.flip(ControlClient.status(socket)))).toMatchObject({
      hangs: false
    })
    expect(await Effect.runPromise(Effect.flip(ControlClient.status(socket)))).not.toHaveProperty("foreign")
  })

  it("is told by the owner's name, or number where there is no name", () => {
    if (isRoot) chownSync(config, 4_000_001, -1)
    const owned = isRoot ? config : "/"
    expect(ControlClient.whyForeign(owned, "EACCES")).toBe(
      `${owned}, the socket of bidhelm run, belongs to another user, ${isRoot ? "number 4000001" : "root"}; give the command as that user: sudo -u ${isRoot ? "'#4000001'" : "root"} bidhelm …`
    )
  })
})
