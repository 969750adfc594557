/** `bidhelm limits`: what the store knows about every limit, or what the rules will ask of them. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TextOrder from "../../domain/TextOrder.js"
import { type Bucket, type BucketState, bucketOf, Limiter, type QuotaState } from "../../services/Limiter.js"
import type { Chosen } from "../account/Account.js"
import * as Command from "../terminal/Command.js"
import * as Duration from "../terminal/Duration.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"

const all = Flags.flag("all", "Limits that were never used, too")
const forecast = Flags.flag("forecast", "What each rule will ask of the limits, for every kind of token")
const assume = Flags.text(
  "assume",
  "With --forecast: sizes instead of the account's, such as campaigns=100,items=10,clusters=50; needs no token"
)
const survivors = Flags.integer(
  "survivors",
  "With --forecast: share of rows that pass the cheap conditions, percent; 5 unless given"
)
const promotions = Flags.integer(
  "promotions",
  "With --forecast: promotions that rules about them look at, with the regular ones that run now or at the same time; 10 unless given"
)

const options = { ...Flags.session, all, forecast, assume, survivors, promotions, rules: Flags.rules }

export const command = Command.make("limits", options, function* (flags) {
  if (flags.forecast) {
    const Forecasting = yield* Effect.promise(() => import("./Forecasting.js"))
    return yield* Forecasting.show(flags)
  }
  if (
    Option.isSome(flags.assume) ||
    Option.isSome(flags.survivors) ||
    Option.isSome(flags.promotions) ||
    Option.isSome(flags.rules)
  )
    return yield* stop(
      1,
      "--assume, --survivors, --promotions and --rules belong to a forecast: add --forecast"
    )
  return yield* states(flags)
})

const states = (flags: Flags.Session & { readonly all: boolean }) =>
  Effect.gen(function* () {
    const Account = yield* Effect.promise(() => import("../account/Account.js"))
    const Store = yield* Effect.promise(() => import("../store/Store.js"))
    const chosen = yield* Account.choose(flags)
    const { name } = chosen
    const unused = flags.all ? yield* everyBucket(chosen) : []
    const read = Effect.gen(function* () {
      const limiter = yield* Limiter
      const used = (yield* limiter.states).filter(({ bucket }) => bucket.account === name)
      const quotas = (yield* limiter.quotas).filter(({ account }) => account === name)
      const view = {
        buckets: withUnused(used, unused),
        quotas: withUnusedQuotas(quotas, unused),
        nowMs: yield* Clock.currentTimeMillis,
        zone: chosen.config.timeZone
      }
      if (flags.json) return yield* Output.json("limits", { account: name, ...asJson(view) })
      if (used.length === 0) yield* Output.note(`No calls of ${name} yet: every limit is full.`)
      if (view.buckets.length > 0) yield* Output.text(asText(view))
      else yield* Output.note("bidhelm limits --all lists them; --forecast tells what the rules will use.")
    })
    yield* read.pipe(Effect.provide(Store.layer(chosen.config)), Effect.provide(Account.clock(chosen)))
  })

/** Every bucket the account's token can draw from. */
const everyBucket = (chosen: Chosen) =>
  Effect.gen(function* () {
    const Account = yield* Effect.promise(() => import("../account/Account.js"))
    const Catalogue = yield* Effect.promise(() => import("../../services/Catalogue.js"))
    const token = yield* Account.token(chosen).pipe(
      Effect.catchTag("TokenProblem", ({ message }) =>
        Effect.as(
          Output.note(
            `${message} Until then the limits are those of a ${chosen.account.tokenKind ?? "base"} token.`
          ),
          { kind: chosen.account.tokenKind ?? "base", test: false } as const
        )
      )
    )
    return Catalogue.operations
      .filter((entry) => !token.test || entry.testHost)
      .flatMap((entry) => bucketOf(entry, chosen.name, token) ?? [])
  })

interface View {
  readonly buckets: ReadonlyArray<BucketState>
  readonly quotas: ReadonlyArray<QuotaState>
  readonly nowMs: number
  /** IANA name of the zone clock times are told in. */
  readonly zone: string
}

