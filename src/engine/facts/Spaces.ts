/** The keys of all levels, and how they belong together: see `Level`. */

import type * as Days from "../../domain/Days.js"
import type { CampaignId, Cluster, ItemId, PromotionId } from "../../domain/Ids.js"
import type * as Target from "../../domain/Target.js"
import type { Cell } from "./Cell.js"
import { Column, type Kind, small } from "./Column.js"
import * as Level from "./Level.js"
import { Words } from "./Words.js"

/** From the keys of a level to what they belong to, and back. Numbers only: there may be a million of them. */
export class Links {
  /** Number of each key's parent; longer than there are keys. */
  parents = none
  /** Parents never fall from one key to the next, so keys of one parent follow each other. */
  ascend = true
  /** By parent: one more than its newest child, and how many it has. */
  private newest = none
  private counts = none
  /** By child: one more than the child of the same parent that came before it; 0 for the first. */
  private earlier = none

  /** Memory of the numbers. */
  get bytes(): number {
    return [this.parents, this.newest, this.counts, this.earlier].reduce(
      (sum, { byteLength }) => sum + byteLength,
      0
    )
  }

  /** Children join once each, in the order of their numbers. */
  join(child: number, parent: number): void {
    if (child >= this.parents.length) {
      this.parents = grown(this.parents, child)
      this.earlier = grown(this.earlier, child)
    }
    if (parent >= this.newest.length) {
      this.newest = grown(this.newest, parent)
      this.counts = grown(this.counts, parent)
    }
    this.ascend &&= child === 0 || this.parents[child - 1]! <= parent
    this.parents[child] = parent
    this.earlier[child] = this.newest[parent]!
    this.newest[parent] = child + 1
    this.counts[parent]! += 1
  }

  /** Numbers of the keys below a parent, ascending. */
  children(parent: number): ReadonlyArray<number> {
    const count = this.counts[parent] ?? 0
    const made = new Array<number>(count)
    let next = this.newest[parent] ?? 0
    for (let i = count - 1; i >= 0; i--) {
      made[i] = next - 1
      next = this.earlier[next - 1]!
    }
    return made
  }
}

/** With room for more than `index` numbers. */
export const grown = (from: Int32Array, index: number): Int32Array<ArrayBuffer> => {
  const to = new Int32Array(Math.max(16, index * 2))
  to.set(from)
  return to
}

const none = new Int32Array(0)

// The keys of one level (campaigns, items, items in campaigns, clusters) with their parents and their fact columns.

/** What tells a key from its siblings: a campaign's or an item's number, a cluster's text. */
export type Name = number | string

/**
 * Keys are numbered in the order they were added; a number is never reused. They are found by their parent and their
 * own name; an object per key, or a text that names both, would take more memory than the facts.
 */
export class Keyspace {
  readonly columns = new Map<string, Column>()
  /** To the parent among whose children a key is looked up. */
  readonly links = new Links()
  /** Of a text one less than nothing and its number among `words`; longer than there are keys. */
  private names = new Float64Array(0)
  private count = 0
  private readonly words = new Words()
  /** By the number of a text: one more than the first key of that name, which is found by it alone. Most names are of one key. */
  private firsts = none
  /** One more than the number of any other key, at the place its parent and name lead to or the next free one; 0 is free. */
  private places = allFree
  private placed = 0
  /** The key that was found last: keys are mostly asked for in the order in which they came. */
  private last = -1

  get size(): number {
    return this.count
  }

  /** Memory of keys and facts; what the texts themselves take is not counted. */
  get bytes(): number {
    const facts = [...this.columns.values()].reduce((sum, { bytes }) => sum + bytes, 0)
    const { firsts, links, names, places, words } = this
    return facts + links.bytes + names.byteLength + firsts.byteLength + places.byteLength + words.bytes
  }

  nameOf(key: number): Name | undefined {
    if (key >= this.count) return undefined
    const name = this.names[key]!
    if (name < 0) return this.words.texts[-1 - name]
    return small(name)
  }

  find(parent: number, name: Name): number | undefined {
    const next = this.last + 1
    const key = this.isAt(next, parent, name) ? next : this.lookUp(parent, name)
    if (key < 0) return undefined
    this.last = key
    return key
  }

