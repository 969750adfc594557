/**
 * Rules drawn at random, as the files a marketer would write: every construct that rules about clusters have, values of
 * actions with `min`, `max` and products, two windows, some policies with several rules, and a share of common
 * conditions as in the shipped rules. Figures are taken from the account's own values, so that every condition parts
 * its rows. `all(…)` and `any(…)` ask about rows below, which clusters do not have; sums come in by `item.ad_spend`.
 */
import type { File } from "../../src/engine/language/Load.js"
import * as Load from "../../src/engine/language/Load.js"
import { Draw, generator } from "./Chance.js"
import type { Columns } from "./Columns.js"
import { queryWords } from "./Columns.js"

/** `count` rules in as many policies, or fewer where one has several. What the checker refuses is drawn anew. */
export const files = (count: number, seed: number, columns: Columns): ReadonlyArray<File> => {
  const drawing = new Drawing(new Draw(generator(seed)), columns)
  const made: Array<File> = []
  for (let rules = 0; rules < count; ) {
    const of = Math.min(count - rules, drawing.rulesOfPolicy())
    const name = `${String(made.length).padStart(3, "0")}`
    const file = { path: `rules/${name}.yaml`, text: drawing.policy(name, of) }
    if (Load.check([file]).ruleSet === undefined) continue
    made.push(file)
    rules += of
  }
  return made
}

interface Word {
  readonly text: string
  readonly key: string
  readonly kind: "count" | "money" | "ratio" | "place"
}

const word = (text: string, key: string, kind: Word["kind"]): Word => ({ text, key, kind })

const wordsOfClusters: ReadonlyArray<Word> = [
  ...["views", "clicks", "orders"].flatMap((one) => [
    word(one, `cluster.${one}@7d`, "count"),
    word(`${one}[30d]`, `cluster.${one}@30d`, "count")
  ]),
  word("spend", "cluster.spend@7d", "money"),
  word("spend[30d]", "cluster.spend@30d", "money"),
  word("cpo", "cluster.cpo@7d", "money"),
  word("bid", "cluster.bid", "money"),
  word("recommended.reach_max", "cluster.recommended.reach_max", "money"),
  word("ctr", "cluster.ctr@7d", "ratio"),
  word("avg_pos", "cluster.avg_pos@7d", "place"),
  word("min_bid", "campaign_item.min_bid", "money"),
  word("item.price", "item.price", "money"),
  word("item.stock", "item.stock", "count"),
  word("campaign.spend", "campaign.spend@7d", "money")
]
const bids = ["bid", "recommended.reach_max", "min_bid"]

const sampled = 2000

class Drawing {
  private readonly sorted = new Map<string, ReadonlyArray<number>>()

  constructor(
    private readonly draw: Draw,
    private readonly columns: Columns
  ) {}

  rulesOfPolicy(): number {
    return this.draw.weighted([
      [8, 1],
      [1, 2],
      [1, 3]
    ])
  }

  policy(name: string, rules: number): string {
    const where = [
      ...(this.draw.chance(0.8) ? ["campaign.status = active"] : []),
      "campaign.payment = cpm",
      ...(this.draw.chance(0.3) ? ['not (query contains any ["бренд", "плащ"])'] : []),
      ...(this.draw.chance(0.2) ? ["cluster.state = active"] : [])
    ]
    const bodies = Array.from({ length: rules }, () => ({
      when: Array.from({ length: this.draw.whole(2, 4) }, () => this.clause(2)),
      action: this.action()
    }))
    const head = `version: 1\nname: Drawn ${name}\nmode: apply\nschedule: {every: 1d, tz: Europe/Moscow}\neach: cluster\n`
    const scope = `where:\n${where.map((one) => `  - ${one}\n`).join("")}window: 7d\ncooldown: 6h\n`
    const [only] = bodies
    if (rules === 1 && only !== undefined)
      return `${head}${scope}when:\n${only.when.map((one) => `  - ${one}\n`).join("")}do:\n  ${only.action}\n`
    const listed = bodies.map(
      ({ action, when }) =>
        `  - when:\n${when.map((one) => `      - ${one}\n`).join("")}    do:\n      ${action}\n`
    )
    return `${head}${scope}rules:\n${listed.join("")}`
  }

  private clause(depth: number): string {
    const nested: ReadonlyArray<readonly [number, () => string]> =
      depth === 0
        ? []
        : [
            [2, () => `(${this.clause(depth - 1)}) or (${this.clause(depth - 1)})`],
            [1, () => `(${this.clause(depth - 1)}) and (${this.clause(depth - 1)})`],
            [1, () => `not (${this.clause(depth - 1)})`]
          ]
    return this.draw.weighted<() => string>([
      [8, () => this.against(this.draw.one(wordsOfClusters))],
      [2, () => this.share()],
      [1, () => this.quotient()],
      [1, () => this.between()],
      [1, () => this.confident()],
      [1, () => this.text()],
      [1, () => `${this.draw.one(wordsOfClusters).text} is known`],
      [1, () => this.orDefault()],
      [1, () => `${this.extreme()} ${this.draw.one(["<", ">"])} ${this.money("cluster.bid", 0.2, 0.8)}`],
      [1, () => `item.ad_spend > ${this.money("campaign_item.spend@7d", 0.3, 0.9)}`],
      ...nested
    ])()
  }

