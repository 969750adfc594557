/** From the configured rules to a reviewed plan of one account, with what a person should know on the way. */
import { resolve } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type Lane, lanes } from "../../domain/Lane.js"
import * as Plural from "../../domain/Plural.js"
import * as TextOrder from "../../domain/TextOrder.js"
import * as Elsewhere from "../../engine/decide/Elsewhere.js"
import * as Deposits from "../../engine/decide/limits/Deposits.js"
import type { Plan } from "../../engine/decide/Plan.js"
import * as Review from "../../engine/decide/Review.js"
import { Journal } from "../../engine/door/Journal.js"
import * as Recover from "../../engine/door/Recover.js"
import * as Stopping from "../../engine/door/Stopping.js"
import { KillSwitch } from "../../engine/door/Stopping.js"
import * as Sources from "../../engine/facts/Sources.js"
import type { Table } from "../../engine/facts/Table.js"
import * as Budgets from "../../engine/gather/Budgets.js"
import * as Estimate from "../../engine/gather/Estimate.js"
import {
  type FactAnswer,
  FactMemory,
  FactSource,
  factRow,
  type SourceFailure
} from "../../engine/gather/FactSource.js"
import * as Gather from "../../engine/gather/Gather.js"
import * as Enrolment from "../../engine/kinds/Enrolment.js"
import * as Kinds from "../../engine/kinds/Kinds.js"
import * as MaxBid from "../../engine/language/MaxBid.js"
import type { Each, RuleSet } from "../../engine/language/Policy.js"
import * as AssemblyPlan from "../../engine/planning/AssemblyPlan.js"
import * as Cycle from "../../engine/planning/Cycle.js"
import * as DepositsMade from "../../engine/planning/DepositsMade.js"
import * as FloorsKept from "../../engine/planning/FloorsKept.js"
import * as LimitsKept from "../../engine/planning/LimitsKept.js"
import * as PolicyJobs from "../../engine/planning/PolicyJobs.js"
import { RuleMemory } from "../../engine/planning/RuleMemory.js"
import * as Stopped from "../../engine/planning/Stopped.js"
import * as Recipes from "../../marketplace/creates/Recipes.js"
import * as FactLoader from "../../marketplace/FactLoader.js"
import * as BoardReader from "../../marketplace/fulfilment/BoardReader.js"
import * as Writers from "../../marketplace/Writers.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as HandOverWords from "../../reporting/fulfilment/HandOverWords.js"
import * as Preview from "../../reporting/preview/Preview.js"
import * as RowReasons from "../../reporting/RowReasons.js"
import * as Catalogue from "../../services/Catalogue.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import type { TokenKind } from "../../services/Operation.js"
import * as Operation from "../../services/Operation.js"
import * as Account from "../account/Account.js"
import * as StopAt from "../account/StopAt.js"
import * as StopFile from "../account/StopFile.js"
import type { Config } from "../config/Config.js"
import * as BidSteps from "../limits/BidSteps.js"
import * as RuleFiles from "../rules/RuleFiles.js"
import * as Duration from "../terminal/Duration.js"
import * as Output from "../terminal/Output.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import { limited as limitedBy, type Stop, stop } from "../terminal/Stop.js"

/** Everything a plan and its application need beside the account itself. */
export const layer = (chosen: Account.Chosen, shared?: Account.Common) =>
  Layer.mergeAll(
    override(chosen.config.bidStep).pipe(Layer.provide(FactLoader.layer)),
    BoardReader.layer,
    Writers.layer(),
    Recipes.layerWhereabouts,
    StopFile.layer(
      {
        ...chosen.config,
        ...(chosen.rulesOfRun === undefined ? {} : { rulesOfRun: chosen.rulesOfRun })
      },
      chosen.name
    ),
    StopAt.layer
  ).pipe(Layer.provideMerge(Account.layer(chosen, shared)))

/** What names an account, and the folder of its rules. */
type Named = Account.Flags & { readonly rules: Option.Option<string> }

/**
 * The account and the rules that a command's options name, read by `load` (`again` does so once more, and tells only what is new), and the layers and the clock to
 * run something with them.
 */
