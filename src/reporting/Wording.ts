/** How a plan's values are said to a person: one wording for every format. */
import { format, Kopecks } from "../domain/Money.js"
import * as Plural from "../domain/Plural.js"
import * as Target from "../domain/Target.js"
import * as TextOrder from "../domain/TextOrder.js"
import type { Plan } from "../engine/decide/Plan.js"
import * as Stakes from "../engine/decide/Stakes.js"
import { currencySign } from "../engine/facts/Print.js"
import type { Change, Clamp } from "../engine/kinds/Change.js"
import * as SupplyRef from "../engine/kinds/fulfilment/SupplyRef.js"
import * as Kinds from "../engine/kinds/Kinds.js"
import { cleanLine } from "./Clean.js"

/** Sign of a currency, or its code. */
export const sign = currencySign

/** `+` starts or adds, `-` stops or takes away, `~` moves a bid. */
export const symbol = (change: Pick<Change, "action">): "+" | "~" | "-" => {
  switch (change.action) {
    case "start":
    case "remove_minus":
    case "deposit":
    case "add_item":
    case "enrol":
    case "create_supply":
    case "put_in_supply":
    case "set_mark":
    case "add_units":
    case "deliver":
    case "book_pass":
      return "+"
    case "pause":
    case "stop":
    case "delete":
    case "add_minus":
    case "remove_item":
    case "delete_mark":
    case "delete_supply":
    case "cancel":
      return "-"
    case "raise_bid":
    case "lower_bid":
    case "set_bid":
    case "adjust_bid":
    case "placements":
    case "rename":
      return "~"
  }
}

/** Amount without its sign, for the left side of an arrow. */
const bare = (kopecks: number): string => format(Kopecks(kopecks), "").trim()

/** Where people look for a change: its subject, or the supply that its order goes into. */
export const place = (change: Change): Target.ChangeSubject => {
  const supply = Kinds.of(change).into?.(change)
  return supply === undefined ? change.subject : { supply }
}

/** What places are: `campaign`, `promotion`, `order`, `supply`, `pass`. */
export const placeNoun = ({ orderId, pass, promotionId, supply }: Target.ChangeSubject): string => {
  if (promotionId !== undefined) return "promotion"
  if (orderId !== undefined) return "order"
  if (supply !== undefined) return "supply"
  return pass === undefined ? "campaign" : "pass"
}

/** What the changes of a plan are in: `campaign`; `supply or pass`. */
export const placeNouns = (changes: ReadonlyArray<Change>): string =>
  [...new Set(changes.map((change) => placeNoun(place(change))))].sort(TextOrder.compare).join(" or ")

/** What a change is in, for people: `Campaign 777`, `Promotion 2001`, `Order 5001`, `Supply PLATFORM-GI-1`. */
export const container = (subject: Target.ChangeSubject): string => {
  const { campaignId, orderId, pass, promotionId, supply } = subject
  if (promotionId !== undefined) return `Promotion ${promotionId}`
  if (orderId !== undefined) return `Order ${orderId}`
  if (supply !== undefined) {
    const text = SupplyRef.text(supply)
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
  }
  return pass === undefined ? `Campaign ${campaignId}` : `Pass ${pass}`
}

/** Id of what a change is in, as a column of a table has it. */
export const containerId = ({
  campaignId,
  orderId,
  pass,
  promotionId,
  supply
}: Target.ChangeSubject): number | string =>
  campaignId ??
  promotionId ??
  orderId ??
  (supply === undefined ? undefined : (SupplyRef.nameOf(supply) ?? supply)) ??
  pass ??
  ""

/** What a change does: `bid 440 → 450 ₽ per 1000 views (+2.3%)`, `active → paused`, `becomes a minus phrase`. */
export const effect = (change: Omit<Change, "moneyPerDayKopecks">, currency: string): string =>
  Kinds.of(change).effect(change, sign(currency))

/** The same with what it is done to: `777/1001 bid 440 → 450 ₽ per 1000 views (+2.3%)`. */
export const effectOn = (change: Change, currency: string): string =>
  `${cleanLine(Target.key(change.subject))} ${effect(change, currency)}`

/** Money that one change puts at stake: `about +12 ₽ a day`, or why there is no estimate or none that counts. */
export const stake = (one: Stakes.Stake, currency: string): string => {
  switch (one._tag) {
    case "Raise":
      return perDay(one.kopecks, currency)
    case "Saving":
      return perDay(0 - one.kopecks, currency)
    case "Deposit":
      return "no spend until the campaign spends it"
    case "Unknown":
      return `no estimate: ${one.why}`
    case "Paused":
      return `counts nothing: ${one.by} pauses the campaign`
    case "Free":
      return ""
  }
}

/** `about +12 ₽ a day`. */
const perDay = (kopecks: number, currency: string): string =>
  kopecks === 0
    ? "no change of spend"
    : `about ${kopecks > 0 ? "+" : ""}${format(Kopecks(kopecks), sign(currency))} a day`