  private against({ key, kind, text }: Word): string {
    const op = this.draw.weighted([
      [4, "<"],
      [4, ">"],
      [3, ">="],
      [3, "<="],
      ...(kind === "count"
        ? ([
            [1, "="],
            [1, "!="]
          ] as const)
        : [])
    ] as ReadonlyArray<readonly [number, string]>)
    return `${text} ${op} ${this.figure(key, kind, 0.1, 0.9)}`
  }

  /** One amount against a share of another, or against a sum. */
  private share(): string {
    const [left, right] = [this.draw.one(bids), this.draw.one(bids)]
    const percent = this.draw.whole(40, 250)
    return this.draw.chance(0.5) || left === right
      ? `spend ${this.draw.one(["<", ">"])} spend[30d] * ${this.draw.whole(10, 80)}%`
      : `${left} ${this.draw.one(["<", ">"])} ${right} * ${percent}% + ${this.draw.whole(1, 40)} ₽`
  }

  private quotient(): string {
    return `clicks[30d] / views[30d] ${this.draw.one(["<", ">"])} ${this.percent("cluster.ctr@7d", 0.1, 0.9)}`
  }

  private between(): string {
    const { key, kind, text } = this.draw.one(wordsOfClusters)
    return `${text} between ${this.figure(key, kind, 0.1, 0.4)} and ${this.figure(key, kind, 0.6, 0.95)}`
  }

  private confident(): string {
    const percent = this.percent("cluster.ctr@7d", 0.3, 0.7)
    return `ctr ${this.draw.one(["<", ">"])} ${percent} with ${this.draw.one([95, 99])}% confidence`
  }

  private text(): string {
    const [one, other] = [this.draw.one(queryWords), this.draw.one(queryWords)]
    return this.draw.one([
      `query contains "${one}"`,
      `query contains any ["${one}", "${other}"]`,
      `query matches "*${one}*${this.draw.whole(1, 9)}"`,
      "cluster.state in [active, archived]",
      "cluster.state != excluded"
    ])
  }

  private orDefault(): string {
    const one = this.draw.one(wordsOfClusters.filter(({ kind }) => kind === "count"))
    return `${one.text} default 0 > ${this.figure(one.key, one.kind, 0.1, 0.9)}`
  }

  /** An amount of money made of bids and of what an order or the item costs. */
  private extreme(): string {
    const share = (of: string, low: number, high: number) => `${of} * ${this.draw.whole(low, high)}%`
    const parts = [
      share("cpo", 5, 40),
      share("bid", 50, 150),
      share("item.price", 1, 20),
      "recommended.reach_max"
    ]
    const first = this.draw.one(parts)
    return `${this.draw.one(["min", "max"])}(${first}, ${this.draw.one(parts.filter((one) => one !== first))})`
  }

  private action(): string {
    const cap = `cap: "min(${this.draw.whole(300, 900)} ₽, ${this.extreme()})"`
    const toward = this.draw.chance(0.5) ? ", toward: recommended.reach_max" : ""
    return this.draw.weighted([
      [
        3,
        `raise_bid: {by: ${this.draw.whole(5, 20)}%, ${this.draw.chance(0.5) ? cap : "cap: 450 ₽"}${toward}}`
      ],
      [
        2,
        `lower_bid: {by: ${this.draw.whole(5, 20)}%, floor: "max(min_bid, cpo * ${this.draw.whole(1, 9)}%)"}`
      ],
      [3, `set_bid: {to: "${this.extreme()}", ${cap}, floor: min_bid}`],
      [2, "add_minus: {max_total: 900}"]
    ])
  }

  private figure(key: string, kind: Word["kind"], low: number, high: number): string {
    switch (kind) {
      case "money":
        return this.money(key, low, high)
      case "ratio":
        return this.percent(key, low, high)
      default:
        return kind === "count"
          ? String(Math.max(1, Math.round(this.quantile(key, low, high))))
          : String(Math.round(this.quantile(key, low, high) * 10) / 10)
    }
  }

  private money(key: string, low: number, high: number): string {
    return `${Math.round(this.quantile(key, low, high)) / 100} ₽`
  }

  private percent(key: string, low: number, high: number): string {
    return `${Math.max(1, Math.round(this.quantile(key, low, high) * 10_000)) / 100}%`
  }

  /** A value that a drawn share of the rows is below. */
  private quantile(key: string, low: number, high: number): number {
    const { values } = this.columns.facts.get(key)!
    const sorted =
      this.sorted.get(key) ?? [...values.subarray(0, sampled)].filter(Number.isFinite).sort((a, b) => a - b)
    this.sorted.set(key, sorted)
    return sorted[Math.floor(sorted.length * (low + (high - low) * this.draw.next()))]!
  }
}
