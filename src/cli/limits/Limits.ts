/** `bidhelm limits`: what the store knows about every limit, or what the rules will ask of them. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Chosen } from "../account/Account.js"
import * as Command from "../terminal/Command.js"
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
    const LimitStates = yield* Effect.promise(() => import("./LimitStates.js"))
    const { Limiter } = yield* Effect.promise(() => import("../../services/Limiter.js"))
    const Store = yield* Effect.promise(() => import("../store/Store.js"))
    const chosen = yield* Account.choose(flags)
    const { name } = chosen
    const unused = flags.all ? yield* everyBucket(chosen) : []
    const read = Effect.gen(function* () {
      const limiter = yield* Limiter
      const used = (yield* limiter.states).filter(({ bucket }) => bucket.account === name)
      const quotas = (yield* limiter.quotas).filter(({ account }) => account === name)
      const view = {
        buckets: LimitStates.withUnused(used, unused),
        quotas: LimitStates.withUnusedQuotas(quotas, unused),
        nowMs: yield* Clock.currentTimeMillis,
        zone: chosen.config.timeZone
      }
      if (flags.json) return yield* Output.json("limits", { account: name, ...LimitStates.json(view) })
      if (used.length === 0) yield* Output.note(`No calls of ${name} yet: every limit is full.`)
      if (view.buckets.length > 0) yield* Output.text(LimitStates.text(view))
      else yield* Output.note("bidhelm limits --all lists them; --forecast tells what the rules will use.")
    })
    yield* read.pipe(Effect.provide(Store.layer(chosen.config)), Effect.provide(Account.clock(chosen)))
  })

/** Every bucket the account's token can draw from. */
const everyBucket = (chosen: Chosen) =>
  Effect.gen(function* () {
    const Account = yield* Effect.promise(() => import("../account/Account.js"))
    const Catalogue = yield* Effect.promise(() => import("../../services/Catalogue.js"))
    const { bucketOf } = yield* Effect.promise(() => import("../../services/Limiter.js"))
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
