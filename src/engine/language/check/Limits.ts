/** `_shared/limits.yaml`: tree → what no policy may exceed. */
import * as Vocabulary from "../../facts/Vocabulary.js"
import type { AccountLimits, Clause } from "../Policy.js"
import { Problems } from "../problems/Diagnostic.js"
import * as ForeignWords from "../problems/ForeignWords.js"
import * as Schema from "../shape/Schema.js"
import * as Shape from "../shape/Shape.js"
import type { Node } from "../yaml/Node.js"
import { entry, get, scalars } from "../yaml/Node.js"
import * as Source from "../yaml/Source.js"
import * as Amounts from "./Amounts.js"
import * as AutoApprove from "./AutoApprove.js"
import * as Check from "./Check.js"
import * as Clauses from "./Clauses.js"
import type { Setting } from "./Scope.js"
import * as Words from "./Words.js"

/** Limits of an account without a limits file: none but those of its policies. */
export const none: AccountLimits = { killSwitch: false, neverTouch: [], campaigns: [] }

/**
 * The limits, or undefined when the file has an error; every problem is in `problems`. Selectors are asked of every
 * campaign, so they use only what is known of every campaign, labels of the seller's own included.
 */
export const read = (
  root: Node,
  problems: Problems,
  own: NonNullable<Setting["own"]> = new Map()
): AccountLimits | undefined => {
  const before = problems.count
  const selector: Setting = { each: "campaign", allowed: "campaign", own }
  Shape.check(Schema.Limits, root, { key: "This file", range: root.range }, problems)
  const account = get(root, "account")
  const killSwitch = Amounts.keyed(account, "kill_switch")?.node
  const campaigns = get(root, "campaigns")
  const enforce = Amounts.keyed(account, "enforce_max_bid")?.node.text.trim()
  const perDay = Amounts.kopecks(Amounts.keyed(account, "money_per_day"), problems)
  const spend = Amounts.kopecks(Amounts.keyed(account, "spend_per_day"), problems)
  const made: AccountLimits = {
    ...Check.maxBid(get(account, "max_bid"), problems),
    ...spanOf(account, problems),
    ...(perDay === undefined ? {} : { moneyPerDayKopecks: perDay }),
    ...(spend === undefined ? {} : { spendPerDayKopecks: spend }),
    ...(isEnforced(enforce) ? { enforceMaxBid: enforce } : {}),
    ...Check.bounds(account, problems),
    ...AutoApprove.humanEditHold(account, problems),
    killSwitch: killSwitch?.text.toLowerCase() === "true",
    ...neverTouch(entry(account, "never_touch")?.value, selector, problems),
    campaigns: (campaigns?._tag === "List" ? campaigns.items : []).map((item) =>
      campaign(item, selector, problems)
    )
  }
  if (problems.count > before) return undefined
  if (entry(root, "account") === undefined && entry(root, "campaigns") === undefined) {
    const message =
      "This file limits nothing, so only each policy's own limits hold. Write account: {} to do without limits, or the limits below account:."
    problems.warning("K49", root.range, message)
  }
  return made
}

