/** A PostgreSQL server with a copy that follows it, behind one address: as a cloud's database with a failover. */
import { execFileSync } from "node:child_process"
import { appendFileSync, rmSync, writeFileSync } from "node:fs"
import { createConnection, createServer, type Socket } from "node:net"
import { join } from "node:path"
import * as PostgresServer from "../store/PostgresServer.js"
import { freePort, until } from "./Waiting.js"

const password = "failover"

export interface Pair {
  /** Of a database on whichever server is the primary now; the password is `password`. */
  readonly url: string
  readonly password: string
  /** Waits until the copy has all that was committed, and stops it: what comes later is only on the primary. */
  readonly leaveBehind: () => Promise<void>
  /** The primary dies, and the copy takes its place at the same address. */
  readonly failOver: () => Promise<void>
  readonly remove: () => Promise<void>
}

const settings = [
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "fsync=off",
  "shared_buffers=32MB"
]

/** Rows of one question; undefined while the server does not answer. */
const ask = async (port: number, text: string, database = "postgres") => {
  const url = `postgres://bidhelm@127.0.0.1:${port}/${database}`
  const rows = await PostgresServer.ask({ url, password }, text).catch(() => undefined)
  return rows?.[0]
}

export const start = async (): Promise<Pair> => {
  const place = PostgresServer.place("bidhelm-failover-")
  const { folder } = place
  const ports = [await freePort(), await freePort()] as const
  const options = { user: "bidhelm", password, initdb: ["--encoding=UTF8", "--locale=C"], settings }
  await PostgresServer.create(place, "first", { ...options, port: ports[0] })
  const first = PostgresServer.of(place, "first", { ...options, port: ports[0] })
  // A copy of files at rest; then it follows.
  execFileSync("cp", ["-a", join(folder, "first"), join(folder, "second")])
  await first.start()
  await ask(ports[0], "CREATE DATABASE shop")
  const second = PostgresServer.of(place, "second", { ...options, port: ports[1] })
  writeFileSync(join(folder, "second/standby.signal"), "")
  appendFileSync(
    join(folder, "second/postgresql.auto.conf"),
    `primary_conninfo = 'host=127.0.0.1 port=${ports[0]} user=bidhelm password=${password}'\n`
  )
  await second.start()
  const address = await forward(ports[0])
  return {
    url: `postgres://bidhelm@127.0.0.1:${address.port}/shop`,
    password,
    leaveBehind: async () => {
      const at = await ask(ports[0], "SELECT pg_current_wal_flush_lsn()::text AS lsn")
      await until(
        async () =>
          (await ask(ports[1], `SELECT pg_last_wal_replay_lsn() >= '${String(at?.lsn)}' AS there`))?.there ===
          true
      )
      await second.stop()
    },
    failOver: async () => {
      await first.stop()
      await second.start()
      await until(async () => (await ask(ports[1], "SELECT pg_promote(true, 60) AS done"))?.done === true)
      address.lead(ports[1])
    },
    remove: async () => {
      address.close()
      await first.stop()
      await second.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** One address that leads to one port, and later to another; then every connection through it ends. */
const forward = (to: number) =>
  new Promise<{ readonly port: number; readonly lead: (to: number) => void; readonly close: () => void }>(
    (resolve) => {
      let target = to
      const sockets = new Set<Socket>()
      const end = () => {
        for (const socket of sockets) socket.destroy()
      }
      const door = createServer((near) => {
        const far = createConnection({ host: "127.0.0.1", port: target })
        for (const [one, other] of [
          [near, far],
          [far, near]
        ] as const) {
          sockets.add(one)
          one.pipe(other)
          one.on("error", () => other.destroy())
          one.on("close", () => {
            other.destroy()
            sockets.delete(one)
          })
        }
      })
      door.listen(0, "127.0.0.1", () => {
        const address = door.address()
        resolve({
          port: typeof address === "object" && address !== null ? address.port : 0,
          lead: (next) => {
            target = next
            end()
          },
          close: () => {
            end()
            door.close()
          }
        })
      })
    }
  )