export const open = (flags: Named, load: typeof RuleFiles.load = RuleFiles.load) =>
  Effect.gen(function* () {
    const chosen: Account.Chosen = {
      ...(yield* Account.choose(flags)),
      ...Option.match(flags.rules, { onNone: () => ({}), onSome: (rulesOfRun) => ({ rulesOfRun }) })
    }
    const again = RuleFiles.tellingOnce(load(Option.getOrElse(flags.rules, () => chosen.config.rulesFolder)))
    const rules = yield* again
    const within = <A, E, R>(use: Effect.Effect<A, E, R>) =>
      Account.during(chosen, Effect.provide(use, layer(chosen)))
    return { again, chosen, rules, within }
  })

/** As `open`, of what no policy has a say in; limits with errors end the command, for they may forbid everything; `kind` is that of its JSON answer. */
export const reach = (flags: Named & { readonly json: boolean }, kind: string) =>
  open(flags, RuleFiles.loadLimits(kind, flags.json))

/** As `open`, of what orders are assembled by; `kind` is that of its JSON answer. */
export const openToAssemble = (flags: Named & { readonly json: boolean }, kind: string) =>
  open(flags, RuleFiles.loadToAssemble(kind, flags.json))

/** A guess of the share of rows that survive the cheap conditions; only the announced estimate depends on it. */
const expectedSurvivors = 0.05
/** Shorter waits are not announced. */
const announcedMs = 10_000

/** Plans; failures of single sources are told on stderr, a refused token or an empty limit ends the command. */
export const plan = (chosen: Account.Chosen, rules: RuleSet, lane: Lane = "ads") =>
  Effect.gen(function* () {
    if (isOwn(chosen)) yield* LimitsKept.note(chosen.name, rules)
    const { open, reviewed } =
      lane === "orders" ? yield* planOrders(chosen, rules) : yield* planRules(chosen, rules, lane)
    return { open, reviewed }
  })

/** False for the rules of another folder: a look at them says nothing of the account's limits. */
export const isOwn = ({ config, rulesOfRun = config.rulesFolder }: Account.Chosen): boolean =>
  resolve(rulesOfRun) === resolve(config.rulesFolder)

/** A turn of the orders' lane, as it would be now; also what it leaves where it is, and why. */
export const planOrders = (chosen: Account.Chosen, rules: RuleSet) =>
  Effect.gen(function* () {
    const { config, name: account } = chosen
    const planned = yield* ProgressBar.shown(
      Stopping.unlessAsked(
        AssemblyPlan.make(rules, {
          account,
          currency: config.currency,
          zone: config.timeZone,
          isWhole: true
        })
      )
    )
    if (planned._tag === "Unread") return yield* ended(planned.failure)
    const fatal = planned.failures.find(({ stopsAccount }) => stopsAccount)
    yield* tellOthers(planned.failures, fatal)
    if (fatal !== undefined) return yield* ended(fatal)
    for (const { checked } of planned.stops)
      yield* Output.note(cleanLine(HandOverWords.ofStop(checked, config.timeZone)))
    const open = yield* Recover.open({ account, lane: "orders" })
    return { reviewed: planned.reviewed, open, left: planned.left }
  })

const planRules = (chosen: Account.Chosen, rules: RuleSet, lane: Lane) =>
  Effect.gen(function* () {
    const { tokenKind } = yield* MarketplaceClient
    const policies = ofLane(rules, lane)
    const spared = new Map([...(yield* sparedCalls(chosen.name)), ...BidSteps.spared(chosen.config)])
    const announce = (campaigns: number, table: (each: Each) => Table) => {
      const scopes = Estimate.scopes(policies, rules.limits, table, () => expectedSurvivors)
      return say(Estimate.of(campaigns, scopes, rules.limits, quota(tokenKind), spared))
    }
    const planned = yield* ProgressBar.shown(
      Stopping.unlessAsked(
        Cycle.plan(rules, {
          ...options(chosen, tokenKind),
          lane,
          currency: chosen.config.currency,
          onScope: announce
        })
      )
    )
    yield* tell(planned.gathered)
    yield* sameCurrency(chosen, planned.gathered.currency)
    return planned
  })