/**
 * Three sums and what none of them holds: `raises about +103 ₽ a day and 4 without an estimate, savings about -5 389 ₽
 * a day, deposits 1 000 ₽, 2 count nothing in campaigns being paused`.
 */
export const stakes = (sums: Stakes.Stakes, currency: string): string => {
  const { depositsKopecks, raises, savings, underPause, unknown } = sums
  const parts = [
    ...directed("raises", raises.kopecks, raises.unknown, currency),
    ...directed("savings", 0 - savings.kopecks, savings.unknown, currency),
    ...(unknown === 0 ? [] : [`${unknown} without an estimate`]),
    ...(depositsKopecks === 0 ? [] : [`deposits ${format(Kopecks(depositsKopecks), sign(currency))}`]),
    ...(underPause === 0
      ? []
      : [
          `${underPause} ${Plural.choose(underPause, "counts nothing: its campaign is", "count nothing: their campaigns are")} being paused`
        ])
  ]
  return parts.length === 0 ? "no change of spend" : parts.join(", ")
}

const directed = (
  what: string,
  kopecks: number,
  unknown: number,
  currency: string
): ReadonlyArray<string> => {
  if (kopecks === 0) return unknown === 0 ? [] : [`${what}: ${unknown} without an estimate`]
  return [`${what} ${perDay(kopecks, currency)}${unknown === 0 ? "" : ` and ${unknown} without an estimate`}`]
}

const bounds: Readonly<Record<Clamp["by"], string>> = {
  toward: "stops at its goal",
  max_step: "largest step",
  cap: "cap",
  floor: "floor",
  move_per_day: "largest move per day",
  max_bid: "largest bid of the account",
  min_bid: "smallest bid of the marketplace",
  step: "rounded to the bid step"
}

/** What bound a value: `cap: 484 → 450 ₽ (line 16)`. */
export const clamp = (bound: Clamp, currency: string): string => {
  const where = bound.where === "" ? "" : ` (${bound.where})`
  return `${bounds[bound.by]}: ${bare(bound.from)} → ${format(Kopecks(bound.to), sign(currency))}${where}`
}

/** A row as people read it: `777/1001`, `item 1001`, `item 1001 in promotion 7`, `account`. */
export const rowName = (row: Target.Subject): string => {
  if (row.campaignId !== undefined || row.itemId === undefined) return Target.key(row)
  return row.promotionId === undefined
    ? `item ${row.itemId}`
    : `item ${row.itemId} in promotion ${row.promotionId}`
}

/** Name of a target inside its place and item: the cluster, what is changed as a whole, or an order of a supply by its number. */
export const subject = (change: Change): string => {
  if (place(change) !== change.subject) return `${placeNoun(change.subject)} ${containerId(change.subject)}`
  return change.subject.cluster ?? whole(change.subject)
}

const whole = ({ campaignId, itemId, orderId, supply }: Target.ChangeSubject): string => {
  if (itemId !== undefined) return "item"
  if (campaignId !== undefined) return "campaign"
  if (orderId !== undefined) return "order"
  return supply === undefined ? "pass" : "supply"
}

/** Whose change it is: `01-raise, rule 2, line 3`; of a person's undo the run it takes back. */
export const ruleOf = ({ origin, undoes }: Pick<Change, "origin" | "undoes">): string =>
  origin.by === "undo"
    ? `${origin.name} of ${undoes?.runId}`
    : origin.by === "call"
      ? `${origin.name} ${origin.operation}`
      : `${origin.name}${origin.rule === undefined ? "" : `, ${origin.rule}`}, ${lineOf(origin)}`

/** Where in its file the rule is: `line 3`; nothing for what no rule wants. */
export const lineOf = (origin: Change["origin"]): string =>
  origin.by === "policy" ? `line ${origin.line}` : ""

/** Order of subjects everywhere: campaign, item, cluster. */
export const bySubject = <T extends { readonly subject: Target.Subject }>(a: T, b: T): number =>
  Target.compare(a.subject, b.subject)

/** The two lines that open and close a preview. */
export const summary = (plan: Plan): ReadonlyArray<string> => {
  const { changes, held, unchanged, unknown } = plan.summary
  const money = changes === 0 ? "nothing would be sent" : stakes(Stakes.of(plan), plan.currency)
  const actions = Object.entries(plan.summary.byAction)
    .filter(([, n]) => n > 0)
    .sort(TextOrder.byKey)
    .map(([action, n]) => `${action} ${n}`)
  const previewed = plan.policies.reduce((sum, p) => sum + (p.mode === "preview" ? p.changes : 0), 0)
  const only = previewed === 0 ? "" : ` (${previewed} only shown, their rules are in mode preview)`
  return [
    `${Plural.of(changes, "change")}${only}, ${held} held, ${unknown} unknown, ${unchanged} unchanged`,
    actions.length === 0 ? money : `${money}; ${actions.join(", ")}`
  ]
}