  /** The key of this name; added where it is missing. */
  put(parent: number, name: Name): number {
    const number = typeof name === "number" ? name : -1 - this.words.codeOf(name)
    const known = this.keyOf(parent, number)
    if (known >= 0) return known
    const key = this.count++
    if (key === this.names.length) this.growNames()
    this.names[key] = number
    this.links.join(key, parent)
    if (number < 0 && this.firstOf(number) < 0) this.setFirst(number, key)
    else this.place(key)
    return key
  }

  column(factKey: string, kind: Kind): Column {
    const existing = this.columns.get(factKey)
    if (existing !== undefined) return existing
    const made = new Column(kind, factKey === ofName ? this.words : undefined)
    this.columns.set(factKey, made)
    return made
  }

  private growNames(): void {
    const { names } = this
    this.names = new Float64Array(Math.max(16, names.length * 2))
    this.names.set(names)
  }

  private setFirst(name: number, key: number): void {
    const text = -1 - name
    if (text >= this.firsts.length) this.firsts = grown(this.firsts, text)
    this.firsts[text] = key + 1
  }

  private place(key: number): void {
    this.placed += 1
    if (this.placed * 4 > this.places.length * 3) this.growPlaces()
    this.places[this.placeOf(this.links.parents[key]!, this.names[key]!)] = key + 1
  }

  private growPlaces(): void {
    const before = this.places
    this.places = new Int32Array(Math.max(32, before.length * 2))
    for (const one of before)
      if (one > 0) this.places[this.placeOf(this.links.parents[one - 1]!, this.names[one - 1]!)] = one
  }

  private isAt(key: number, parent: number, name: Name): boolean {
    return key < this.count && this.links.parents[key] === parent && this.nameOf(key) === name
  }

  /** -1 where there is none. */
  private lookUp(parent: number, name: Name): number {
    if (typeof name === "number") return this.keyOf(parent, name)
    const code = this.words.find(name)
    return code === undefined ? -1 : this.keyOf(parent, -1 - code)
  }

  /** As `lookUp`, of a name as it stands in `names`. */
  private keyOf(parent: number, name: number): number {
    if (name < 0) {
      const first = this.firstOf(name)
      if (first < 0 || this.links.parents[first] === parent) return first
    }
    return this.places[this.placeOf(parent, name)]! - 1
  }

  /** The first key of a text. */
  private firstOf(name: number): number {
    return (this.firsts[-1 - name] ?? 0) - 1
  }

  private placeOf(parent: number, name: number): number {
    const { names, places } = this
    const { parents } = this.links
    const last = places.length - 1
    let at = mixed(parent, name) & last
    for (;;) {
      const key = places[at]! - 1
      if (key < 0 || (parents[key] === parent && names[key] === name)) return at
      at = (at + 1) & last
    }
  }
}

/** The fact that says a cluster's name. */
const ofName = "cluster.query"

/** Of an empty keyspace; nothing is ever written there. */
const allFree = new Int32Array(1)

const mixed = (parent: number, name: number): number => {
  let hash = Math.imul(parent ^ 0x9e3779b9, 0x85ebca6b) ^ Math.trunc(name)
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35)
  return hash ^ (hash >>> 13)
}

/** Level of a subject. */
export const levelOf = ({ campaignId, cluster, itemId, promotionId }: Target.Subject): Level.Level =>
  promotionId !== undefined
    ? itemId === undefined
      ? "promotion"
      : "promotion_item"
    : campaignId === undefined
      ? itemId === undefined
        ? "account"
        : "item"
      : itemId === undefined
        ? "campaign"
        : cluster === undefined
          ? "campaign_item"
          : "cluster"

/** What the seller's table says otherwise than today, by fact. */
export type Said = ReadonlyMap<string, Cell>

/** One for each part of a promotion's days, in their order, with its first day. */
export type SaidAhead = ReadonlyArray<{ readonly from: Days.Day; readonly said: Said }>