/** Calls that answers of earlier runs save, by source, as far as an announcement needs to know. */
const sparedCalls = (account: string) =>
  Effect.gen(function* () {
    const memory = yield* Effect.serviceOption(FactMemory)
    if (Option.isNone(memory)) return new Map<string, number>()
    const nowMs = yield* Clock.currentTimeMillis
    const kept = Object.values<Sources.Source>(Sources.sources).filter(({ isKept }) => isKept === true)
    const counted = yield* Effect.forEach(kept, ({ freshMinutes, id, oneCampaignPerCall }) =>
      Effect.map(memory.value.since(account, id, nowMs - freshMinutes * 60_000), (keys) => {
        const calls = oneCampaignPerCall ? new Set(keys.map((key) => key.split("/")[0])).size : keys.length
        return [id, calls] as const
      })
    )
    return new Map(counted)
  }).pipe(Effect.orElseSucceed(() => new Map<string, number>()))

/** Says of a lane without a policy why nothing is planned, and which lanes have some. */
export const idle = (chosen: Account.Chosen, rules: RuleSet, lane: Lane) => {
  if (idsOf(rules, lane).length > 0) return Effect.void
  const others = lanes.flatMap((one) => {
    const ids = idsOf(rules, one)
    return ids.length === 0
      ? []
      : [`${Account.told(chosen, `bidhelm plan --lane ${one}`)} (${ids.join(", ")})`]
  })
  return Output.note(
    `No policy of ${laneNames[lane]} is switched on, so nothing is planned. ${others.length === 0 ? "Set mode: preview in one of your rules" : `Others are: ${others.join(", ")}`}.`
  )
}

const laneNames: Readonly<Record<Lane, string>> = {
  ads: "advertising",
  orders: "orders",
  promotions: "promotions"
}

/** Ids of policies that are switched on. */
const idsOf = (rules: RuleSet, lane: Lane): ReadonlyArray<string> =>
  (lane === "orders" ? rules.fulfilment : ofLane(rules, lane)).map(({ id }) => id)

const ofLane = (rules: RuleSet, lane: Lane) =>
  rules.policies.filter((policy) => policy.mode !== "disabled" && PolicyJobs.laneOf(policy) === lane)

/**
 * A saved plan that this store did not make, judged by a plan made anew: only what the rules would do now in exactly the
 * same way is left; anything else ends the command with 1, each change by its name.
 */
export const judged = (chosen: Account.Chosen, rules: RuleSet, saved: Plan) =>
  Effect.gen(function* () {
    const { reviewed } = yield* plan(chosen, rules, Kinds.laneOf(saved.changes))
    const { observeOnly } = reviewed.plan
    if (observeOnly !== undefined) return yield* stop(1, `nothing was sent: ${observeOnly}`)
    const found = Elsewhere.judge(saved, reviewed)
    if (found._tag === "Refused") {
      const { strays } = found
      const near = RowReasons.around(reviewed.plan)
      for (const line of Preview.lines(strays, near)) yield* Output.note(line)
      return yield* stop(
        1,
        `${Plural.of(strays.length, "change")} of ${saved.changes.length} in the file ${Plural.choose(strays.length, "is", "are")} not what the rules make of the account now. Nothing was sent. Make a new plan: ${Account.told(chosen, "bidhelm plan --out plan.json")}`
      )
    }
    yield* (yield* RuleMemory).savePlan(found.reviewed.plan)
    return found.reviewed
  })

/** Whether the store made a plan of exactly this content, and not before the file says. */
export const isOurs = (chosen: Account.Chosen, { createdAt, id }: Plan) =>
  Effect.gen(function* () {
    const madeAt = yield* (yield* RuleMemory).planMadeAt(chosen.name, id)
    return madeAt !== undefined && Date.parse(createdAt) <= madeAt
  })

/** What a file says otherwise than the plan that this store made at the same moment; undefined when it made none. */
export const edited = (chosen: Account.Chosen, saved: Plan) =>
  Effect.gen(function* () {
    const made = yield* (yield* RuleMemory).planOf(chosen.name, saved.createdAt)
    return made === undefined
      ? undefined
      : { madeId: made.id, lines: Preview.lines(Elsewhere.straysOf(saved, made), RowReasons.around(made)) }
  })

