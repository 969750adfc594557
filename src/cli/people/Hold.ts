/** `bidhelm hold`, `kill`, `resume` and `holds`: the rules leave something alone until somebody says otherwise. */
import { dirname, join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as OperatorHold from "../../engine/kinds/OperatorHold.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as Command from "../terminal/Command.js"
import * as Duration from "../terminal/Duration.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import * as HoldScope from "./HoldScope.js"

const forTime = Flags.text("for", "How long, such as 3h or 3d; until somebody lifts it when left out")

export const command = Command.make(
  "hold",
  {
    ...HoldScope.options,
    for: forTime,
    why: HoldScope.why("for whoever meets the hold"),
    ...HoldScope.place
  },
  function* (flags) {
    const scope = yield* HoldScope.read(flags)
    const ms = Option.map(flags.for, Duration.parse)
    if (Option.isSome(ms) && (ms.value === undefined || ms.value === 0))
      return yield* stop(
        1,
        `--for ${Option.getOrElse(flags.for, () => "")}: write a duration such as 90m, 3h or 3d`
      )
    const ids = yield* HoldScope.idsWithout(flags.config, scope)
    yield* HoldScope.during(flags, (account, zone, store, accounts) =>
      Effect.gen(function* () {
        if (ids !== undefined) yield* strange(scope, ids)
        const why = Option.getOrUndefined(flags.why)
        yield* placed({ account, accounts, zone, scope, forMs: Option.getOrUndefined(ms), why }, flags.json)
        yield* doubted(account, scope)
        yield* empty(account, store)
      })
    ).pipe(Effect.tapErrorTag("StoreFailure", () => otherWay(flags.config, true)))
  }
)

/** Refuses a policy of which neither the rules nor the journal know: mostly its id is mistyped. */
const strange = ({ what }: OperatorHold.Scope, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { ChangeLog } = yield* Effect.promise(() => import("../../engine/door/ChangeLog.js"))
    const there = `there ${ids.length === 0 ? "is none" : `are: ${ids.join(", ")}`}. The id of a policy is the name of its file without the ending`
    const made = yield* (yield* ChangeLog).policies
    if (!made.includes(what))
      return yield* stop(1, cleanLine(`nothing was put on hold: there is no policy ${what}; ${there}`))
    yield* Output.note(
      cleanLine(
        `Attention: no rule has the id ${what} now; its earlier changes are in the journal, so the hold stands; ${there}.`
      )
    )
  })

/** Says so when nothing is known of a target, once it is held. What cannot be looked up is no trouble of the hold's. */
const doubted = (account: string, { kind, what }: OperatorHold.Scope) =>
  Effect.gen(function* () {
    if (kind !== "target") return
    const HoldTarget = yield* Effect.promise(() => import("./HoldTarget.js"))
    const doubt = yield* Effect.orElseSucceed(HoldTarget.unknown(account, what), () => undefined)
    if (doubt !== undefined) yield* Output.note(doubt)
  })

/** Says so when nothing was ever planned with this store: one that runs may have another. The kill stands whatever this finds. */
const empty = (account: string, store: string) =>
  Effect.gen(function* () {
    const { Journal } = yield* Effect.promise(() => import("../../engine/door/Journal.js"))
    const { Snapshots } = yield* Effect.promise(() => import("../../engine/planning/Snapshots.js"))
    const { TokenMemory } = yield* Effect.promise(() => import("../../services/ports/TokenMemory.js"))
    if ((yield* (yield* TokenMemory).bindings).some((one) => one.account === account)) return
    if ((yield* (yield* Snapshots).days(account)).length > 0) return
    if ((yield* (yield* Journal).runs(account, 1)).length > 0) return
    yield* Output.note(
      cleanLine(
        `Attention: nothing was ever planned for ${account} with the store ${store}. A bidhelm run that began with another store goes on sending: end it with the signal TERM, or make the file STOP beside its store.`
      )
    )
  }).pipe(Effect.ignore)

interface Asked {
  readonly account: string
  /** How many the configuration has. */
  readonly accounts: number
  readonly zone: string
  readonly scope: OperatorHold.Scope
  readonly forMs: number | undefined
  readonly why: string | undefined
}

