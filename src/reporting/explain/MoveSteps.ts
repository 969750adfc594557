/** How a change came to its value, step by step: `raise 10% → 484 ₽; cap 450 ₽ (line 16) → 450 ₽; step 1 ₽ → 450 ₽`. */
import * as Plural from "../../domain/Plural.js"
import * as Inverse from "../../engine/decide/Inverse.js"
import { share } from "../../engine/decide/intents/Clamp.js"
import * as Evaluate from "../../engine/facts/Evaluate.js"
import * as Print from "../../engine/facts/Print.js"
import type { Table } from "../../engine/facts/Table.js"
import * as Vocabulary from "../../engine/facts/Vocabulary.js"
import * as Bids from "../../engine/kinds/Bids.js"
import type { Change, Clamp } from "../../engine/kinds/Change.js"
import * as Kinds from "../../engine/kinds/Kinds.js"
import * as Optimised from "../../engine/kinds/Optimised.js"
import type { Action, Expr, Policy } from "../../engine/language/Policy.js"
import * as OptimiseWords from "../OptimiseWords.js"
import * as Wording from "../Wording.js"

interface Asked {
  readonly change: Change
  readonly policy: Policy
  readonly action: Action
  readonly table: Table
  readonly row: number
  /** ISO code. */
  readonly currency: string
}

/** Empty for changes that are no calculation. Where the steps do not add up, the limits that bound, one by one. */
export const of = (asked: Asked): ReadonlyArray<string> => {
  const { change, currency } = asked
  if (Kinds.isPayment(change)) return deposit(asked)
  if (Optimised.of(change) !== undefined)
    return [
      ...OptimiseWords.lines(change, currency),
      ...change.clamps.map((bound) => Wording.clamp(bound, currency))
    ]
  if (typeof change.before !== "number" || typeof change.after !== "number") return []
  const way = new Way(asked)
  walk(way, asked)
  return way.arrives(change.after) ? way.steps : change.clamps.map((bound) => Wording.clamp(bound, currency))
}

const walk = (way: Way, asked: Asked): void => {
  const { action, change } = asked
  const base = Bids.baseBefore(change)
  if (Bids.endsOverlay(change)) way.back("the overlay ends: base", base)
  else if (Inverse.isRevert(change)) {
    way.back("takes back its own changes:", change.clamps[0]?.from ?? Number(change.after))
  } else if (action._tag === "AdjustBid") lay(way, action, base)
  else {
    steer(way, action, base)
    carry(way, change)
  }
}

const lay = (way: Way, action: Extract<Action, { readonly _tag: "AdjustBid" }>, base: number): void => {
  way.say(`base ${way.shown(base)}`)
  way.overlay(signed(action.basisPoints), base, action.basisPoints)
  if (action.cap !== undefined) way.bound("cap", action.cap)
  if (action.floor !== undefined) way.bound("floor", action.floor)
  way.land()
}

/** An overlay of another policy goes along with its base. */
const carry = (way: Way, change: Change): void => {
  const overlay = Bids.overlayOf(change)
  if (overlay === undefined || overlay.baseKopecks !== way.kopecks) return
  const { baseKopecks, basisPoints, policy } = overlay
  way.overlay(`overlay ${policy} ${signed(basisPoints)}`, baseKopecks, basisPoints)
  way.land()
}

const steer = (way: Way, action: Action, base: number): void => {
  switch (action._tag) {
    case "RaiseBid":
      way.begin(`raise ${way.size(action.by)}`, base + way.distance(action.by, base))
      if (action.toward !== undefined) way.bound("toward", action.toward)
      way.bound("cap", action.cap)
      break
    case "LowerBid":
      way.begin(`lower ${way.size(action.by)}`, base - way.distance(action.by, base))
      if (action.toward !== undefined) way.bound("toward", action.toward)
      way.bound("floor", action.floor)
      break
    case "SetBid": {
      const goal = way.amount(action.to)
      if (goal === undefined) return
      way.begin("set", goal)
      if (action.floor !== undefined) way.bound("floor", action.floor)
      if (action.maxStepBasisPoints !== undefined)
        way.bend("max_step", signed(action.maxStepBasisPoints).slice(1))
      way.bound("cap", action.cap)
      break
    }
    default:
      return
  }
  way.land()
}

/** A bid on its way again, along the limits that the plan wrote down. */
class Way {
  readonly steps: Array<string> = []
  kopecks = 0
  private next = 0

  constructor(private readonly asked: Asked) {}

  /** Whether all that was written down was met, and led to this amount. */
  arrives(kopecks: number): boolean {
    return this.steps.length > 0 && this.kopecks === kopecks && this.next === this.asked.change.clamps.length
  }

