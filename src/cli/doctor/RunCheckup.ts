/** What `doctor` looks at for `bidhelm run`: whether one runs, could start, has anything to do, and may send. */
import { accessSync, constants } from "node:fs"
import { createServer } from "node:net"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Plural from "../../domain/Plural.js"
import * as When from "../../domain/When.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import * as PolicyJobs from "../../engine/planning/PolicyJobs.js"
import * as Settings from "../../runtime/Settings.js"
import * as Folder from "../../store/clients/Folder.js"
import * as ProcessLock from "../../store/clients/ProcessLock.js"
import * as Account from "../account/Account.js"
import * as AccountMarks from "../account/AccountMarks.js"
import * as Holder from "../account/Holder.js"
import type * as Config from "../config/Config.js"
import * as Secrets from "../config/Secrets.js"
import * as ControlClient from "../daemon/ControlClient.js"
import * as RunFolder from "../daemon/RunFolder.js"
import * as RunStatus from "../daemon/RunStatus.js"
import { type Finding, problem, well } from "./Finding.js"

/**
 * One finding per thing; `rules` is undefined when they have errors, and the store is not open when it cannot be, which
 * other checks tell.
 */
export const run = (config: Config.Config, rules: RuleSet | undefined, isStoreOpen: boolean) =>
  Effect.gen(function* () {
    const looksOnly = !isStoreOpen && config.store._tag === "Sqlite"
    return [
      ...(looksOnly ? yield* running(config) : yield* beside(config)),
      ...(yield* timetable(config, rules)),
      ...stopFile(config),
      ...(isStoreOpen ? yield* holds(config) : [])
    ]
  })

/** The folder of lock and socket, and who runs there or could. */
const beside = (config: Config.Config) =>
  Effect.gen(function* () {
    const folder = writable(dirname(RunFolder.lock(config)))
    return [folder, ...(folder.well ? yield* runner(config) : [])]
  })

/** One that runs. Lock and socket are beside the file that cannot be opened: they would fail for the same reason. */
const running = (config: Config.Config) =>
  ControlClient.status(RunFolder.socket(config)).pipe(
    Effect.map((status) => told(RunStatus.read(status))),
    Effect.orElseSucceed((): ReadonlyArray<Finding> => [])
  )

const writable = (folder: string): Finding => {
  try {
    Folder.make(folder)
    accessSync(folder, constants.W_OK | constants.X_OK)
    return well("run folder", `${folder} can be written`)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return problem(
      "run folder",
      `lock and socket have no place: ${why}`,
      "let this user write there, or say machine_folder (beside PostgreSQL) or another store"
    )
  }
}

/** The one that runs and what it says of itself; else whether one could begin. */
const runner = (config: Config.Config) =>
  Effect.gen(function* () {
    const asked = yield* Effect.either(ControlClient.status(RunFolder.socket(config)))
    if (Either.isRight(asked)) return told(RunStatus.read(asked.right))
    const free = yield* ProcessLock.hold(RunFolder.lock(config), Holder.name()).pipe(
      Effect.scoped,
      Effect.match({
        onSuccess: () => well("run", "none runs here; one can start"),
        onFailure: (error) =>
          error._tag === "Locked"
            ? problem(
                "run",
                `${error.holder} has the lock and does not answer`,
                "wait a moment; if it stays so, look at its log and end that process"
              )
            : problem("run", error.message, "check the folder and the free space of its disk")
      })
    )
    return free.well ? [free, ...(yield* ports(config)), ...(yield* key(config))] : [free]
  })

const told = (status: RunStatus.Status | undefined): ReadonlyArray<Finding> => {
  if (status === undefined) {
    return [problem("run", "another version of bidhelm runs here", "restart bidhelm run")]
  }
  const broken = status.accounts.flatMap(({ account, stoppedWhy }) =>
    stoppedWhy === undefined ? [] : [problem(`run of ${account}`, stoppedWhy, "bidhelm status tells more")]
  )
  return [well("run", `runs, pid ${status.pid}`), ...broken]
}

/** Addresses that a runner listens at; on SQLite it needs none for others. */
const ports = ({ runner, store }: Config.Config) => {
  const listen = runner?.listen ?? Settings.defaults.listen
  const wanted = [
    ...(store._tag === "Postgres" ? [["listen", listen] as const] : []),
    ...(runner?.http === undefined ? [] : [["http", runner.http] as const])
  ]
  return Effect.forEach(wanted, ([key, address]) => port(key, address))
}

/** Whoever runs finds out at the start that the figures' key cannot be used; better now. */
const key = ({ runner }: Config.Config) => {
  if (runner?.httpKey === undefined) return Effect.succeed([])
  return Secrets.readHealthKey(runner.httpKey, process.env).pipe(
    Effect.match({
      onFailure: ({ message }) => [
        problem("runner: http_key", message, "mend it, or bidhelm run does not start")
      ],
      onSuccess: () => [well("runner: http_key", "the key is there")]
    })
  )
}

const port = (key: string, { host, port }: Config.Address) =>
  Effect.async<Finding>((resume) => {
    const check = `runner: ${key}`
    const server = createServer()
    server.once("error", ({ message }) =>
      resume(
        Effect.succeed(
          problem(check, `cannot be used: ${message}`, `choose another address of this machine as ${key}`)
        )
      )
    )
    server.listen({ host, port, exclusive: true }, () =>
      server.close(() => resume(Effect.succeed(well(check, `${host}:${port} is free`))))
    )
  })

const timetable = (config: Config.Config, rules: RuleSet | undefined) =>
  Effect.map(accountsMs(config), (nowMs): ReadonlyArray<Finding> => {
    if (rules === undefined) return []
    const policies = PolicyJobs.scheduled(rules)
    if (policies === 0) {
      return [well("timetable", "no policy has a schedule: bidhelm run would change nothing by itself")]
    }
    const count = `${Plural.of(policies, "policy", "policies")} ${Plural.choose(policies, "has", "have")} a schedule`
    const next = nowMs === undefined ? undefined : PolicyJobs.next(rules, nowMs)
    if (next === undefined) return [well("timetable", count)]
    return [
      well("timetable", `${count}; the next turn is ${When.text(next, config.timeZone)} ${config.timeZone}`)
    ]
  })

/** The instant by which due times are counted: a sandbox's own; undefined when it does not answer, as another check tells. */
const accountsMs = (config: Config.Config) =>
  Account.earliestMs(config).pipe(Effect.orElseSucceed(() => undefined))

const stopFile = (config: Config.Config): ReadonlyArray<Finding> => {
  const stopped = RunFolder.stopped(config)
  return stopped === undefined ? [] : [problem("stop", "nothing is sent", stopped.says)]
}

/**
 * What people have stopped and may have forgotten. It is what they asked for, so it is no problem that ends `doctor`
 * with 1; it is one when nobody can tell.
 */
const holds = (config: Config.Config) =>
  Effect.gen(function* () {
    // Without the accounts' instant a hold that may be over is shown, with its end.
    const nowMs = (yield* accountsMs(config)) ?? 0
    const stops = yield* AccountMarks.stops(config, nowMs)
    return stops.map(
      (stop): Finding => ({
        ...well(`hold of ${stop.account}`, `Attention: ${AccountMarks.stopText(stop, config.timeZone)}`),
        todo: `when it is time: ${stop.resume}`
      })
    )
  }).pipe(
    Effect.catchAll(({ message }) =>
      Effect.succeed([problem("holds", `were not looked at: ${message}`, "mend what it says and ask again")])
    )
  )