export class Spaces {
  private readonly spaces: Readonly<Record<Level.Level, Keyspace>> = {
    account: new Keyspace(),
    campaign: new Keyspace(),
    promotion: new Keyspace(),
    item: new Keyspace(),
    campaign_item: new Keyspace(),
    promotion_item: new Keyspace(),
    cluster: new Keyspace()
  }
  /** From items in campaigns to the items as such. */
  private readonly items = new Links()
  /** From items in promotions to the items as such. */
  private readonly promoted = new Links()
  /** The pair that was found last. */
  private last:
    | { readonly campaignId: CampaignId; readonly itemId: ItemId; readonly pair: number }
    | undefined
  /** Why some campaigns have no keys though they are there: a byte of `domain/Reason`, 0 while all have. */
  leftOut = 0
  /** By the number of an item in a promotion. */
  readonly ahead = new Map<number, SaidAhead>()

  constructor() {
    this.spaces.account.put(0, 0)
  }

  of(level: Level.Level): Keyspace {
    return this.spaces[level]
  }

  /** Number of the key of `level` that the subject is or belongs to. */
  find(subject: Target.Subject, level: Level.Level): number | undefined {
    const { campaignId, cluster, itemId } = subject
    if (level === "account") return 0
    if (level === "item") return itemId === undefined ? undefined : this.spaces.item.find(0, itemId)
    if (level === "promotion" || level === "promotion_item") return this.findPromotion(subject, level)
    if (level === "campaign")
      return campaignId === undefined ? undefined : this.spaces.campaign.find(0, campaignId)
    const pair = this.pairOf(campaignId, itemId)
    if (level === "campaign_item" || pair === undefined) return pair
    return cluster === undefined ? undefined : this.spaces.cluster.find(pair, cluster)
  }

  private findPromotion(
    { itemId, promotionId }: Target.Subject,
    level: "promotion" | "promotion_item"
  ): number | undefined {
    const promotion = promotionId === undefined ? undefined : this.spaces.promotion.find(0, promotionId)
    if (level === "promotion" || promotion === undefined) return promotion
    return itemId === undefined ? undefined : this.spaces.promotion_item.find(promotion, itemId)
  }

  /** Number of a pair; it is mostly asked for several times in a row, by itself and by its clusters. */
  private pairOf(campaignId: CampaignId | undefined, itemId: ItemId | undefined): number | undefined {
    if (campaignId === undefined || itemId === undefined) return undefined
    if (this.last?.campaignId === campaignId && this.last.itemId === itemId) return this.last.pair
    const campaign = this.spaces.campaign.find(0, campaignId)
    const pair = campaign === undefined ? undefined : this.spaces.campaign_item.find(campaign, itemId)
    // A number is never given to another pair.
    if (pair !== undefined) this.last = { campaignId, itemId, pair }
    return pair
  }

  /** As `find`; the key, and what it belongs to, is added where it is missing. */
  put(subject: Target.Subject, level: Level.Level): number {
    const { campaignId, cluster, itemId } = subject
    if (level === "account") return 0
    if (level === "item") return this.item(itemId ?? missing(subject, level))
    if (level === "promotion" || level === "promotion_item") {
      const promotion = this.promotion(subject.promotionId ?? missing(subject, level))
      return level === "promotion"
        ? promotion
        : this.promotionItem(promotion, itemId ?? missing(subject, level))
    }
    if (level === "cluster" && cluster !== undefined) {
      const pair = this.pairOf(campaignId, itemId)
      if (pair !== undefined) return this.cluster(pair, cluster)
    }
    const campaign = this.campaign(campaignId ?? missing(subject, level))
    if (level === "campaign") return campaign
    const item = this.campaignItem(campaign, itemId ?? missing(subject, level))
    return level === "campaign_item" ? item : this.cluster(item, cluster ?? missing(subject, level))
  }