/** Places a hold in the name of whoever is at the keyboard, and says what it does and how it ends. */
const placed = ({ account, accounts, forMs, scope, why, zone }: Asked, json: boolean) =>
  Effect.gen(function* () {
    const { Holdings } = yield* Effect.promise(() => import("../../engine/door/HoldStore.js"))
    const since = yield* Clock.currentTimeMillis
    const hold: OperatorHold.OperatorHold = {
      account,
      ...scope,
      since,
      by: HoldScope.person(),
      ...(forMs === undefined ? {} : { until: since + forMs }),
      ...(why === undefined ? {} : { why })
    }
    const before = yield* (yield* Holdings).place(hold)
    const stands = scope.kind === "kill" ? yield* switched(hold) : hold
    if (json) return yield* Output.json("hold", { hold: stands, replaced: before ?? null })
    yield* Output.text(cleanLine(`${OperatorHold.scopeText(scope)}: ${OperatorHold.text(stands, zone)}`))
    if (before !== undefined && scope.kind !== "kill")
      yield* Output.note(cleanLine(OperatorHold.replacedText(before, stands.until, zone)))
    if (Math.floor(stands.since) !== Math.floor(since))
      yield* Output.note(
        `It was on already${why === undefined ? "" : "; its reason is the new one, its beginning stays"}.`
      )
    yield* Output.note(
      `${scope.kind === "kill" ? "Nothing is sent for" : "Its changes are planned and shown, not made, for"} ${account}. Lift it with: ${OperatorHold.resumeWith(scope, { account, accounts })}`
    )
  })

/** The kill switch as it stands now: one that was on already keeps its beginning. */
const switched = (hold: OperatorHold.OperatorHold) =>
  Effect.gen(function* () {
    const { Journal } = yield* Effect.promise(() => import("../../engine/door/Journal.js"))
    const holds = yield* (yield* Journal).standing(hold.account)
    return holds.find(({ kind }) => kind === "kill") ?? hold
  })

// `bidhelm kill`: every process that uses this store sends nothing more for the account.

export const killCommand = Command.make(
  "kill",
  { why: HoldScope.why("for whoever finds it stopped"), ...HoldScope.place },
  function* (flags) {
    yield* HoldScope.during(flags, (account, zone, store, accounts) => {
      const why = Option.getOrUndefined(flags.why)
      const asked = {
        account,
        accounts,
        zone,
        scope: { kind: "kill", what: "" },
        forMs: undefined,
        why
      } as const
      return Effect.zipRight(placed(asked, flags.json), empty(account, store))
    }).pipe(Effect.tapError(({ _tag }) => otherWay(flags.config, _tag === "StoreFailure")))
  }
)

/** A store that is away, or a configuration that cannot be read, keeps nobody from stopping. */
const otherWay = (path: string, isAway: boolean) =>
  Effect.gen(function* () {
    const ConfigChange = yield* Effect.promise(() => import("../daemon/ConfigChange.js"))
    const RunFolder = yield* Effect.promise(() => import("../daemon/RunFolder.js"))
    const config = ConfigChange.now(path)
    if (config === undefined) {
      const usual = RunFolder.stopFile({ storePath: join(dirname(path), ".bidhelm/bidhelm.sqlite") })
      return yield* Output.note(
        `Nothing was stopped. Without ${path}: send the process of bidhelm run the signal TERM, or make the file STOP beside its store, which is ${usual} unless store or machine_folder says otherwise.`
      )
    }
    yield* Output.note(
      `Nothing was stopped.${isAway ? ` Without the store: the file ${RunFolder.stopFile(config)} stops all sending of this machine; each machine has one of its own.` : ""}`
    )
  })

// `bidhelm holds`: everything that is left alone now, and why.

const allFlag = Flags.flag("all", "A line for each value that somebody else set, instead of one per campaign")

