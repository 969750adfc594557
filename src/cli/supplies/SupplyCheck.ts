/** `bidhelm supplies check`: everything that would stop a hand-over, each with its remedy. Reads only. */
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { SupplyId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import * as Account from "../account/Account.js"
import * as HandOverLook from "../fulfilment/HandOverLook.js"
import * as Planning from "../plan/Planning.js"
import type * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import { stop } from "../terminal/Stop.js"
import * as SupplyLines from "./SupplyLines.js"

interface Asked extends Flags.Session {
  readonly supply: string
  readonly shipping: boolean
  readonly rules: Option.Option<string>
}

/** Ends with 4 when something stops it. */
export const show = (asked: Asked) =>
  Effect.gen(function* () {
    const { chosen, rules, within } = yield* Planning.openToAssemble(asked, "supplies-check")
    yield* within(
      Effect.gen(function* () {
        const supplyId = yield* SupplyLines.idOf(asked.supply, chosen.config.word)
        const looked = yield* ProgressBar.shown(HandOverLook.look(chosen, rules, supplyId, asked))
        const zone = chosen.config.timeZone
        yield* asked.json
          ? Output.json("supplies-check", {
              account: chosen.name,
              supplyId,
              orders: looked.orders.length,
              ...HandOverLook.asJson(looked.checked, zone)
            })
          : Output.text(text(asked, chosen, supplyId, looked))
        if (looked.checked.reasons.length > 0) return yield* stop(4)
      })
    )
  })

const text = (
  asked: Asked,
  chosen: Account.Chosen,
  supplyId: SupplyId,
  looked: HandOverLook.Looked
): string => {
  const { checked, orders } = looked
  const lines = HandOverLook.lines(checked, chosen.config.timeZone)
  const { reasons, rest, restCanGo } = checked
  if (reasons.length === 0)
    return [
      `${supplyId}, ${Plural.of(orders.length, "order")}: nothing that is known stops the hand-over.`,
      ...lines.map((line) => `  ${line}`),
      `Hand it over: ${Account.told(chosen, `bidhelm supplies deliver ${supplyId}`)}`
    ].join("\n")
  const way = restCanGo
    ? [
        `${Plural.of(rest.length, "order")} can go without the others: ${HandOverLook.withoutThose(chosen, looked, asked).command}`
      ]
    : []
  return [
    `${supplyId}, ${Plural.of(orders.length, "order")}: ${Plural.of(reasons.length, "reason")} ${Plural.choose(reasons.length, "stops", "stop")} the hand-over`,
    ...lines.map((line) => `  ${line}`),
    ...way
  ].join("\n")
}