  /** Moves that lead from a row to the key above it; undefined where the level is not above. */
  way(from: Level.Level, to: Level.Level): ReadonlyArray<Links> | undefined {
    if (!Level.reaches(from, to)) return undefined
    if (from === to) return []
    if (from === "promotion_item") {
      if (to === "item") return [this.promoted]
      const up = [this.spaces.promotion_item.links]
      return to === "promotion" ? up : [...up, this.spaces.promotion.links]
    }
    const first = from === "cluster" ? [this.spaces.cluster.links] : []
    if (to === "item") return [...first, this.items]
    if (to === "campaign_item") return first
    if (to === "campaign") return [...first, this.spaces.campaign_item.links]
    return from === "campaign" || from === "item" || from === "promotion"
      ? [this.spaces[from].links]
      : [...first, this.spaces.campaign_item.links, this.spaces.campaign.links]
  }

  /** From the keys of a level to those one level below that belong to them. */
  down(from: Level.Level, to: Level.Level): Links | undefined {
    if (from === "item" && to === "campaign_item") return this.items
    if (from === "item" && to === "promotion_item") return this.promoted
    const { links } = this.spaces[to]
    const next = nextAbove[to]
    return next === from ? links : undefined
  }

  /** Numbers of the keys of a finer level that belong to a key. */
  under(from: Level.Level, number: number, to: Level.Level): ReadonlyArray<number> {
    const links = this.down(from, to)
    if (links !== undefined) return links.children(number)
    if (from === "account") return Array.from({ length: this.spaces[to].size }, (_, n) => n)
    if (to !== "cluster" || (from !== "campaign" && from !== "item")) return []
    return this.under(from, number, "campaign_item").flatMap((n) => this.spaces.cluster.links.children(n))
  }

  /** The key as a subject, made when asked for; undefined where there is no such key. */
  subject(level: Level.Level, number: number): Target.Subject | undefined {
    const name = this.spaces[level].nameOf(number)
    if (name === undefined) return undefined
    switch (level) {
      case "account":
        return {}
      case "campaign":
        return { campaignId: name as CampaignId }
      case "item":
        return { itemId: name as ItemId }
      case "promotion":
        return { promotionId: name as PromotionId }
      case "promotion_item": {
        const promotion = this.spaces.promotion_item.links.parents[number]!
        return {
          promotionId: this.spaces.promotion.nameOf(promotion) as PromotionId,
          itemId: name as ItemId
        }
      }
      case "campaign_item":
        return { campaignId: this.campaignOf(number), itemId: name as ItemId }
      case "cluster": {
        const item = this.spaces.cluster.links.parents[number]!
        const itemId = this.spaces.campaign_item.nameOf(item) as ItemId
        return { campaignId: this.campaignOf(item), itemId, cluster: name as Cluster }
      }
    }
  }

  private campaignOf(item: number): CampaignId {
    return this.campaignId(this.spaces.campaign_item.links.parents[item]!)
  }

  /** Of a campaign's number. */
  campaignId(campaign: number): CampaignId {
    return this.spaces.campaign.nameOf(campaign) as CampaignId
  }

  private campaign(campaignId: CampaignId): number {
    return this.spaces.campaign.put(0, campaignId)
  }

  private item(itemId: ItemId): number {
    return this.spaces.item.put(0, itemId)
  }

  private promotion(promotionId: PromotionId): number {
    return this.spaces.promotion.put(0, promotionId)
  }

  private promotionItem(promotion: number, itemId: ItemId): number {
    const space = this.spaces.promotion_item
    const { size } = space
    const key = space.put(promotion, itemId)
    if (key === size) this.promoted.join(key, this.item(itemId))
    return key
  }

  private campaignItem(campaign: number, itemId: ItemId): number {
    const space = this.spaces.campaign_item
    const { size } = space
    const key = space.put(campaign, itemId)
    if (key === size) this.items.join(key, this.item(itemId))
    return key
  }

  private cluster(item: number, cluster: Cluster): number {
    return this.spaces.cluster.put(item, cluster)
  }
}

/** The level whose keys a level's links lead to. */
const nextAbove: Readonly<Record<Level.Level, Level.Level>> = {
  account: "account",
  campaign: "account",
  promotion: "account",
  item: "account",
  campaign_item: "campaign",
  promotion_item: "promotion",
  cluster: "campaign_item"
}

const missing = (subject: Target.Subject, level: Level.Level): never => {
  throw new RangeError(`${JSON.stringify(subject)} is not a row of level ${level}`)
}
