/** Why an order is in no supply yet, and why it may be late: the one place that makes sentences of it. */
import * as Arr from "effect/Array"
import * as When from "../../domain/When.js"
import type { Why } from "../../engine/fulfilment/Assembly.js"
import type { Risk } from "../../engine/fulfilment/Waves.js"
import * as OperatorHold from "../../engine/kinds/OperatorHold.js"
import { cleanLine } from "../Clean.js"

/** What a person asked for and a command left alone: it was so already, may not be sent, or is not to be sent any more by what was there after their yes. */
export type AskedCode = "cancelled_already" | "changed_since_asked" | "not_taken"

/** An entry of `left` in the JSON of a command that a person gave; beside the code stands what it is about. */
export interface Asked {
  readonly why: AskedCode
}

/** What each code of `left` in an answer for programs means; `docs/commands.md` is made of it. */
export const codes = {
  changed_since_asked:
    "agreed to, and not sent: by what was there after the yes it came about meanwhile, or is not wanted any more",
  cancelled_already:
    "the order that was to be cancelled was cancelled before, `by` the seller, the buyer or the carrier",
  not_taken: "a mark of the sheet, by `row` and `column`, that is not set; `message` says why",
  left_alone: "its buyer may still cancel the order, until `untilMs`",
  on_the_dock: "wave `wave` is being packed: it goes with the next, from `untilMs` on",
  status_unread: "the marketplace did not answer the order's status",
  created_unknown: "the marketplace does not say when it was ordered",
  cancelled: "the order is not to be assembled any more; `status` says why",
  no_policy: "no fulfilment policy that is switched on has its warehouse `warehouseId`",
  supply_not_listed: "its supply `name` was asked for, and no list shows it yet",
  supply_unread: "the orders of its supply `name` could not be read",
  refused_before:
    "the marketplace refused it, or with `page` a web page of somebody on the way did; it is tried again from `untilMs` on",
  supply_refused:
    "the marketplace, or with `page` a web page of somebody on the way, refused to make its supply `name`; it is asked for again from `untilMs` on"
} as const satisfies Readonly<Record<AskedCode | Why["code"], string>>

/** How it is said: instants are shown in `zone`, commands name the account where there are several. */
export interface Around {
  readonly zone: string
  readonly among?: OperatorHold.Among
}

/** A clause without a stop. */
export const ofLeft = (why: Why, { among, zone }: Around): string => {
  const command = (words: string) => OperatorHold.command(words, among)
  switch (why.code) {
    case "left_alone":
      return `left alone until ${When.text(why.untilMs, zone)}: its buyer may still cancel it`
    case "on_the_dock":
      return `wave ${cleanLine(why.wave)} is being packed: take it along with ${command("bidhelm supplies move")}, or it goes with the next from ${When.text(why.untilMs, zone)} on`
    case "status_unread":
      return "its status was not answered: look again in a minute"
    case "created_unknown":
      return `the marketplace does not say when it was ordered, so nobody knows its wave: put it into a supply with ${command("bidhelm supplies move")}`
    case "cancelled":
      return `it is not to be assembled any more (${cleanLine(why.status)})`
    case "no_policy":
      return why.warehouseId === undefined
        ? "the marketplace does not say its warehouse"
        : `no fulfilment policy that is switched on has warehouse ${why.warehouseId}`
    case "supply_not_listed":
      return `its supply "${cleanLine(why.name)}" was asked for, and no list shows it yet`
    case "supply_unread":
      return `the orders of its supply "${cleanLine(why.name)}" could not be read`
    case "refused_before":
      return `${refuser(why)} refused it, and it is left alone until ${When.text(why.untilMs, zone)}: ${command("bidhelm orders history")} tells why`
    case "supply_refused":
      return `${refuser(why)} refused to make its supply "${cleanLine(why.name)}", which is asked for again from ${When.text(why.untilMs, zone)} on: ${command("bidhelm history --state rejected")} tells why`
  }
}

/** Who refused what rests. */
export const refuser = ({ page }: { readonly page?: true }): string =>
  page === true ? "a web page of somebody on the way, such as a firewall," : "the marketplace"

/** Why each of some orders is where it is; a reason that several have is said once, above their numbers. */
export const ofOrders = (
  left: ReadonlyArray<{ readonly orderId: number; readonly why: Why }>,
  around: Around
): ReadonlyArray<string> => {
  const { zone } = around
  const keyOf = ({ why }: (typeof left)[number]): string =>
    why.code === "left_alone" ? why.code : ofLeft(why, around)
  return Object.values(Arr.groupBy(left, keyOf)).flatMap((own) => {
    const [first, ...others] = own
    if (others.length === 0) return [`${first.orderId}: ${ofLeft(first.why, around)}`]
    const until = own.flatMap(({ why }) => (why.code === "left_alone" ? [why.untilMs] : []))
    const words =
      until.length === 0
        ? `each: ${ofLeft(first.why, around)}`
        : `left alone, the first until ${When.text(Math.min(...until), zone)}, the last until ${When.text(Math.max(...until), zone)}: their buyers may still cancel them`
    return [`${own.length} orders, ${words}`, `    ${own.map(({ orderId }) => orderId).join(", ")}`]
  })
}

/** `LATE`, `AT RISK: 25 min left`. */
export const ofRisk = (risk: Risk): string => {
  switch (risk.because) {
    case "over":
      return "LATE: its wave is over"
    case "soon":
      return `AT RISK: ${minutes(risk.leftMs)} min left`
  }
}

const minutes = (ms: number): number => Math.ceil(ms / 60_000)