/** Ends what would send by rules whose limits are gone, before anything is asked; what is there is remembered. */
export const limited = ({ name }: Account.Chosen, rules: RuleSet) =>
  Effect.flatMap(LimitsKept.check(name, rules), (why) =>
    why === undefined ? Effect.void : Effect.fail(stop(1, `${why}. Nothing was sent`))
  )

/** Reads a saved plan back and holds it against today's rules, limits and campaigns. */
export const reload = (chosen: Account.Chosen, written: RuleSet, json: unknown) =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const saved = Review.read(json, { rules: written, ...Account.among(chosen), nowMs })
    if (Either.isRight(saved) && Kinds.laneOf(saved.right.changes) === "orders")
      return Review.ofAssembly(
        saved.right,
        yield* AssemblyPlan.context(written, { account: chosen.name, zone: chosen.config.timeZone }, nowMs)
      )
    return yield* reloadRules(chosen, written, json)
  })

const reloadRules = (chosen: Account.Chosen, written: RuleSet, json: unknown) =>
  Effect.gen(function* () {
    const rules = MaxBid.added(written)
    const { tokenKind } = yield* MarketplaceClient
    const refused = (why: string) => stop(1, `${why} Nothing was sent.`)
    const reading = Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      Effect.mapError(Review.read(json, { rules, ...Account.among(chosen), nowMs }), refused)
    )
    const joining = (yield* reading).changes.flatMap((change): ReadonlyArray<Gather.Joining> => {
      if (change.kind !== Enrolment.name) return []
      const { endsAt, startsAt } = change.details
      return [
        {
          target: change.subject,
          ...(startsAt === undefined ? {} : { startsAt }),
          ...(endsAt === undefined ? {} : { endsAt })
        }
      ]
    })
    const gathered = yield* ProgressBar.shown(
      Stopping.unlessAsked(Gather.run({ ...rules, policies: [] }, { ...options(chosen, tokenKind), joining }))
    )
    yield* tell(gathered)
    yield* sameCurrency(chosen, gathered.currency)
    const { changes } = yield* reading
    const doubtful = Deposits.doubtful(changes, gathered.table("campaign"))
    const budgets = yield* Budgets.read(doubtful, Number.POSITIVE_INFINITY)
    const killSwitch = yield* (yield* KillSwitch).engaged
    const { switchedOff = Effect.succeed([]) } = yield* FactSource
    // Reading may have taken hours: the plan may be too old by now.
    const nowMs = yield* Clock.currentTimeMillis
    const context: Review.ReloadContext = {
      rules,
      zone: chosen.config.timeZone,
      ...Cycle.accountRead(gathered),
      floorsGone: yield* FloorsKept.gone(chosen.name, rules),
      reconciledAt: yield* (yield* Journal).reconciledAt(chosen.name),
      killSwitch,
      made: yield* DepositsMade.read(changes, rules, nowMs, chosen.config.timeZone),
      stops: yield* Stopped.stops(chosen.name, rules.limits, chosen.config.timeZone),
      switchedOff: yield* switchedOff,
      budgets,
      account: chosen.name,
      nowMs
    }
    return yield* Effect.mapError(Review.reload(json, context), refused)
  })

/** Amounts in rules mean the configured currency; in another one they would be wrong by a factor. */
export const sameCurrency = ({ config, name }: Account.Chosen, found: string) =>
  found === config.currency
    ? Effect.void
    : Effect.fail(
        stop(
          1,
          `account ${name} is in ${found}, the configuration says ${config.currency}; mend currency: and check every amount in the rules`
        )
      )

/** How a person's command asks: for as long as `--max-wait` says, or until all scarce answers are there. */
export const options = (chosen: Account.Chosen, kind: TokenKind): Gather.GatherOptions =>
  asking(chosen, kind, chosen.maxWaitMs)

/**
 * How a scheduled cycle asks. The account's other policies wait until it ends, so that without a bound one rule over
 * thousands of pairs would keep a budget stop waiting for a day (decision 45).
 */
