/** What may join a promotion beside others at the same time, by facts as they are read. */
import { describe, expect, it } from "vitest"
import { CampaignId, ItemId, PromotionId } from "../../src/domain/Ids.js"
import * as Window from "../../src/domain/Window.js"
import * as Decide from "../../src/engine/decide/Decide.js"
import * as Review from "../../src/engine/decide/Review.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Needs from "../../src/engine/facts/Needs.js"
import * as Table from "../../src/engine/facts/Table.js"
import * as Match from "../../src/engine/gather/Match.js"
import * as Load from "../../src/engine/language/Load.js"

const hour = 3_600_000
const day = 24 * hour
const now = Date.parse("2026-09-01T06:00:00Z")

const rule = (action = "{}", more = "mode: apply\nirreversible: accepted", id = "09-join") => ({
  path: `rules/${id}.yaml`,
  text: `version: 1
name: Join
${more}
each: promotion_item
where: promotion.starts_in > 0h
when: price_drop <= 50%
do:
  enrol: ${action}
`
})

const pace = (id: string) => Table.factKey({ id, window: Window.last(14) })

/** An item that costs nothing, is always kept and ordered once a day: joining costs what its price falls. */
const free: Record<string, Cells.Given> = {
  "item.unit_cost": 0,
  "item.packaging": 0,
  "item.commission": 0,
  "item.commission_in_promo": 0,
  "item.acquiring": 0,
  "item.logistics_out": 0,
  "item.logistics_back": 0,
  "item.storage": 0,
  "item.tax_rate": 0,
  "item.tax_on_profit": false,
  "item.extra": 0,
  "item.stated_buyout_share": 1,
  [pace("item.all_orders")]: 14
}

/** Facts of an account as rows; a cell is a value, or why there is none. */
class Account {
  readonly table = Table.make("cluster")

  promotion(id: number, from: number, to: number, facts: Record<string, Cells.Given> = {}): this {
    const promotionId = PromotionId.make(id)
    this.table.addKey({ promotionId })
    this.give(
      { promotionId },
      {
        "promotion.id": id,
        "promotion.name": `P${id}`,
        "promotion.type": "regular",
        "promotion.starts_in": from * day,
        "promotion.ends_in": to * day,
        "promotion.participation": 0.5,
        ...facts
      }
    )
    return this
  }

  item(promotion: number, item: number, facts: Record<string, Cells.Given> = {}): this {
    const target = { promotionId: PromotionId.make(promotion), itemId: ItemId.make(item) }
    this.table.addKey(target)
    this.give(target, {
      "promotion_item.in_action": false,
      "promotion_item.price": 100_000,
      "promotion_item.plan_price": 90_000,
      "promotion_item.price_drop": 0.1,
      ...facts
    })
    this.give({ itemId: target.itemId }, { "item.id": item, ...free })
    return this
  }

  campaign(id: number, name: string, ...items: ReadonlyArray<number>): this {
    const campaignId = CampaignId.make(id)
    this.table.addKey({ campaignId })
    this.give({ campaignId }, { "campaign.id": id, "campaign.name": name, "campaign.status": "active" })
    for (const item of items) {
      const pair = { campaignId, itemId: ItemId.make(item) }
      this.table.addKey(pair)
      this.give(pair, { [pace("campaign_item.spend")]: 0 })
    }
    return this
  }

  give(target: Parameters<Table.Table["setFor"]>[0], facts: Record<string, Cells.Given>): this {
    for (const [id, value] of Object.entries(facts)) this.table.setFor(target, id, Cells.ofGiven(value))
    return this
  }