/** Buckets and quotas as JSON; moments are UTC, `null` where nothing holds. */
const asJson = ({ buckets, nowMs, quotas }: View) => ({
  buckets: buckets.map((state) => ({
    limitGroup: state.bucket.limitGroup,
    tokenKind: state.bucket.tokenKind,
    burst: state.bucket.burst,
    intervalMs: state.bucket.intervalMs,
    cost4xx: state.bucket.cost4xx,
    available: state.available,
    inFlight: state.inFlight,
    frozenForMs: leftMs(state.frozenUntil, nowMs),
    frozenUntil: moment(state.frozenUntil, nowMs)
  })),
  quotas: quotas.map((state) => ({
    group: state.quota.group,
    perDay: state.quota.perDay,
    usedToday: state.used,
    refused: state.refused,
    closedForMs: leftMs(state.closedUntil, nowMs),
    closedUntil: moment(state.closedUntil, nowMs)
  }))
})

/** One line per bucket, then one per quota. Empty when there are none. */
const asText = ({ buckets, nowMs, quotas, zone }: View): string => {
  const names = [...buckets.map(({ bucket }) => bucket.limitGroup), ...quotas.map(({ quota }) => quota.group)]
  const width = Math.max(0, ...names.map((name) => name.length))
  const until = (at: number | undefined): string =>
    at === undefined || at <= nowMs
      ? ""
      : ` until ${clock(at, zone)} ${zone}, ${Duration.format(at - nowMs)} from now`
  const lines = buckets.map(({ available, bucket, frozenUntil, inFlight }) => {
    const air = inFlight === 0 ? "" : `, ${inFlight} in the air`
    const frozen = leftMs(frozenUntil, nowMs) === 0 ? "" : `  refused by the marketplace${until(frozenUntil)}`
    return `${bucket.limitGroup.padEnd(width)}  ${available} of ${bucket.burst} now${air}, one more every ${Duration.pace(bucket.intervalMs)}${frozen}`
  })
  const daily = quotas.map(({ closedUntil, quota, refused, used }) => {
    const why = refused ? "refused by the marketplace" : "used up"
    const closed = leftMs(closedUntil, nowMs) === 0 ? "" : `  ${why}${until(closedUntil)}`
    return `${quota.group.padEnd(width)}  ${used} of ${quota.perDay} used this Moscow day${closed}`
  })
  return [...lines, ...(daily.length === 0 ? [] : ["", "daily quotas", ...daily])].join("\n")
}

/** The states with a full one for every bucket that was never used. Sorted by name. */
const withUnused = (
  states: ReadonlyArray<BucketState>,
  buckets: ReadonlyArray<Bucket>
): ReadonlyArray<BucketState> => {
  const all = new Map<string, BucketState>()
  for (const bucket of buckets)
    all.set(name(bucket), {
      bucket,
      available: bucket.burst,
      inFlight: 0,
      frozenUntil: undefined,
      nextAt: undefined
    })
  for (const state of states) all.set(name(state.bucket), state)
  return [...all].sort(TextOrder.byKey).map(([, state]) => state)
}

/** The same for quotas. */
const withUnusedQuotas = (
  states: ReadonlyArray<QuotaState>,
  buckets: ReadonlyArray<Bucket>
): ReadonlyArray<QuotaState> => {
  const all = new Map<string, QuotaState>()
  for (const { account, quota } of buckets)
    if (quota !== undefined)
      all.set(quota.group, { account, quota, used: 0, closedUntil: undefined, refused: false })
  for (const state of states) all.set(state.quota.group, state)
  return [...all].sort(TextOrder.byKey).map(([, state]) => state)
}

const name = ({ limitGroup, tokenKind }: Bucket): string => `${limitGroup} ${tokenKind}`

const leftMs = (until: number | undefined, nowMs: number): number =>
  until === undefined ? 0 : Math.max(0, until - nowMs)

const moment = (until: number | undefined, nowMs: number): string | null =>
  until === undefined || until <= nowMs ? null : new Date(until).toISOString()

/** `2026-11-21 14:05:03` in a zone. */
const clock = (epochMs: number, zone: string): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" }).format(
    epochMs
  )
