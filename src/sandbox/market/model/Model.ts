/**
 * Which market the sandbox plays, as one value: each part may be simple, as in the plain market, or as in a real auction.
 * docs/market.md says what each part does and where its numbers come from.
 */
import * as Either from "effect/Either"

/** The parts and what each may be; the first of a part is the plain market's. */
export const parts = {
  /** What clusters are worth (Kinds.ts). */
  clusters: ["ordinary", "lean", "borderline"],
  /** Clicks and orders as near to what is expected as whole numbers go, or as chance has them. */
  counts: ["smooth", "chance"],
  /** How many carts there are for each order (Traffic.ts). */
  carts: ["steady", "varied"],
  /** How steeply the share of views rises with the bid: alike everywhere, or by stream (Conditions.ts). */
  curve: ["cubic", "varied"],
  /** Rivals who bid the same every day, or who drift, and newcomers (Conditions.ts). */
  rivals: ["still", "drift"],
  /** Whether some rivals bid more where we do (Auction.ts). */
  answers: ["none", "some"],
  /** Whether a better place is clicked more often (Auction.ts). */
  ctr: ["flat", "by_place"],
  /** Recommended bids as the market is, wrong or missing, or none at all (Levels.ts). */
  levels: ["exact", "wrong", "none"],
  /** Statistics at once and final, or late and corrected for days (Statistics.ts). */
  statistics: ["prompt", "late"],
  /** Whether what is ordered is also kept (Returns.ts). */
  returns: ["none", "some"],
  /** Whether demand has a season and sales (Conditions.ts). */
  season: ["none", "some"],
  /** Whether items run out of stock, and are not shown then (Conditions.ts). */
  stock: ["endless", "short"],
  /** What a view or click costs: the own bid, or what would just have won it (Auction.ts). */
  price: ["first", "second"]
} as const

type Parts = typeof parts
export type Part = keyof Parts

export type Model = { readonly [P in Part]: Parts[P][number] }

/** What a stream of traffic stands in: its market, item and subject. From these and a day follows how it is then. */
export interface Setting {
  readonly model: Model
  /** Hashes that chance of the whole item, and of its whole subject, is drawn from. */
  readonly itemSeed: number
  readonly subjectSeed: number
}

/** The market that every earlier figure was measured on. */
export const plain: Model = {
  clusters: "ordinary",
  counts: "smooth",
  carts: "steady",
  curve: "cubic",
  rivals: "still",
  answers: "none",
  ctr: "flat",
  levels: "exact",
  statistics: "prompt",
  returns: "none",
  season: "none",
  stock: "endless",
  price: "first"
}

/** A market, or the plain one with other clusters. */
export const of = (market: Model | Model["clusters"]): Model =>
  typeof market === "string" ? { ...plain, clusters: market } : market

/** The markets that have a name. In the lean one a view is worth little more than it costs; the hard one is hard to know. */
export const named = {
  plain,
  lean: { ...plain, clusters: "lean", counts: "chance" },
  hard: {
    ...plain,
    counts: "chance",
    curve: "varied",
    rivals: "drift",
    answers: "some",
    ctr: "by_place",
    levels: "wrong",
    statistics: "late",
    returns: "some",
    season: "some",
    stock: "short"
  }
} as const satisfies Record<string, Model>

/**
 * Reads `hard` or `hard,rivals=still,price=second`: a named market, plain unless said, then parts that differ from it.
 * The left side names every problem.
 */
export const parse = (text: string): Either.Either<Model, ReadonlyArray<string>> => {
  const words = text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")
  const problems: Array<string> = []
  const said = new Set<string>()
  let model: Record<Part, string> = { ...plain }
  for (const [index, word] of words.entries()) {
    const [name = "", value] = word.split("=").map((side) => side.trim())
    if (value === undefined) {
      if (!isNamed(name)) problems.push(`"${word}" is no market; write ${list(Object.keys(named))}`)
      else if (index > 0) problems.push(`"${word}" must be the first word, or parts before it would be lost`)
      else model = { ...named[name] }
    } else if (!isPart(name))
      problems.push(`"${name}" is no part of a market; there are ${list(Object.keys(parts))}`)
    else if (said.has(name)) problems.push(`${name} is said twice`)
    else if (!(parts[name] as ReadonlyArray<string>).includes(value))
      problems.push(`${name} may be ${list(parts[name])}, not "${value}"`)
    else {
      said.add(name)
      model[name] = value
    }
  }
  return problems.length > 0 ? Either.left(problems) : Either.right(model as Model)
}

const isNamed = (name: string): name is keyof typeof named => Object.hasOwn(named, name)
const isPart = (name: string): name is Part => Object.hasOwn(parts, name)

const list = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`
