/** What became of the keys of scarce sources: how many were asked, remembered and left, and for which policy. Pure. */
import * as Plural from "../../domain/Plural.js"
import * as TextOrder from "../../domain/TextOrder.js"
import type { Notice } from "../decide/Plan.js"
import type { Policy } from "../language/Policy.js"
import type { Tally } from "./Desk.js"

export interface Scarce {
  readonly operation: string
  readonly asked: number
  readonly left: number
  /** Keys each policy wanted, and those of them that were left; sorted by policy. */
  readonly policies: ReadonlyArray<{
    readonly policy: string
    readonly wanted: number
    readonly left: number
  }>
}

export const of = (tallies: ReadonlyMap<string, Tally>) => {
  const scarce = sorted(tallies).map(
    ([operation, { asked, left, policies }]): Scarce => ({
      operation,
      asked,
      left,
      policies: sorted(policies).map(([policy, counts]) => ({ policy, ...counts }))
    })
  )
  const left = Object.fromEntries(
    scarce.filter((one) => one.left > 0).map(({ left, operation }) => [operation, left])
  )
  return { scarce, left }
}

/**
 * One notice per policy that some keys were left of: "900 of 1,975 pairs asked, by value; 1,075 not looked at". `room`
 * says for how long the limit had to last, such as `3 h`.
 */
export const notices = (
  scarce: ReadonlyArray<Scarce>,
  policies: ReadonlyArray<Policy>,
  room: string | undefined
): ReadonlyArray<Notice> =>
  scarce.flatMap(({ asked, operation, policies: counts }) =>
    counts
      .filter(({ left }) => left > 0)
      .map(({ left, policy, wanted }) => {
        const rotates = policies.find(({ id }) => id === policy)?.partial === "rotate"
        const order = rotates ? "the oldest first" : "by value"
        const limit = `the limit of ${operation} leaves ${grouped(asked)} ${Plural.choose(asked, "call", "calls")}`
        const text = `${grouped(wanted - left)} of ${grouped(wanted)} ${Plural.choose(wanted, "pair", "pairs")} looked at, ${order}; ${grouped(left)} not looked at (${limit}${room === undefined ? "" : ` in ${room}`})`
        return { policy, campaignName: "", text }
      })
  )

const sorted = <A>(map: ReadonlyMap<string, A>): ReadonlyArray<readonly [string, A]> =>
  [...map].sort(TextOrder.byKey)

const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",")
