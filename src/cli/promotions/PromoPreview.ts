/**
 * What joining would ask: per promotion its tier now and next, and the items that may join, each with its price, plan price
 * and what is known of its earnings. It asks as a rule over items in promotions would, and decides nothing.
 */
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Days from "../../domain/Days.js"
import * as Groups from "../../domain/Groups.js"
import { type ItemId, PromotionId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import * as Reason from "../../domain/Reason.js"
import * as When from "../../domain/When.js"
import * as TierSet from "../../engine/decide/sets/TierSet.js"
import type { Cell } from "../../engine/facts/Cell.js"
import * as Economics from "../../engine/facts/Economics.js"
import * as Evaluate from "../../engine/facts/Evaluate.js"
import * as Print from "../../engine/facts/Print.js"
import type { Table } from "../../engine/facts/Table.js"
import * as Vocabulary from "../../engine/facts/Vocabulary.js"
import * as Gather from "../../engine/gather/Gather.js"
import * as Load from "../../engine/language/Load.js"
import type { Condition, Expr, Policy, RuleSet } from "../../engine/language/Policy.js"
import * as FloorsKept from "../../engine/planning/FloorsKept.js"
import { clean } from "../../reporting/Clean.js"
import * as HeldReasons from "../../reporting/HeldReasons.js"
import * as Wording from "../../reporting/Wording.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import * as Account from "../account/Account.js"
import * as Planning from "../plan/Planning.js"
import * as RuleFiles from "../rules/RuleFiles.js"
import type * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import * as CalendarRead from "./CalendarRead.js"
import * as Earnings from "./Earnings.js"
import * as Joinable from "./Joinable.js"

interface Asked extends Flags.Session {
  readonly id: Option.Option<string>
  readonly all: boolean
  readonly rules: Option.Option<string>
}

export const show = (asked: Asked) =>
  Effect.gen(function* () {
    const { chosen, rules, within } = yield* Planning.open(
      asked,
      RuleFiles.answering("promos-preview", asked.json)
    )
    yield* within(
      Effect.gen(function* () {
        const { tokenKind } = yield* MarketplaceClient
        const { ownFacts, policy, words } = question(Option.getOrUndefined(asked.id))
        const facts = bothOf(rules.ownFacts ?? [], ownFacts)
        const hasCosts = facts.some(({ data, fact }) => data !== undefined && Economics.isTerm(fact.id))
        const gathered = yield* ProgressBar.shown(
          Gather.run({ ...rules, ownFacts: facts, policies: [policy] }, Planning.options(chosen, tokenKind))
        )
        yield* Planning.tell(gathered)
        yield* Planning.sameCurrency(chosen, gathered.currency)
        const floorsGone = yield* FloorsKept.gone(chosen.name, rules)
        const joins = yield* Joinable.look(gathered, rules, policy, chosen, floorsGone)
        const all = promotionsOf(gathered, words, joins)
        const wanted = Option.isNone(asked.id) ? undefined : yield* CalendarRead.named(asked.id.value, all)
        const shown = all.filter(({ id }) => wanted === undefined || id === wanted)
        if (floorsGone !== undefined) {
          const why = HeldReasons.line(
            { code: "price_floors_gone", ...floorsGone },
            { currency: chosen.config.currency }
          )
          yield* Output.note(`${why}. Until then a plan holds every item.`)
        }
        if (asked.json)
          return yield* Output.json("promos-preview", {
            account: chosen.name,
            ...(floorsGone === undefined ? {} : { floorsGone }),
            promotions: shown.map(plain)
          })
        const sign = Wording.sign(chosen.config.currency)
        yield* Output.text(
          shown.length === 0
            ? "No promotion is open. The marketplace shows them about a month ahead: bidhelm promos"
            : shown
                .map((one) =>
                  text(one, {
                    nowMs: gathered.nowMs,
                    zone: chosen.config.timeZone,
                    sign,
                    all: asked.all,
                    hasCosts,
                    ask: Account.told(chosen, "bidhelm promos preview")
                  })
                )
                .join("\n\n")
        )
        if (!hasCosts) yield* Output.note(noCosts)
        yield* Output.note("Which of them your rules would enrol, and why: bidhelm plan --lane promotions")
      })
    )
  })

const noCosts =
  "There is no table of what your items cost, so their margins are not known. It begins with: bidhelm economics template --out rules/_shared/economics.csv"

/** The seller's tables, and the words of costs where none has them. */
const bothOf = (tables: OwnFacts, asked: OwnFacts): OwnFacts => {
  const ids = new Set(tables.map(({ fact }) => fact.id))
  return [...tables, ...asked.filter(({ fact }) => !ids.has(fact.id))]
}

type OwnFacts = NonNullable<RuleSet["ownFacts"]>

/** What is shown of every item. */
const basics = ["price", "plan_price", "price_drop", "in_action"]

interface Word {
  readonly word: string
  readonly expr: Expr
}

/** What keeps an item from joining beside what is shown of it. */
const guards = ["price_floor", "item.stock"]

/** A policy that asks for all of it, of one promotion or of all; what is at the same time as one alone it does not ask. */
const question = (
  id: string | undefined
): { readonly policy: Policy; readonly words: ReadonlyArray<Word>; readonly ownFacts: OwnFacts } => {
  const known = [...Earnings.figures, ...Earnings.terms]
  const spelt = basics.map((name) => Vocabulary.byFactId(`promotion_item.${name}`)?.word ?? name)
  const names = [...basics, ...known, ...guards]
  const which = id === undefined || !/^\d{1,15}$/.test(id.trim()) ? [] : [`promotion.id = ${id.trim()}`]
  const text = `version: 1
name: preview of promotions
mode: preview
schedule: {every: 1d, tz: Europe/Moscow}
each: promotion_item
where:
${["promotion.ends_in > 0h", "promotion.type = regular", ...which].map((one) => `  - ${one}\n`).join("")}when: ${[...spelt, ...known, ...guards].map((word) => `${word} is known`).join(" or ")}
do: {enrol: {overlap: allowed}}
`
  const { diagnostics, ruleSet } = Load.check([{ path: "preview.yaml", text }])
  const policy = ruleSet?.policies[0]
  if (policy === undefined)
    throw new Error(`the preview asks what cannot be asked: ${diagnostics[0]?.message}`)
  const exprs = policy.rules[0]!.when.flatMap(({ condition }) => valuesOf(condition))
  return {
    policy,
    ownFacts: ruleSet?.ownFacts ?? [],
    words: exprs.map((expr, at) => ({ word: names[at]!, expr }))
  }
}

const valuesOf = (condition: Condition): ReadonlyArray<Expr> =>
  condition._tag === "Or"
    ? condition.any.flatMap(valuesOf)
    : condition._tag === "IsKnown"
      ? [condition.value]
      : []

/** Facts by their words. */
interface Item extends Earnings.Item {
  readonly itemId: ItemId
  readonly joins: Joinable.Joins
}

interface Shown {
  readonly id: PromotionId
  readonly name: string
  /** Facts of the promotion, by vocabulary id. */
  readonly fact: (id: string) => number | string | undefined
  readonly items: ReadonlyArray<Item>
}

const promotionsOf = (
  gathered: Gather.Gathered,
  words: ReadonlyArray<Word>,
  joins: (row: number) => Joinable.Joins
): ReadonlyArray<Shown> => {
  const [promotions, rows] = [gathered.table("promotion"), gathered.table("promotion_item")]
  const byPromotion = new Map<number, Arr.NonEmptyArray<Item>>()
  for (let row = 0; row < rows.size; row++) {
    const { itemId, promotionId } = rows.target(row)
    if (itemId === undefined || promotionId === undefined) continue
    const facts = factsOf(rows, row, words)
    const later = laterOf(rows, row, words, facts)
    Groups.add(byPromotion, promotionId, { itemId, facts, later, joins: joins(row) })
  }
  return Array.from({ length: promotions.size }, (_, row): Shown => {
    const id = PromotionId.make(Number(promotions.target(row).promotionId))
    const fact = (name: string) => {
      const cell = promotions.get(row, name)
      return cell._tag === "Known" && typeof cell.value !== "boolean" ? cell.value : undefined
    }
    return { id, name: String(fact("promotion.name") ?? ""), fact, items: byPromotion.get(id) ?? [] }
  }).sort(
    (a, b) => Number(a.fact("promotion.starts_in")) - Number(b.fact("promotion.starts_in")) || a.id - b.id
  )
}

const factsOf = (rows: Table, row: number, words: ReadonlyArray<Word>): ReadonlyMap<string, Cell> =>
  new Map(words.map(({ expr, word }) => [word, Evaluate.value(expr, rows, row)]))

/** Terms that are known today and not on some day of the promotion, each with the first of these days. */
const laterOf = (
  rows: Table,
  row: number,
  words: ReadonlyArray<Word>,
  facts: Earnings.Facts
): Earnings.Item["later"] => {
  const found = new Map<string, Earnings.Later>()
  for (const { expr, word } of rows.hasAhead ? words : []) {
    if (!Earnings.terms.includes(word) || facts.get(word)?._tag !== "Known") continue
    for (const { from, said } of rows.ahead(row) ?? []) {
      const cell = Evaluate.value(expr, rows, row, said)
      if (cell._tag === "Unknown" && !found.has(word)) found.set(word, { from, reason: cell.reason })
    }
  }
  return found
}

/** Undefined where it is not known. */
const valueOf = ({ facts }: Item, word: string): number | string | boolean | undefined => {
  const cell = facts.get(word)
  return cell?._tag === "Known" ? cell.value : undefined
}

const isIn = (item: Item): boolean => Number(valueOf(item, "in_action")) === 1

/** Items that may join, the smallest fall of the price first; of which it is not known last. */
const mayJoin = ({ items }: Shown): ReadonlyArray<Item> => {
  const drop = (item: Item) => Number(valueOf(item, "price_drop") ?? Number.POSITIVE_INFINITY)
  return items
    .filter((item) => valueOf(item, "in_action") !== undefined && !isIn(item))
    .toSorted((a, b) => (drop(a) === drop(b) ? a.itemId - b.itemId : drop(a) - drop(b)))
}

/** Items are shown up to this many, unless all are asked for. */
const mostItems = 20

interface View {
  readonly nowMs: number
  /** IANA zone of the seller. */
  readonly zone: string
  readonly sign: string
  readonly all: boolean
  readonly hasCosts: boolean
  /** What asks about all promotions. */
  readonly ask: string
}

const text = (one: Shown, { all, ask, hasCosts, nowMs, sign, zone }: View): string => {
  const [joining, inIt] = [mayJoin(one), one.items.filter(isIn).length]
  const type = one.fact("promotion.type")
  const head = clean(
    `${one.id}  ${days(one, nowMs, zone)}  ${type ?? "type unknown"}  ${boost(one)}  "${one.name}"`
  )
  if (type === "auto")
    return `${head}\n  the marketplace fills it by itself: its items and prices cannot be read, and it cannot be joined`
  const shown = all ? joining : joining.slice(0, mostItems)
  const folded = joining.length - shown.length
  return [
    head,
    one.items.length === 0 ? "  its items were not read" : `  ${inIt} in it, ${joining.length} may join`,
    ...(hasCosts ? cheapestText(one, sign, ask) : []),
    ...shown.map((item) => `    ${itemText(item, sign)}`),
    ...(folded === 0 ? [] : [`    and ${folded} more: --all`]),
    ...(hasCosts ? Earnings.missingText(joining).map((line) => `  ${line}`) : [])
  ].join("\n")
}

/**
 * The cheapest further items that reach the next tier, of those that a plan could have join and whose cost is known; undefined without
 * a next tier.
 */
const cheapest = (one: Shown) => {
  const needed = Number(one.fact("promotion.items_to_next_tier"))
  if (!(Number.isSafeInteger(needed) && needed > 0)) return undefined
  const candidates = mayJoin(one).flatMap((item) => {
    const cost = valueOf(item, "join_cost")
    return cost === undefined || item.joins === "no"
      ? []
      : [{ itemId: item.itemId, costKopecks: Number(cost) }]
  })
  const choice = TierSet.choose(candidates, { needed })
  const chosen = new Set<number>(choice._tag === "Set" ? choice.items.map(({ itemId }) => itemId) : [])
  const isUnsure = mayJoin(one).some(({ itemId, joins }) => chosen.has(itemId) && joins === "unsure")
  return { needed, candidates: candidates.length, choice, isUnsure }
}

const mostNamed = 5

const cheapestText = (one: Shown, sign: string, ask: string): ReadonlyArray<string> => {
  const found = cheapest(one)
  if (found === undefined) return []
  const { candidates, choice, isUnsure, needed } = found
  if (choice._tag === "TooFew")
    return [
      `  the next boost asks for ${Plural.of(needed, "item")}, and of ${candidates} that can join it is known what joining costs`
    ]
  if (choice._tag === "TooDear") return []
  const ids = choice.items.map(({ itemId }) => itemId)
  const named = `${ids.slice(0, mostNamed).join(", ")}${ids.length > mostNamed ? ", …" : ""}`
  const amount = Print.money(Math.abs(choice.kopecks), sign)
  const effect = choice.kopecks > 0 ? `${amount} a day less` : `${amount} a day more`
  return [
    `  the cheapest ${Plural.of(ids.length, "item")} for the next boost: ${effect} at today's orders (${named})${isUnsure ? `; whether ${ids.length === 1 ? "it is" : "one of them is"} in another promotion at that time was not asked, and then it cannot join: to ask, preview all together with: ${ask}` : ""}`
  ]
}

const days = (one: Shown, nowMs: number, zone: string): string => {
  const [startsIn, endsIn] = [one.fact("promotion.starts_in"), one.fact("promotion.ends_in")].map((ms) =>
    ms === undefined ? undefined : Number(ms)
  )
  if (startsIn === undefined || endsIn === undefined) return "dates unknown"
  const day = (ms: number) => Days.at(nowMs + ms, zone)
  const standing =
    endsIn <= 0
      ? "over"
      : startsIn > 0
        ? `starts in ${When.length(startsIn)}`
        : `runs, ${When.length(endsIn)} left`
  return `${day(startsIn)} to ${day(endsIn - 1)}, ${standing}`
}

const boost = ({ fact }: Shown): string => {
  const percent = (id: string) => {
    const share = fact(id)
    return share === undefined ? undefined : `${Math.round(Number(share) * 100)}%`
  }
  const [now, next, items] = [
    percent("promotion.boost"),
    percent("promotion.boost.next"),
    fact("promotion.items_to_next_tier")
  ]
  if (now === undefined) return "boost unknown"
  if (next === undefined || items === undefined) return `boost ${now}`
  return `boost ${now}; ${Plural.of(Number(items), "more item")} ${Plural.choose(Number(items), "reaches", "reach")} ${next}`
}

/** `200000006  1 846 ₽ → 1 476.80 ₽ (-20%)  margin 31% → 18.2%, …`: what is unknown is only counted, below. */
const itemText = (item: Item, sign: string): string => {
  const money = (word: string) => {
    const kopecks = valueOf(item, word)
    return kopecks === undefined ? "unknown" : Print.money(Number(kopecks), sign)
  }
  const drop = valueOf(item, "price_drop")
  const told = item.facts.get("price_drop")
  const why =
    told?._tag === "Unknown" && Reason.isOfOther(told.reason) ? `  ${Reason.explain[told.reason]}` : ""
  const percent = drop === undefined ? undefined : Number((-Number(drop) * 100).toFixed(1))
  const fall = percent === undefined ? "" : ` (${percent > 0 ? "+" : ""}${percent === 0 ? 0 : percent}%)`
  const earnings = Earnings.text(item.facts, sign)
  return `${item.itemId}  ${money("price")} → ${money("plan_price")}${fall}${earnings === "" ? "" : `  ${earnings}`}${why}`
}

const shownWords = [...basics, ...Earnings.figures].filter((word) => word !== "in_action")

const plain = (one: Shown) => ({
  id: one.id,
  name: one.name,
  type: one.fact("promotion.type") ?? null,
  startsInMs: one.fact("promotion.starts_in") ?? null,
  endsInMs: one.fact("promotion.ends_in") ?? null,
  boost: one.fact("promotion.boost") ?? null,
  boostNext: one.fact("promotion.boost.next") ?? null,
  itemsToNextTier: one.fact("promotion.items_to_next_tier") ?? null,
  cheapestSet: cheapestPlain(one),
  itemsIn: one.items.filter(isIn).length,
  mayJoin: mayJoin(one).map((item) => ({
    itemId: item.itemId,
    ...Object.fromEntries(shownWords.map((word) => [word, valueOf(item, word) ?? null]))
  })),
  missing: Earnings.missing(mayJoin(one))
})

const cheapestPlain = (one: Shown) => {
  const choice = cheapest(one)?.choice
  return choice?._tag === "Set"
    ? { items: choice.items.map(({ itemId }) => itemId), costKopecksPerDay: choice.kopecks }
    : null
}
