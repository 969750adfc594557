/** What `hold`, `kill` and `resume` are about: their options, and the account with its store and clock. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { callPolicy, type Scope, targetForms } from "../../engine/kinds/OperatorHold.js"
import * as Flags from "../terminal/Flags.js"
import * as Person from "../terminal/Person.js"
import { stop } from "../terminal/Stop.js"

const policy = Flags.text("policy", "Id of a policy: the name of its file without the ending")
const target = Flags.text("target", targetForms)

export const options = { policy, target }

export const place = { json: Flags.json, config: Flags.config, account: Flags.account }

/** `--why`; `use` says for whom the reason is. */
export const why = (use: string) => Flags.text("why", `The reason, ${use}`)

interface Named {
  readonly policy: Option.Option<string>
  readonly target: Option.Option<string>
  /** Of `resume` only, which lifts also what could never hold anything. */
  readonly kill?: boolean
}

const shape = /^((item|order)\/\d+|promotion\/\d+(\/\d+)?|(supply|pass)\/\S.*|\d+(\/\d+(\/.+)?)?)$/s
const isId = (text: string): boolean => /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text))

/** What is wrong with a target, and how to write it; undefined for a good one. */
const targetProblem = (target: string, isLifted: boolean): string | undefined => {
  if (!shape.test(target)) return `write ${targetForms}`
  if (isLifted || /^(supply|pass)\//.test(target)) return undefined
  const [first = "", second, third = ""] = target.split("/")
  const isNamed = /^[a-z]/.test(first)
  const wrong = [isNamed ? "" : first, second ?? "", first === "promotion" ? third : ""].find(
    (number) => number !== "" && !isId(number)
  )
  return wrong === undefined
    ? undefined
    : `${wrong} is no number that anything has, so nothing would be held; write it as the marketplace does, such as 777: not zero, without zeros in front, at most 16 digits`
}

/** The account when neither is named. */
export const read = ({ kill, policy, target }: Named) => {
  if (Option.isSome(policy) && Option.isSome(target))
    return Effect.fail(stop(1, "say --policy or --target, not both; hold them one after the other"))
  if (Option.isSome(policy)) return Effect.succeed<Scope>({ kind: "policy", what: policy.value })
  if (Option.isNone(target)) return Effect.succeed<Scope>({ kind: "account", what: "" })
  const wrong = targetProblem(target.value, kill !== undefined)
  return wrong === undefined
    ? Effect.succeed<Scope>({ kind: "target", what: target.value })
    : Effect.fail(stop(1, `--target ${target.value}: ${wrong}`))
}

/** Who is at the keyboard. */
export const person = (): string => Person.name()

/**
 * Ids of the configured policies when none of them is meant by the scope; undefined when one is, when calls by hand are,
 * or when nobody can tell.
 */
export const idsWithout = (path: string, { kind, what }: Scope) =>
  Effect.gen(function* () {
    if (kind !== "policy" || what === callPolicy) return undefined
    const Workspace = yield* Effect.promise(() => import("../config/Workspace.js"))
    const RuleFiles = yield* Effect.promise(() => import("../rules/RuleFiles.js"))
    const { rulesFolder } = yield* Workspace.config(path)
    const { fulfilment, policies } = yield* RuleFiles.load(rulesFolder)
    const ids = [...policies, ...fulfilment].map(({ id }): string => id)
    return ids.includes(what) ? undefined : ids
  }).pipe(Effect.catchTag("Stop", () => Effect.succeed(undefined)))

/**
 * Runs an effect on the store of an account and by its clock; needs neither token nor network but a sandbox's. `store` is
 * a person's name for the store, `accounts` how many the configuration has.
 */
export const during = <A, E, R>(
  flags: { readonly config: string; readonly account: Option.Option<string> },
  use: (account: string, zone: string, store: string, accounts: number) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const Account = yield* Effect.promise(() => import("../account/Account.js"))
    const Store = yield* Effect.promise(() => import("../store/Store.js"))
    const chosen = yield* Account.choose({ ...flags, maxWait: Option.none() })
    const StoreField = yield* Effect.promise(() => import("../config/StoreField.js"))
    const { accounts, store, timeZone } = chosen.config
    return yield* use(chosen.name, timeZone, StoreField.describe(store), accounts.length).pipe(
      Effect.provide(Store.layer(chosen.config)),
      Effect.provide(Account.clock(chosen))
    )
  })

/** How long the configured rules leave a foreign value alone; as long as usual when they cannot be read. */
export const editHoldMs = (path: string) =>
  Effect.gen(function* () {
    const Workspace = yield* Effect.promise(() => import("../config/Workspace.js"))
    const RuleFiles = yield* Effect.promise(() => import("../rules/RuleFiles.js"))
    const HumanEdits = yield* Effect.promise(() => import("../../engine/decide/limits/HumanEdits.js"))
    const { rulesFolder } = yield* Workspace.config(path)
    return yield* RuleFiles.load(rulesFolder).pipe(
      Effect.map(({ limits }) => HumanEdits.holdMs(limits)),
      Effect.catchTag("Stop", () => Effect.succeed(HumanEdits.usualHoldMs))
    )
  })