  say(text: string): void {
    this.steps.push(text)
  }

  begin(text: string, kopecks: number): void {
    this.kopecks = kopecks
    this.say(`${text} → ${this.shown(kopecks)}`)
  }

  /** A limit that the policy wrote: shown also where it does not bind. */
  bound(by: Clamp["by"], expr: Expr): void {
    const amount = this.amount(expr)
    if (amount !== undefined) this.bend(by, this.shown(amount))
  }

  bend(by: Clamp["by"], value: string): void {
    const limit = this.asked.change.clamps[this.next]
    const binds = limit?.by === by && limit.from === this.kopecks
    const text = `${by} ${value} (line ${this.asked.action.span.line})`
    this.say(binds ? `${text} → ${this.take(limit)}` : text)
  }

  overlay(text: string, base: number, basisPoints: number): void {
    const distance = share(base, Math.abs(basisPoints))
    this.begin(text, basisPoints < 0 ? base - distance : base + distance)
  }

  /** A value of before returns, as far as today's limits let it. */
  back(text: string, kopecks: number): void {
    this.kopecks = kopecks
    this.say(`${text} ${this.shown(kopecks)} returns`)
    this.rest()
  }

  /** The limits that no rule wrote, and the step on which every bid ends. */
  land(): void {
    this.rest()
    const step = this.stepKopecks
    if (step === undefined || this.steps.at(-1)?.startsWith("step ") === true) return
    this.say(`step ${this.shown(step)} → ${this.shown(this.kopecks)}`)
  }

  size(by: Extract<Action, { readonly _tag: "RaiseBid" }>["by"]): string {
    if (by._tag === "Percent") return `${by.basisPoints / 100}%`
    return by._tag === "Amount" ? this.shown(by.kopecks) : Plural.of(by.steps, "step")
  }

  distance(by: Extract<Action, { readonly _tag: "RaiseBid" }>["by"], base: number): number {
    if (by._tag === "Percent") return share(base, by.basisPoints)
    return by._tag === "Amount" ? by.kopecks : by.steps * (this.stepKopecks ?? 0)
  }

  /** Whole kopecks, rounded down as upper bounds are: a lower one shows what it bent the bid to. */
  amount(expr: Expr): number | undefined {
    const cell = Evaluate.value(expr, this.asked.table, this.asked.row)
    const isNumber = cell._tag === "Known" && Number.isFinite(cell.value)
    return isNumber ? Math.floor(Number(cell.value)) : undefined
  }

  shown(kopecks: number): string {
    return Print.money(kopecks, Print.currencySign(this.asked.currency))
  }

  private rest(): void {
    for (;;) {
      const limit = this.asked.change.clamps[this.next]
      if (limit === undefined || limit.from !== this.kopecks) return
      this.say(`${this.named(limit)} → ${this.take(limit)}`)
    }
  }

  private take(limit: Clamp): string {
    this.next += 1
    this.kopecks = limit.to
    return this.shown(limit.to)
  }

  private named({ by, where }: Clamp): string {
    const step = this.stepKopecks
    if (by === "step") return step === undefined ? "step" : `step ${this.shown(step)}`
    if (by === "min_bid") return "minimum bid of the marketplace"
    const { file } = this.asked.policy
    return `${by} (${where.startsWith(`${file}:`) ? `line ${where.slice(file.length + 1)}` : where})`
  }

  /** As `BidRow` reads it (field note M07). */
  private get stepKopecks(): number | undefined {
    const { change, currency, row, table } = this.asked
    const payment = Bids.detailsOf(change).payment ?? "cpm"
    const cell = table.get(row, `account.bid_step.${payment}`)
    if (cell._tag === "Known" && Number(cell.value) > 0) return Number(cell.value)
    return payment === "cpm" && currency === "RUB" ? 100 : undefined
  }
}

const deposit = ({ change, currency }: Asked): ReadonlyArray<string> => {
  const { after, before } = change
  const pays = Kinds.paysOf(change)
  if (typeof before !== "number" || typeof after !== "number" || pays === undefined) return []
  const shown = (kopecks: number) => Print.money(kopecks, Print.currencySign(currency))
  const [source, balanceKopecks] = [pays.source(change), pays.available(change)]
  const word = Vocabulary.byFactId(Vocabulary.balanceOf[source])?.word ?? source
  const from = balanceKopecks === undefined ? word : `${word}, which has ${shown(balanceKopecks)}`
  return [`${shown(after - before)} from ${from}`, `budget ${shown(before)} → ${shown(after)}`]
}

/** `+20%`. */
const signed = (basisPoints: number): string =>
  `${basisPoints < 0 ? "-" : "+"}${Math.abs(basisPoints) / 100}%`
