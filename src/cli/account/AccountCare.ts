/** `bidhelm account`: what a person decides about an account's token. */
import * as Command from "@effect/cli/Command"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Plural from "../../domain/Plural.js"
import type { Binding } from "../../services/ports/TokenMemory.js"
import { group, part } from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as Person from "../terminal/Person.js"
import { stop } from "../terminal/Stop.js"
import type { Chosen } from "./Account.js"

const name = Flags.argument("NAME", "The account, as the configuration names it")

const options = { name, json: Flags.json, config: Flags.config }

interface Asked {
  readonly name: string
  readonly json: boolean
  readonly config: string
}

/** The account with its store and clock; a sandbox is asked for the time, nobody else for anything. */
const opened = ({ config, name }: Asked) =>
  Effect.gen(function* () {
    const Account = yield* Effect.promise(() => import("./Account.js"))
    const Store = yield* Effect.promise(() => import("../store/Store.js"))
    const { TokenMemory } = yield* Effect.promise(() => import("../../services/ports/TokenMemory.js"))
    const chosen = yield* Account.choose({ config, account: Option.some(name), maxWait: Option.none() })
    return { Account, chosen, TokenMemory, store: Store.layer(chosen.config) }
  })

const leaveOverlays = Flags.flag(
  "leave-overlays",
  "Leave bids under overlays as they stand: for campaigns, items and clusters that are gone, whose overlays never end"
)

const rebind = part("account", "rebind", { ...options, leaveOverlays }, function* (flags) {
  const { Account, TokenMemory, chosen, store } = yield* opened(flags)
  const { command, resumeWith } = yield* Effect.promise(() => import("../../engine/kinds/OperatorHold.js"))
  const bound = Effect.gen(function* () {
    const { seller } = yield* Account.token(chosen)
    const memory = yield* TokenMemory
    const moving = (yield* memory.bindings).filter(
      (one) => (one.account === chosen.name) !== (one.seller === seller)
    )
    const left = yield* mayMove(chosen, moving, flags.leaveOverlays)
    const nowMs = yield* Clock.currentTimeMillis
    const why = left === 0 ? undefined : leftText(left)
    return { ...(yield* memory.rebind(chosen.name, seller, Person.name(), nowMs, why)), left, seller }
  })
  const { before, carried, isKilled, left, seller } = yield* Effect.scoped(bound).pipe(
    Effect.provide(store),
    Effect.provide(Account.clock(chosen))
  )
  if (flags.json)
    return yield* Output.json("account", {
      account: chosen.name,
      seller: seller ?? null,
      before,
      holdsCarriedOver: carried,
      killSwitch: isKilled,
      overlaysLeft: left
    })
  const among = { account: chosen.name, accounts: chosen.config.accounts.length }
  const was = before.map(({ account, seller: theirs }) => `before: ${account} of the seller ${theirs}`)
  const now =
    seller === undefined
      ? `${chosen.name}: bound to nobody; its token does not tell whose it is, so nothing can be checked`
      : `${chosen.name}: bound to the seller ${seller}`
  const holds =
    carried === 0
      ? []
      : [`${Plural.of(carried, "hold")} carried over, see: ${command("bidhelm holds", among)}`]
  const kill = isKilled
    ? [`The kill switch still holds; lift it with: ${resumeWith({ kind: "kill", what: "" }, among)}`]
    : []
  const overlays =
    left === 0 ? [] : [`${leftText(left)}: what they stand at counts as their base under ${chosen.name}`]
  yield* Output.text([now, ...was, ...holds, ...kill, ...overlays].join("\n"))
})

const leftText = (bids: number): string =>
  `${Plural.of(bids, "bid")} ${Plural.choose(bids, "was left as it stands under an overlay", "were left as they stand under overlays")}`

/**
 * Takes the apply locks of the accounts that lose their seller, for the scope, and ends the command with every reason
 * why they may not. A seller that gets another name leaves everything but its holds under the former one; another
 * seller under a name only must not meet what its token cannot read back. Answers how many overlays are left behind.
 */
const mayMove = (chosen: Chosen, moving: ReadonlyArray<Binding>, leavesOverlays: boolean) =>
  Effect.gen(function* () {
    const TokenBinding = yield* Effect.promise(() => import("./TokenBinding.js"))
    const Lease = yield* Effect.promise(() => import("../../engine/door/Lease.js"))
    const Holder = yield* Effect.promise(() => import("./Holder.js"))
    const isRename = moving.some(({ account }) => account !== chosen.name)
    for (const { account } of moving) yield* Lease.holdAll(account, Holder.once("rebind"), Holder.abandoned)
    const reasons = yield* Effect.forEach(moving, ({ account }) =>
      isRename
        ? TokenBinding.unfinished(account, chosen.config, leavesOverlays ? "leaves overlays" : undefined)
        : TokenBinding.open(account, chosen.config.accounts.length)
    )
    if (reasons.flat().length === 0) {
      const left = yield* Effect.forEach(moving, ({ account }) => TokenBinding.underOverlays(account))
      return isRename ? left.reduce((sum, bids) => sum + bids, 0) : 0
    }
    const why = isRename
      ? `the history of an account stays under its name, and ${chosen.name} would know nothing of this`
      : "another seller's token cannot read this back"
    const todo = isRename
      ? `Until all of this is over, keep the names and tokens of bidhelm.yaml as they were; then run again: bidhelm account rebind ${chosen.name}`
      : `Put the old token in its place until this is over; then run again: bidhelm account rebind ${chosen.name}`
    return yield* stop(
      1,
      [`nothing was bound anew: ${why}:`, ...reasons.flat().map((reason) => `- ${reason}`), todo].join("\n")
    )
  })

const retry = part("account", "retry", options, function* (flags) {
  const { Account, TokenMemory, chosen, store } = yield* opened(flags)
  const SwitchedOff = yield* Effect.promise(() => import("../../services/SwitchedOff.js"))
  const forgiven = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    return yield* (yield* TokenMemory).forgive(chosen.name, Person.name(), nowMs)
  })
  const found = yield* forgiven.pipe(Effect.provide(store), Effect.provide(Account.clock(chosen)))
  if (flags.json) return yield* Output.json("account", { account: chosen.name, retried: found })
  yield* Output.text(
    found.length === 0
      ? `${chosen.name}: no refusal is remembered; a running program asks again right away`
      : [
          `${chosen.name}: asked again from now on:`,
          ...found.map((one) => `  ${SwitchedOff.label(one)}`)
        ].join("\n")
  )
})

const allow = Flags.flag(
  "allow",
  "Say, once you have looked, that the rules may make deposits before the first day is over"
)

const deposits = part("account", "deposits", { ...options, allow }, function* (flags) {
  const Account = yield* Effect.promise(() => import("./Account.js"))
  const AccountDeposits = yield* Effect.promise(() => import("./AccountDeposits.js"))
  const asked = { config: flags.config, account: Option.some(flags.name), maxWait: Option.none() }
  yield* Account.run(asked, (chosen) => AccountDeposits.show(chosen, flags))
})

export const command = group("account", "account").pipe(Command.withSubcommands([rebind, retry, deposits]))
