/** An explanation for a terminal. */
import * as Groups from "../../domain/Groups.js"
import * as Plural from "../../domain/Plural.js"
import { cleanLine } from "../Clean.js"
import type { Explained, Line, OtherRule } from "./Explained.js"
import type { Crowd, Explanation } from "./Explanation.js"
import type { Missing } from "./Missing.js"

export const render = (explanation: Explanation): string =>
  [
    [explanation.target, ...name(explanation.campaignName), explanation.at].join(", "),
    ...explanation.policies.flatMap((one) => ["", ...policyLines(one, "")]),
    ...explanation.crowds.flatMap((one) => ["", ...crowdLines(one, explanation.target)]),
    ""
  ]
    .map(cleanLine)
    .join("\n")

const name = (campaign: string): ReadonlyArray<string> => (campaign === "" ? [] : [`campaign "${campaign}"`])

const policyLines = (one: Explained, indent: string): ReadonlyArray<string> => [
  `${indent}${one.policy}${one.rule === undefined ? "" : `, ${one.rule}`}: ${one.verdict}: ${one.why}`,
  ...[
    ...(one.wouldActWith.length === 0
      ? []
      : [`would act with: ${one.wouldActWith.join("; ")}${ifKnown(one)}`]),
    ...missingLines(one.missing),
    ...conditionLines(one.conditions),
    ...(one.move.length === 0 ? [] : [`move: ${one.move.join("; ")}`]),
    ...one.overruled.map(({ policy, wanted }) => `overruled: ${policy}, which wanted ${wanted}`),
    ...(one.agreed.length === 0 ? [] : [`agreed: wanted by ${one.agreed.join(", ")} too`]),
    ...(one.nextMove === undefined ? [] : [`next move: ${one.nextMove.text}`]),
    ...one.otherRules.map(otherLine),
    ...one.notes
  ].map((line) => `${indent}  ${line}`)
]

const ifKnown = ({ missing }: Pick<Explained, "missing">): string =>
  missing.length === 0 ? "" : "; if what is not known holds as well"

/** Facts that are unknown for one reason stand together. */
const missingLines = (missing: ReadonlyArray<Missing>): ReadonlyArray<string> => {
  const groups = Groups.by(
    missing,
    ({ fact, until, why }) => `(${why.slice(`${fact} is unknown: `.length)}); ${until}`
  )
  return [...groups].map(
    ([end, own]) => `not known: ${own.map(({ fact, rows }) => `${fact}${ofRows(rows)}`).join(", ")} ${end}`
  )
}

/** Rows below that are named before they are counted. */
const mostNamed = 3

const ofRows = (rows: ReadonlyArray<string> | undefined): string =>
  rows === undefined ? "" : ` of ${Plural.named(rows, mostNamed)}`

/** Longer values do not push the sources of the others away. */
const widest = 40

const conditionLines = (lines: ReadonlyArray<Line>): ReadonlyArray<string> => {
  const conditions = widthOf(lines.map(({ condition }) => condition))
  const values = widthOf(lines.map(({ value }) => shortened(value)))
  return lines.map(({ condition, holds, sources, value: saw }) => {
    const value = shortened(saw)
    const read = sources.map(({ text }) => text).join("; ")
    return `${holds.padEnd(7)}  ${condition.padEnd(conditions)}  ${value.padEnd(values)}  ${read}`.trimEnd()
  })
}

const widthOf = (texts: ReadonlyArray<string>): number =>
  Math.max(0, ...texts.map(({ length }) => length).filter((length) => length <= widest))

/** Why something is unknown is said above, once. */
const shortened = (value: string): string => value.replace(/unknown \([^()]*\)/g, "unknown")

const otherLine = ({ rule, why, wouldActWith }: OtherRule): string =>
  `${rule}: ${wouldActWith.length > 0 ? `would act with ${wouldActWith.join("; ")}` : why}`

const crowdLines = (crowd: Crowd, asked: string): ReadonlyArray<string> => {
  const counts = Object.entries(crowd.verdicts).map(
    ([verdict, n]) => `${n} ${n === 1 ? verdict : (ofSeveral[verdict] ?? verdict)}`
  )
  return [
    `${crowd.policy}: ${Plural.of(crowd.rows, "row")} below: ${counts.length === 0 ? "none" : counts.join(", ")}`,
    ...crowd.matched.map(({ target, verdict, why }) => `  ${target}: ${verdict}: ${why}`),
    ...crowd.nearest.map((one) => `  nearest miss ${one.target}: ${missOf(one)}`),
    ...moreMissed(crowd, asked),
    ...crowd.notes.map((note) => `  ${note}`)
  ]
}

/** Verdicts that are said of several rows in other words than of one. */
const ofSeveral: Readonly<Record<string, string>> = {
  acts: "act",
  tells: "tell",
  "does not act": "do not act"
}

const moreMissed = ({ nearest, verdicts }: Crowd, asked: string): ReadonlyArray<string> => {
  const more = (verdicts.unknown ?? 0) + (verdicts["does not act"] ?? 0) - nearest.length
  return more > 0
    ? [`  and ${more} more that missed${nearest[0] === undefined ? "" : byWhat(nearest[0].target, asked)}`]
    : []
}

/** A row of a promotion is no target of its own: it is told with its item. */
const byWhat = (row: string, asked: string): string => {
  const [first, , item] = row.split("/")
  if (first !== "promotion") return "; ask for one of them by its target"
  return item === undefined || asked !== "account"
    ? ""
    : `; ask for one of them by its item, such as item/${item}`
}

/** One line of a row that did not act; its own explanation tells the rest. */
const missOf = ({ missing, rule, verdict, why, wouldActWith }: Explained): string => {
  const named = rule === undefined ? "" : `${rule}: `
  if (wouldActWith.length > 0)
    return `${named}would act with ${wouldActWith.join("; ")}${ifKnown({ missing })}`
  const facts = [...new Set(missing.map(({ fact }) => fact))]
  return facts.length > 0 ? `${named}not known: ${facts.join(", ")}` : `${named}${verdict}: ${why}`
}
