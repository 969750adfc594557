/**
 * A real PostgreSQL server of one's own for a test: started in about a second in a folder that vanishes, one fresh
 * database per question, stopped and started again at will. Words are sorted as in a Russian dictionary, not by bytes,
 * so that a store which relies on the server's order is found out.
 */
import { rmSync } from "node:fs"
import { freePort } from "../faults/Waiting.js"
import * as PostgresServer from "./PostgresServer.js"

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
export const start = async (programs?: string): Promise<Server> => {
  const place = PostgresServer.place("bidhelm-postgres-", programs)
  const remove = () => rmSync(place.folder, { recursive: true, force: true })
  const port = await freePort()
  const options = { port, user: "bidhelm", password, initdb, settings }
  const server = PostgresServer.of(place, "data", options)
  try {
    await PostgresServer.create(place, "data", options)
    await server.start()
  } catch (cause) {
    remove()
    throw cause
  }
  const address = `postgres://bidhelm@127.0.0.1:${port}`
  let databases = 0
  return {
    port,
    fresh: async (like) => {
      const name = `test_${++databases}`
      const template = like === undefined ? "template1" : new URL(like).pathname.slice(1)
      await PostgresServer.ask(
        { url: `${address}/postgres`, password },
        `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`
      )
      return `${address}/${name}`
    },
    stop: server.stop,
    restart: server.start,
    remove: async () => {
      // Its databases are a gigabyte, which a busy disk takes minutes to let go: nobody waits for that.
      if (!server.giveUp()) remove()
    }
  }
}

const initdb = ["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=ru-RU"]

/** Nothing has to survive the machine here. */
const settings = [
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "fsync=off",
  "full_page_writes=off",
  "shared_buffers=32MB",
  "max_connections=100"
]
