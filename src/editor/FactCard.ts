/** A fact in words: what it means, where it comes from, how old it may be and what it costs to ask. */
import * as Plural from "../domain/Plural.js"
import type { Fact } from "../engine/facts/FactType.js"
import * as FactType from "../engine/facts/FactType.js"
import { type Source, sources } from "../engine/facts/Sources.js"

/** How often an operation may be called, in words such as "5 a minute"; undefined where nobody knows. */
export type Price = (operation: string) => string | undefined

export const markdown = (fact: Fact, word: string, price: Price): string => {
  const source: Source = sources[fact.source]
  const unit = fact.unit === "" ? "" : `, ${fact.unit}`
  return [
    `**${word}** — ${fact.about}`,
    `${sentence(FactType.describe(fact.type))}${unit}, per ${level(fact.level)}.`,
    ...(fact.windowed
      ? [`Counted over days: \`window:\` or \`${word}[7d]\`; ${source.maxWindowDays ?? 0} days at most.`]
      : []),
    fact.source === "own"
      ? "Read with the rules: no call."
      : fact.source === "clock"
        ? "Of the instant at which a run begins to read: no call."
        : fact.source === "spendCurve"
          ? "From what earlier runs read of today's spend: no call. Unknown until a campaign was seen running for two days."
          : `Read by \`${source.operation}\`, ${cost(source, price)}. An answer counts for ${minutes(source.freshMinutes)}.`
  ].join("\n\n")
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

const level = (name: string): string => name.replaceAll("_", " ")

/** `one call per campaign item, 5 a minute`. */
const cost = (source: Source, price: Price): string => {
  const keys =
    source.keyLevel === "account"
      ? "one call for the account"
      : source.batch === 1
        ? `one call per ${level(source.keyLevel)}`
        : `one call for up to ${source.batch} ${level(source.keyLevel)}s${source.oneCampaignPerCall ? " of one campaign" : ""}`
  const often = price(source.operation)
  const scarce = source.cost === "scarce" ? "; scarce, so it is asked last" : ""
  return `${keys}${often === undefined ? "" : `, ${often}`}${scarce}`
}

const minutes = (count: number): string => {
  const [amount, unit] =
    count % 1440 === 0 ? [count / 1440, "day"] : count % 60 === 0 ? [count / 60, "hour"] : [count, "minute"]
  return Plural.of(amount, unit)
}
