/** `bidhelm history`: runs, the changes of one run, or those of all runs that fit; and the audit chain. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { Journal } from "../../engine/door/Journal.js"
import type * as Config from "../config/Config.js"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import { stop } from "../terminal/Stop.js"
import * as HistoryFilter from "./HistoryFilter.js"

const run = Flags.optionalArgument("run", "The run to show with its changes; without it the runs are listed")
const limit = Flags.integer(
  "limit",
  `How many runs or changes, the latest first; ${HistoryFilter.usualLimit} unless it is said`
)
const before = Flags.text(
  "before",
  "The next page: runs before this RUN, or changes before this RUN/CHANGE or RUN"
)

const verify = Flags.flag("verify", "Check the audit chain; ends with 1 when something was changed behind it")
const exported = Flags.text("export", "Write everything as lines of JSON to a new file, or to - for stdout")

const common = { limit, before, verify, exported, json: Flags.json, config: Flags.config }

export const command = Command.make(
  "history",
  { run, ...HistoryFilter.options, ...common, account: Flags.account },
  function* (written) {
    const flags = { ...written, limit: Option.getOrElse(written.limit, () => HistoryFilter.usualLimit) }
    const Workspace = yield* Effect.promise(() => import("../config/Workspace.js"))
    const Store = yield* Effect.promise(() => import("../store/Store.js"))
    const config = yield* Workspace.config(flags.config)
    if (HistoryFilter.isAsked(flags)) return yield* changes(flags, config)
    const problems = HistoryFilter.misfits({ ...flags, isLimited: Option.isSome(written.limit) })
    if (problems.length > 0) return yield* stop(1, problems.join("\n"))
    const account = yield* accountOf(flags, config)
    if (flags.verify || Option.isSome(flags.exported)) {
      const Audit = yield* Effect.promise(() => import("./HistoryAudit.js"))
      const work = Option.match(flags.exported, {
        onNone: () => Audit.verify(account, flags.json, Store.serialPath(config)),
        onSome: (place) => Audit.exportTo(place, account, flags.json)
      })
      yield* Effect.provide(Store.migrate(config.store), Store.client(config.store))
      return yield* Effect.provide(work, Store.reading(config.store))
    }
    const Pages = yield* Effect.promise(() => import("./HistoryPages.js"))
    const read = Option.match(flags.run, {
      onNone: () =>
        Pages.runs(account, {
          ...flags,
          before: Option.getOrUndefined(flags.before),
          zone: config.timeZone
        }),
      onSome: (runId) =>
        Effect.zipRight(belongs(runId, account), Pages.run(runId, config.currency, flags.json))
    })
    yield* Effect.provide(read, Store.layer(config))
  }
)

interface Asked extends HistoryFilter.Written {
  readonly account: Option.Option<string>
  readonly before: Option.Option<string>
  readonly json: boolean
  readonly config: string
}

/** The account that is named; all of them when none is. */
const accountOf = ({ account }: Pick<Asked, "account">, config: Config.Config) =>
  Effect.gen(function* () {
    const Workspace = yield* Effect.promise(() => import("../config/Workspace.js"))
    return Option.isNone(account) ? undefined : (yield* Workspace.account(config, account)).name
  })

/** Whoever names an account wants no run of another one; a run that is not there is told of elsewhere. */
const belongs = (runId: string, account: string | undefined) =>
  Effect.gen(function* () {
    if (account === undefined) return
    const journal = yield* Journal
    const [row] = yield* journal.rows(runId)
    const found = row ?? (yield* journal.runs(undefined, 10_000)).find((run) => run.runId === runId)
    if (found === undefined || found.account === account) return
    return yield* stop(
      1,
      `run ${runId} is of the account ${found.account}, not of ${account}; leave --account out, or see the runs of ${account} with: bidhelm history --account ${account}`
    )
  })

const changes = (flags: Asked, config: Config.Config) =>
  Effect.gen(function* () {
    const Store = yield* Effect.promise(() => import("../store/Store.js"))
    const Pages = yield* Effect.promise(() => import("./HistoryPages.js"))
    const account = yield* Effect.either(accountOf(flags, config))
    const asked = HistoryFilter.read(flags, Either.getOrUndefined(account), config.timeZone)
    if (Either.isLeft(account) || Either.isLeft(asked)) {
      const problems = [
        ...(Either.isLeft(account) ? [`--account: ${account.left.message}`] : []),
        ...(Either.isLeft(asked) ? asked.left : [])
      ]
      return yield* stop(1, problems.join("\n"))
    }
    yield* Effect.provide(Pages.changes(asked.right, flags, config.currency), Store.layer(config))
  })
