/** The keys of all levels, and how they belong together: see `Level`. */
import type { CampaignId, Cluster, ItemId } from "../../domain/Ids.js"
import type * as Target from "../../domain/Target.js"
import { Keyspace } from "./Keyspace.js"
import * as Level from "./Level.js"
import { Links } from "./Links.js"

/** Level of a subject. */
export const levelOf = ({ campaignId, cluster, itemId }: Target.Subject): Level.Level =>
  campaignId === undefined
    ? itemId === undefined
      ? "account"
      : "item"
    : itemId === undefined
      ? "campaign"
      : cluster === undefined
        ? "campaign_item"
        : "cluster"

export class Spaces {
  private readonly spaces: Readonly<Record<Level.Level, Keyspace>> = {
    account: new Keyspace(),
    campaign: new Keyspace(),
    item: new Keyspace(),
    campaign_item: new Keyspace(),
    cluster: new Keyspace()
  }
  /** From items in campaigns to the items as such. */
  private readonly items = new Links()
  /** Why some campaigns have no keys though they are there: a byte of `domain/Reason`, 0 while all have. */
  leftOut = 0

  constructor() {
    this.spaces.account.add(0, "")
  }

  of(level: Level.Level): Keyspace {
    return this.spaces[level]
  }

  /** Number of the key of `level` that the subject is or belongs to. */
  find(subject: Target.Subject, level: Level.Level): number | undefined {
    const { campaignId, cluster, itemId } = subject
    if (level === "account") return 0
    if (level === "item") return itemId === undefined ? undefined : this.spaces.item.find(0, itemId)
    const campaign = campaignId === undefined ? undefined : this.spaces.campaign.find(0, campaignId)
    if (level === "campaign" || campaign === undefined || itemId === undefined)
      return level === "campaign" ? campaign : undefined
    const item = this.spaces.campaign_item.find(campaign, itemId)
    if (level === "campaign_item" || item === undefined || cluster === undefined)
      return level === "campaign_item" ? item : undefined
    return this.spaces.cluster.find(item, cluster)
  }

  /** As `find`; the key, and what it belongs to, is added where it is missing. */
  put(subject: Target.Subject, level: Level.Level): number {
    const { campaignId, cluster, itemId } = subject
    if (level === "account") return 0
    if (level === "item") return this.item(itemId ?? missing(subject, level))
    const campaign = this.campaign(campaignId ?? missing(subject, level))
    if (level === "campaign") return campaign
    const item = this.campaignItem(campaign, itemId ?? missing(subject, level))
    return level === "campaign_item" ? item : this.cluster(item, cluster ?? missing(subject, level))
  }

  /** Moves that lead from a row to the key above it; undefined where the level is not above. */
  way(from: Level.Level, to: Level.Level): ReadonlyArray<Links> | undefined {
    if (!Level.reaches(from, to)) return undefined
    if (from === to) return []
    const first = from === "cluster" ? [this.spaces.cluster.links] : []
    if (to === "item") return [...first, this.items]
    if (to === "campaign_item") return first
    if (to === "campaign") return [...first, this.spaces.campaign_item.links]
    return from === "campaign" || from === "item"
      ? [this.spaces[from].links]
      : [...first, this.spaces.campaign_item.links, this.spaces.campaign.links]
  }

  /** From the keys of a level to those one level below that belong to them; see `Level.below`. */
  down(from: Level.Level, to: Level.Level): Links | undefined {
    if (from === "item" && to === "campaign_item") return this.items
    const { links } = this.spaces[to]
    const next = to === "cluster" ? "campaign_item" : to === "campaign_item" ? "campaign" : "account"
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
    return this.spaces.campaign.nameOf(this.spaces.campaign_item.links.parents[item]!) as CampaignId
  }

  private campaign(campaignId: CampaignId): number {
    const space = this.spaces.campaign
    return space.find(0, campaignId) ?? space.add(0, campaignId)
  }

  private item(itemId: ItemId): number {
    const space = this.spaces.item
    return space.find(0, itemId) ?? space.add(0, itemId)
  }

  private campaignItem(campaign: number, itemId: ItemId): number {
    const space = this.spaces.campaign_item
    const existing = space.find(campaign, itemId)
    if (existing !== undefined) return existing
    const made = space.add(campaign, itemId)
    this.items.join(made, this.item(itemId))
    return made
  }

  private cluster(item: number, cluster: Cluster): number {
    const space = this.spaces.cluster
    return space.find(item, cluster) ?? space.add(item, cluster)
  }
}

const missing = (subject: Target.Subject, level: Level.Level): never => {
  throw new RangeError(`${JSON.stringify(subject)} is not a row of level ${level}`)
}