  plan(...files: ReadonlyArray<Load.File>) {
    const { diagnostics, ruleSet: rules } = Load.check(files.length === 0 ? [rule()] : files)
    if (rules === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"))
    const draft = Decide.plan({
      account: "demo",
      currency: "RUB",
      nowMs: now,
      zone: "Europe/Moscow",
      rules,
      gathered: Match.all(rules.policies, { table: (each) => this.table.view(each) }),
      slots: new Map(),
      calls: {}
    })
    const campaigns = this.table.view("campaign")
    const around = { rules, campaigns, campaignsUnread: 0, spentByCompleted: 0, zone: "Europe/Moscow" }
    return { draft, reviewed: Review.review(draft, around).plan }
  }

  /** `1/7` for item 7 that joins promotion 1; what stays with the code of its reason. */
  outcome(...files: ReadonlyArray<Load.File>): Record<string, string> {
    const { reviewed } = this.plan(...files)
    const name = ({ promotionId, itemId }: { readonly promotionId?: number; readonly itemId?: number }) =>
      `${promotionId}/${itemId}`
    return Object.fromEntries([
      ...reviewed.changes.map(({ subject }) => [name(subject), "joins"]),
      ...reviewed.held.map(({ because, change }) => [name(change.subject), `held ${because.code}`]),
      ...[...reviewed.unchanged, ...reviewed.unknown].map(({ because, subject }) => [
        name(subject),
        because.code
      ])
    ])
  }
}

describe("promotions at one time", () => {
  const running = () => new Account().promotion(1, -1, 3).promotion(2, 1, 5).promotion(3, 4, 8)

  it("keep an item that is in one of them from joining another, and name it", () => {
    const account = running()
      .item(1, 7, { "promotion_item.in_action": true })
      .item(2, 7)
      .item(2, 8)
      .item(3, 9)
    expect(account.outcome()).toEqual({ "2/7": "overlap_in", "2/8": "joins", "3/9": "joins" })
    const [stays] = account.plan().draft.unchanged
    expect(stays!.because).toEqual({ code: "overlap_in", promotionId: 1, promotionName: "P1" })
    expect(account.outcome(rule("{overlap: allowed}"))).toMatchObject({ "2/7": "joins" })
  })

  it("that only touch are not at one time", () => {
    const account = new Account().promotion(1, -1, 3).promotion(2, 3, 5)
    account.item(1, 7, { "promotion_item.in_action": true }).item(2, 7)
    expect(account.outcome()).toEqual({ "2/7": "joins" })
  })

  it("let one plan choose the one that starts earlier, then the smaller number", () => {
    const account = new Account().promotion(1, 2, 6).promotion(2, 1, 5).promotion(3, 1, 5)
    account.item(1, 7).item(2, 7).item(3, 7).item(1, 8)
    expect(account.outcome()).toEqual({
      "1/7": "overlap_planned",
      "2/7": "joins",
      "3/7": "overlap_planned",
      "1/8": "joins"
    })
  })

  it("let no preview take an item from what is applied", () => {
    const account = new Account().promotion(1, 1, 5).promotion(2, 2, 6).item(1, 7).item(2, 7)
    const shown = rule("{}", "mode: preview", "01-shown")
    shown.text = shown.text.replace("starts_in > 0h", "starts_in < 36h")
    const applied = rule()
    applied.text = applied.text.replace("starts_in > 0h", "starts_in > 36h")
    expect(account.outcome(shown, applied)).toEqual({ "1/7": "overlap_planned", "2/7": "joins" })
  })

  it("of which nobody could list the items leave it undecided, unless nobody takes part", () => {
    const account = running().item(2, 7)
    expect(account.outcome()).toEqual({ "2/7": "overlap_unread" })
    const empty = new Account().promotion(1, -1, 3, { "promotion.participation": 0 })
    expect(empty.promotion(2, 1, 4).item(2, 7).outcome()).toEqual({ "2/7": "joins" })
    const unknown = new Account().promotion(1, -1, 3).promotion(2, 1, 4).item(2, 7)
    unknown.item(1, 7, { "promotion_item.in_action": Cells.unknown("failed") })
    expect(unknown.outcome()).toEqual({ "2/7": "overlap_unread" })
  })

  it("are not yet those at other times: the change knows which of these the item is in, or may be in, for they may be moved", () => {
    const account = new Account()
      .promotion(1, 1, 4)
      .promotion(2, 5, 6)
      .promotion(3, 5, 6, { "promotion.participation": 0 })
      .promotion(4, 5, 6, { "promotion.type": "auto" })
      .promotion(5, 6, 7)
      .promotion(6, 7, 8)
      .promotion(7, 8, 9)
      .item(1, 7)
      .item(5, 7, { "promotion_item.in_action": true })
      .item(6, 7, { "promotion_item.in_action": Cells.unknown("failed") })
      .item(7, 8)
    const [change] = account.plan().reviewed.changes
    expect(change?.details).toMatchObject({
      besides: [{ promotionId: 5, promotionName: "P5" }],
      besidesUnread: [2, 6]
    })
  })

  it("are no conflict where they are automatic, and the plan says that nobody looked", () => {
    const account = new Account().promotion(1, -1, 3, { "promotion.type": "auto" }).promotion(2, 1, 5)
    account.item(2, 7)
    expect(account.outcome()).toEqual({ "2/7": "joins" })
    expect(account.plan().draft.notices).toEqual([
      {
        policy: "09-join",
        campaignName: "",
        because: { code: "automatic_unlooked", promotions: ["1 P1"] }
      }
    ])
  })

  it("do not share the items of a set: the later one chooses among those that are left", () => {
    const tier = { "promotion.boost": 0, "promotion.boost.next": 0.05, "promotion.items_to_next_tier": 1 }
    const account = new Account().promotion(1, 1, 5, tier).promotion(2, 2, 6, tier)
    for (const item of [7, 8]) {
      const plan = { "promotion_item.plan_price": 100_000 - item }
      account.item(1, item, plan).item(2, item, plan)
    }
    expect(account.outcome(rule("{reach_tier: next}"))).toEqual({
      "1/7": "joins",
      "1/8": "set_dearer",
      "2/7": "overlap_planned",
      "2/8": "joins"
    })
  })
})

describe("a set", () => {
  it("is not chosen where other rules of the plan enrol as many items as the tier asks for, and is where fewer", () => {
    const account = (needed: number) => {
      const tier = { "promotion.boost": 0, "promotion.boost.next": 0.05 }
      const made = new Account().promotion(2, 1, 5, { ...tier, "promotion.items_to_next_tier": needed })
      return made.item(2, 6).item(2, 7).item(2, 8).item(2, 9).item(2, 10)
    }
    const of = (items: string, { path, text }: ReturnType<typeof rule>) => ({
      path,
      text: text.replace("price_drop <= 50%", `item.id in [${items}]`)
    })
    const rules = [of("6, 7", rule("{}", undefined, "08-plain")), of("8, 9, 10", rule("{reach_tier: next}"))]
    const both = { "2/6": "joins", "2/7": "joins" }
    const stays = { "2/8": "set_unneeded", "2/9": "set_unneeded", "2/10": "set_unneeded" }
    expect(account(2).outcome(...rules)).toEqual({ ...both, ...stays })
    expect(account(3).outcome(...rules)).toEqual({ ...both, "2/8": "joins", "2/9": "joins", "2/10": "joins" })
  })
})

describe("an item that would join", () => {
  const open = () => new Account().promotion(2, 1, 5)
  const limits = (neverTouch: string) => ({
    path: "rules/_shared/limits.yaml",
    text: `version: 1\nkind: limits\naccount:\n  never_touch: ${neverTouch}\n`
  })
  const floor = Needs.priceFloor

  it("stays where the plan price is below its floor, and names both amounts", () => {
    const account = open().item(2, 7).item(2, 8).item(2, 9)
    account
      .give({ itemId: ItemId.make(7) }, { [floor]: 90_001 })
      .give({ itemId: ItemId.make(8) }, { [floor]: 90_000 })
    account.give({ itemId: ItemId.make(9) }, { [floor]: Cells.unknown("unlisted") })
    expect(account.outcome()).toEqual({ "2/7": "price_floor", "2/8": "joins", "2/9": "joins" })
    const because = { code: "price_floor", planPriceKopecks: 90_000, floorKopecks: 90_001 }
    expect(account.plan().draft.unchanged[0]!.because).toEqual(because)
  })

  it("is undecided where today's price is that of another promotion and lies above the plan price: it may fall three times", () => {
    const priced = (planPriceKopecks: number) => ({
      "promotion_item.plan_price": planPriceKopecks,
      "promotion_item.price_drop": Cells.unknown("otherPromotion")
    })
    const account = open().item(2, 7, priced(99_999)).item(2, 8, priced(100_000)).item(2, 9, priced(33_000))
    const any = { ...rule(), text: rule().text.replace("price_drop <= 50%", "plan_price > 0 ₽") }
    const outcome = { "2/7": "fact_unknown", "2/8": "joins", "2/9": "price_quarantine" }
    expect(account.outcome(any)).toEqual(outcome)
    const because = { code: "fact_unknown", fact: "price_drop", reason: "otherPromotion" }
    expect(account.plan(any).draft.unknown.map((row) => row.because)).toEqual([because])
  })

  it("is undecided where its floor is there and cannot be believed", () => {
    for (const reason of ["unreadable", "stale"] as const) {
      const account = open()
        .item(2, 7)
        .give({ itemId: ItemId.make(7) }, { [floor]: Cells.unknown(reason) })
      expect(account.outcome()).toEqual({ "2/7": "fact_unknown" })
    }
  })

  it("stays where it is known to be sold out, and is not asked about where the rule does not ask", () => {
    const account = open().item(2, 7).item(2, 8).item(2, 9)
    account
      .give({ itemId: ItemId.make(7) }, { "item.stock": 0 })
      .give({ itemId: ItemId.make(8) }, { "item.stock": 1 })
    expect(account.outcome()).toEqual({ "2/7": "out_of_stock", "2/8": "joins", "2/9": "joins" })
  })

  it("stays where never_touch means it, or a campaign that it is in", () => {
    const account = open().item(2, 7).item(2, 8).item(2, 9)
    account.campaign(1, "TEST shoes", 7, 8).campaign(3, "Shoes", 8)
    const byName = limits('campaign.name matches "TEST*"')
    const untouched = { "2/7": "never_touch", "2/8": "never_touch", "2/9": "joins" }
    expect(account.outcome(rule(), byName)).toEqual(untouched)
    expect(account.outcome(rule(), limits("item.id in [9]"))).toMatchObject({
      "2/7": "joins",
      "2/9": "never_touch"
    })
  })

  it("stays where nobody could read whether never_touch means a campaign of it", () => {
    const account = open().item(2, 7).campaign(1, "Shoes", 7)
    account.give({ campaignId: CampaignId.make(1) }, { "campaign.name": Cells.unknown("failed") })
    const byName = limits('campaign.name matches "TEST*"')
    expect(account.outcome(rule(), byName)).toEqual({ "2/7": "never_touch" })
    const gone = open().item(2, 7)
    gone.table.leaveOut("failed")
    expect(gone.outcome(rule(), byName)).toEqual({ "2/7": "never_touch" })
  })

  it("is held by never_touch once more when a plan is looked at again", () => {
    const account = open().item(2, 7)
    const { draft } = account.plan()
    const { ruleSet } = Load.check([rule(), limits("item.id in [7]")])
    const around = { campaignsUnread: 0, spentByCompleted: 0, zone: "Europe/Moscow" }
    const campaigns = account.table.view("campaign")
    const { plan } = Review.review(draft, { rules: ruleSet!, campaigns, ...around })
    expect(plan.held.map(({ because, by }) => [by, because])).toEqual([
      ["never_touch", { code: "never_touch", line: 4, condition: "item.id in [7]", read: true, what: "item" }]
    ])
  })

  it("costs no place in a set where it must stay: the set is chosen among the others", () => {
    const tier = { "promotion.boost": 0, "promotion.boost.next": 0.05, "promotion.items_to_next_tier": 1 }
    const account = new Account().promotion(2, 1, 5, tier).item(2, 7).item(2, 8)
    const rules = [rule("{reach_tier: next}"), limits("item.id in [7]")]
    expect(account.outcome(...rules)).toEqual({ "2/7": "never_touch", "2/8": "joins" })
  })
})