export const scheduled = (chosen: Account.Chosen, kind: TokenKind): Gather.GatherOptions =>
  asking(chosen, kind, Number.isFinite(chosen.maxWaitMs) ? chosen.maxWaitMs : scheduledRoomMs)

const scheduledRoomMs = 600_000

const asking = ({ config }: Account.Chosen, kind: TokenKind, roomMs: number): Gather.GatherOptions => {
  const scarce = quota(kind)("getBidRecommendations")
  const bounded = scarce !== undefined && Number.isFinite(roomMs)
  return {
    zone: config.timeZone,
    ...(bounded
      ? { maxScarceCalls: Estimate.callsWithin(roomMs, scarce), scarceRoom: Duration.format(roomMs) }
      : {})
  }
}

const quota =
  (kind: TokenKind) =>
  (operation: string): Estimate.Quota | undefined => {
    const entry = Catalogue.find(operation)
    return entry === undefined ? undefined : Operation.limitOf(entry, kind)
  }

const say = ({ calls, slowest }: Estimate.Estimate): Effect.Effect<void> => {
  if (slowest === undefined || slowest.ms < announcedMs) return Effect.void
  const count = Object.values(calls).reduce((sum, n) => sum + n, 0)
  return Output.note(
    `About ${Plural.of(count, "call")}; the limit of ${slowest.operation} makes it take at least ${Duration.format(slowest.ms)}.`
  )
}

/** What could not be read, on stderr: one line per operation and message. What nothing can do without ends it. */
export const tell = (gathered: Gather.Gathered) =>
  Effect.gen(function* () {
    const fatal = gathered.failures.find((failure) => failure.stopsAccount || isList(failure))
    yield* tellOthers(gathered.failures, fatal)
    const recalled = gathered.remembered.get(Sources.sources.recommendations.id)?.size ?? 0
    for (const { asked, left, operation } of gathered.scarce) {
      if (left === 0) continue
      const before = recalled === 0 ? "" : `, ${recalled} remembered from earlier runs`
      yield* Output.note(
        `${operation}: ${asked} asked${before}; ${left} not asked, the limit left no room within --max-wait`
      )
    }
    if (fatal !== undefined) return yield* ended(fatal)
  })

const tellOthers = (failures: ReadonlyArray<SourceFailure>, fatal: SourceFailure | undefined) =>
  Effect.gen(function* () {
    const others = failures.filter(({ message }) => message !== fatal?.message)
    const lines = new Map<string, number>()
    for (const { keys, message } of others) lines.set(message, (lines.get(message) ?? 0) + keys)
    for (const [message, keys] of [...lines].sort(TextOrder.byKey)) {
      yield* Output.note(keys === 0 ? message : `not read (${keys}): ${message}`)
    }
  })

/** The end of a command that can do nothing without what could not be read. */
export const ended = ({ message, reason }: SourceFailure): Stop =>
  reason === "notFetched" ? limitedBy(message) : stop(1, message)

/** Without the list of campaigns there is nothing to plan for. */
const isList = (failure: SourceFailure): boolean => failure.operation === "listCampaignIds"

// Bid steps from the configuration instead of the marketplace's answer, for accounts whose answer is wrong.

/** The fact source with the configured steps in place of the reported ones. */
const override = (steps: Config["bidStep"]) =>
  Layer.effect(
    FactSource,
    Effect.map(FactSource, (source) => {
      const configured = factRow("account", {
        ...(steps.cpm === undefined ? {} : { "account.bid_step.cpm": steps.cpm }),
        ...(steps.cpc === undefined ? {} : { "account.bid_step.cpc": steps.cpc })
      })
      // A Base token is not served the call.
      const isWhole = BidSteps.areAllWritten(steps)
      const alone = (readAt: number): FactAnswer => ({ rows: [configured], failures: [], readAt })
      const added = (answer: FactAnswer): FactAnswer => ({ ...answer, rows: [...answer.rows, configured] })
      return configured.facts.length === 0
        ? source
        : {
            ...source,
            fetch: (request) =>
              request.source !== "promotionConfig"
                ? source.fetch(request)
                : isWhole
                  ? Effect.map(Clock.currentTimeMillis, alone)
                  : Effect.map(source.fetch(request), added)
          }
    })
  )
