/** The test server starts wherever the repository lies and whoever runs the tests, and leaves nothing behind. */
import { spawn } from "node:child_process"
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { buildSync } from "esbuild"
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { freePort, until } from "../faults/Waiting.js"
import * as Postgres from "./Postgres.js"
import * as PostgresServer from "./PostgresServer.js"

// Of mkdtemp, so that nobody else comes in.
let folder: string
const before = process.env.TMPDIR
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-private-"))
})
afterEach(() => {
  if (before === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = before
  rmSync(folder, { recursive: true, force: true })
})

const bundle = resolve("node_modules/.cache/bidhelm/postgres-child.mjs")

/** None for a folder that is gone, or goes while this looks. */
const filesIn = (place: string): ReadonlyArray<string> => {
  try {
    return readdirSync(place)
  } catch {
    return []
  }
}

/** A program that starts a server and lives on. */
const program = `
  import * as Server from "./PostgresServer.js"
  const place = Server.place("bidhelm-postgres-", process.argv[3])
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories="]
  const options = { port: Number(process.argv[2]), user: "bidhelm", password: "p", initdb: [], settings }
  await Server.create(place, "data", options)
  await Server.of(place, "data", options).start()
  console.log(place.folder)
`

beforeAll(() => {
  buildSync({
    stdin: { contents: program, resolveDir: resolve("test/store"), loader: "ts" },
    outfile: bundle,
    bundle: true,
    format: "esm",
    platform: "node",
    // The driver of PostgreSQL is CommonJS.
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);'
    },
    external: ["pg-native"],
    logLevel: "error"
  })
})

const copyPrograms = (programs: string) =>
  cpSync(join(PostgresServer.shipped(), ".."), join(programs, ".."), {
    recursive: true,
    verbatimSymlinks: true
  })

const question = async (server: Postgres.Server) =>
  PostgresServer.ask({ url: await server.fresh(), password: Postgres.password }, "SELECT 1 AS one")

describe("the PostgreSQL of the tests", () => {
  it("starts from a folder of this user's own, and in a path with spaces and letters of any script", async () => {
    const programs = join(folder, "моя лавка", "native", "bin")
    copyPrograms(programs)
    const server = await Postgres.start(programs)
    expect(await question(server)).toEqual([{ one: 1 }])
    await server.remove()
  })

  it("starts where TMPDIR is a folder of this user's own", async () => {
    process.env.TMPDIR = join(folder, "времени нет")
    mkdirSync(process.env.TMPDIR)
    const server = await Postgres.start()
    expect(await question(server)).toEqual([{ one: 1 }])
    await server.remove()
  })

  it("says at once why it cannot start, and leaves no folder", async () => {
    const open = join(folder, "open")
    mkdirSync(open)
    for (const one of [folder, open]) chmodSync(one, 0o755)
    process.env.TMPDIR = open
    const began = performance.now()
    await expect(Postgres.start(join(folder, "nothing"))).rejects.toThrow(/PostgreSQL cannot start: .*initdb/)
    const programs = join(folder, "native", "bin")
    mkdirSync(programs, { recursive: true })
    for (const name of ["initdb", "postgres"]) {
      const refuses = '#!/bin/sh\n[ "$1" = --version ] || { echo no room; exit 3; }\n'
      writeFileSync(join(programs, name), refuses, { mode: 0o755 })
    }
    await expect(Postgres.start(programs)).rejects.toThrow(
      /PostgreSQL did not make its data in .*\n.*no room/
    )
    expect(readdirSync(open)).toEqual([])
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  it.each(["where they are", "from a private folder"])(
    "is gone, with its folder, when the process that started it was killed: programs %s",
    async (where) => {
      const programs = where === "where they are" ? PostgresServer.shipped() : join(folder, "native", "bin")
      if (where !== "where they are") copyPrograms(programs)
      const child = spawn(process.execPath, [bundle, `${await freePort()}`, programs])
      const place = await new Promise<string>((heard) =>
        child.stdout.once("data", (text) => heard(`${text}`.trim()))
      )
      const pid = Number(readFileSync(join(place, "data", "postmaster.pid"), "utf8").split("\n")[0])
      expect(() => process.kill(pid, 0)).not.toThrow()
      child.kill("SIGKILL")
      // The keeper of root's server is nobody, who may empty the folder, but not remove it from a TMPDIR of root's own.
      await until(() => filesIn(place).length === 0)
      expect(() => process.kill(pid, 0)).toThrow("ESRCH")
    }
  )
})