/** A name or a pattern, and no sign, field or word of a condition. */
const aName =
  /^(?![a-z_]+$)(?!(?:campaign|item|cluster)\b)(?!.*\s\*\s)(?!.*[a-z_]\.[a-z_])(?!.*\b(?:not|in|between|matches|contains)\b)[^"'<>=!$()[\]]+$/u

/** So that YAML takes a condition as one text, in a list too. */
const asText = (condition: string): string => (/[:#,]/.test(condition) ? `'${condition}'` : condition)

/** What a field is called here, with or without its row, or elsewhere. */
const fields = new Set([
  ...Vocabulary.facts.flatMap(({ word }) => [word, word.replace(/^.*\./, "")]),
  ...ForeignWords.fieldWords
])
const isAsked = (text: string): boolean => {
  const words = text.toLowerCase().split(/[\s,]+/)
  return words.length > 1 && words.some((word) => fields.has(word))
}

/** The condition that a text without a field stands for, where it is one alone; else what is to be said of it. */
const named = (text: string): { readonly fix?: string; readonly hint: string } => {
  const apart = text.split(/\s*,\s*|\s+(?:and|or|и|или)\s+/iu).filter((part) => part !== "")
  const numbers = apart.join(", ")
  const list = apart.map((part) => `"${part}"`).join(", ")
  const hasAny = (kind: RegExp) => apart.some((part) => kind.test(part))
  const fixed = (condition: string) => ({ fix: asText(condition), hint: "" })
  if (apart.every((part) => part.includes("*")))
    return fixed(apart.map((one) => Words.matching("campaign.name", one)).join(" or "))
  if (/^[\d, ]+$/.test(numbers))
    return fixed(`campaign.id ${apart.length > 1 ? `in [${numbers}]` : `= ${text}`}`)
  if (hasAny(/\*/) && !/,|\s(?:or|или)\s/iu.test(text)) return fixed(Words.matching("campaign.name", text))
  if (hasAny(/\*|^\d+$/) || isAsked(text))
    return { hint: ' Write whole conditions, such as campaign.name = "Sale" or campaign.status = paused.' }
  const one = `campaign.name = "${text}"`
  if (apart.length === 1) return fixed(one)
  return { hint: ` Of several names write ${asText(`campaign.name in [${list}]`)}, of one ${asText(one)}.` }
}

/**
 * Each condition is about campaigns, or about items where that reading has fewer problems. Items are asked of
 * what is known of every one: number, subject, and columns of the seller's own.
 */
const neverTouch = (
  node: Node | undefined,
  selector: Setting,
  problems: Problems
): Pick<AccountLimits, "neverTouch" | "neverTouchItems"> => {
  const ofCampaigns: Array<Clause> = []
  const ofItems: Array<Clause> = []
  for (const scalar of scalars(node)) {
    const text = scalar.text.trim()
    if (aName.test(text)) {
      const { fix, hint } = named(text)
      const alone = `A ${text.includes("*") ? "pattern" : "name"} alone says nothing of where it is looked for.${hint}`
      if (/^\*+$/.test(text))
        problems.error("E09", scalar.range, "Any name at all: kill_switch: true keeps everything untouched.")
      else problems.error("E09", scalar.range, alone, fix)
      continue
    }
    const readAs = (each: Setting["each"], into: Problems) =>
      Clauses.read(scalar, { ...selector, each }, into)
    const [campaigns, items] = [new Problems(problems.source), new Problems(problems.source)]
    readAs("campaign", campaigns)
    readAs("item", items)
    if (items.count < campaigns.count) ofItems.push(...readAs("item", problems))
    else ofCampaigns.push(...readAs("campaign", problems))
  }
  Clauses.refuseLost(node, ofCampaigns.length + ofItems.length, problems)
  return { neverTouch: ofCampaigns, ...(ofItems.length === 0 ? {} : { neverTouchItems: ofItems }) }
}

const isEnforced = (word: string | undefined): word is NonNullable<AccountLimits["enforceMaxBid"]> =>
  word === "preview" || word === "apply" || word === "off"

const spanOf = (node: Node | undefined, problems: Problems): Pick<AccountLimits, "maxBidSpan"> => {
  const found = entry(node, "max_bid")
  return found === undefined ? {} : { maxBidSpan: Source.span(problems.source, found.keyRange) }
}

const campaign = (node: Node, selector: Setting, problems: Problems): AccountLimits["campaigns"][number] => {
  const changesPerRun = Amounts.whole(Amounts.keyed(node, "changes_per_run"), 1, 1_000_000, problems)
  return {
    where: Clauses.readAll(entry(node, "where")?.value, selector, problems),
    ...Check.maxBid(get(node, "max_bid"), problems),
    ...spanOf(node, problems),
    ...(changesPerRun === undefined ? {} : { changesPerRun })
  }
}
