/**
 * Lanes of an account: work that goes side by side. Each has its own lock, its own cycles and its own due times, so that
 * an order's cut-off never waits for the read-back of a deposit. Stops of an account stop all of them.
 */
import * as Context from "effect/Context"

/** `ads` steers campaigns, `orders` assembles and hands over, `promotions` enrols items. */
export const lanes = ["ads", "orders", "promotions"] as const
export type Lane = (typeof lanes)[number]

/** One lane of one account. */
export interface AccountLane {
  readonly account: string
  readonly lane: Lane
}

/** In which lane the work goes on that calls the marketplace: lanes share a seller's call limits. */
export class Working extends Context.Reference<Working>()("bidhelm/Lane/Working", {
  defaultValue: (): Lane => "ads"
}) {}

/** One text for each, that `ofKey` reads back. */
export const key = ({ account, lane }: AccountLane): string => `${lane}/${account}`

/** Undefined for what is no key. */
export const ofKey = (text: string): AccountLane | undefined => {
  const lane = lanes.find((one) => text.startsWith(`${one}/`))
  return lane === undefined ? undefined : { account: text.slice(lane.length + 1), lane }
}

/** The same as fields of a figure or a line of the log; only lanes other than that of advertising are named. */
export const labels = ({ account, lane }: AccountLane): Readonly<Record<string, string>> =>
  lane === "ads" ? { account } : { account, lane }

/** `demo`, or `demo, orders`: most people only know the lane of their advertising. */
export const text = ({ account, lane }: AccountLane): string =>
  lane === "ads" ? account : `${account}, ${lane}`