export const holdsCommand = Command.make("holds", { all: allFlag, ...HoldScope.place }, function* (flags) {
  yield* HoldScope.during(flags, (account, zone, _store, accounts) =>
    Effect.gen(function* () {
      const Stopped = yield* Effect.promise(() => import("../../engine/planning/Stopped.js"))
      const Holds = yield* Effect.promise(() => import("../../reporting/people/Holds.js"))
      const nowMs = yield* Clock.currentTimeMillis
      const stops = yield* Stopped.remembered(account)
      const forMs = yield* HoldScope.editHoldMs(flags.config)
      const Forecasts = yield* Effect.promise(() => import("../../engine/planning/Forecasts.js"))
      const looking = yield* Forecasts.fallen(account)
      const shown = { ...Holds.standing(stops, forMs, nowMs), looking }
      yield* flags.json
        ? Output.json("holds", { account, ...shown })
        : Output.text(Holds.text(account, shown, zone, flags.all, accounts))
    })
  )
})

// `bidhelm resume`: lifts a hold, the kill switch, or what is left alone because somebody changed it.

const killFlag = Flags.flag("kill", "The kill switch")

export const resumeCommand = Command.make(
  "resume",
  { ...HoldScope.options, kill: killFlag, ...HoldScope.place },
  function* (flags) {
    const named = yield* HoldScope.read(flags)
    if (flags.kill && named.kind !== "account")
      return yield* stop(1, "--kill is about the whole account; leave --policy and --target out")
    const scope: OperatorHold.Scope = flags.kill ? { kind: "kill", what: "" } : named
    yield* HoldScope.during(flags, (account) => lifted(account, scope, flags.json))
  }
)

const lifted = (account: string, scope: OperatorHold.Scope, json: boolean) =>
  Effect.gen(function* () {
    const { Holdings } = yield* Effect.promise(() => import("../../engine/door/HoldStore.js"))
    const { Journal } = yield* Effect.promise(() => import("../../engine/door/Journal.js"))
    const Stops = yield* Effect.promise(() => import("../../engine/decide/limits/Stops.js"))
    const holdings = yield* Holdings
    const nowMs = yield* Clock.currentTimeMillis
    const by = HoldScope.person()
    const holds = yield* holdings.lift(account, scope, by, nowMs)
    const Stopped = yield* Effect.promise(() => import("../../engine/planning/Stopped.js"))
    yield* Stopped.remembered(account)
    const Forecasts = yield* Effect.promise(() => import("../../engine/planning/Forecasts.js"))
    const looking = (yield* Forecasts.fallen(account)).filter((one) => Forecasts.isMeant(one, scope))
    const forecasts = looking.map(({ budget, policy }) => ({ policy, budget }))
    if (forecasts.length > 0) yield* holdings.forgiveForecasts(account, forecasts, by, nowMs)
    const edits = scope.kind === "target" ? yield* holdings.forgive(account, scope.what, by, nowMs) : []
    const left = (yield* (yield* Journal).stops(account)).holds.filter((hold) =>
      OperatorHold.isStanding(hold, nowMs)
    )
    if (json) return yield* Output.json("resume", { holds, edits, forecasts, left })
    const HeldReasons = yield* Effect.promise(() => import("../../reporting/HeldReasons.js"))
    const what = [
      ...holds.map((hold) => `lifted the hold on ${OperatorHold.scopeText(hold)}`),
      ...(edits.length > shownOneByOne
        ? [`the rules have ${edits.length} values at or below ${scope.what} again`]
        : edits.map(({ slot }) => `the rules have ${Stops.targetOf(slot)} again`)),
      ...forecasts.map(
        (one) => `${one.policy} acts again for ${HeldReasons.budgetText(one)}; its forecasts are judged anew`
      )
    ]
    if (what.length === 0) yield* Output.text(cleanLine(nothingOn(scope, OperatorHold.scopeText(scope))))
    else yield* Output.text(what.map(cleanLine).join("\n"))
    if (left.length > 0)
      yield* Output.note(
        cleanLine(`Still on hold: ${left.map(OperatorHold.scopeText).join(", ")}; bidhelm holds shows them`)
      )
  })

const nothingOn = ({ kind }: OperatorHold.Scope, scopeText: string): string =>
  kind === "kill" ? "the kill switch is not on" : `there is no hold on ${scopeText}`

const shownOneByOne = 5
