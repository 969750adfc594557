/** What other people and other programs of the seller do to the account; the ledger tells it apart as `human-edit`. */
import * as Control from "../../../src/sandbox/Control.js"
import * as Gate from "../../../src/sandbox/Gate.js"
import * as Ledger from "../../../src/sandbox/Ledger.js"
import * as Bids from "../../../src/sandbox/market/Bids.js"
import * as Blueprint from "../../../src/sandbox/market/Blueprint.js"
import * as World from "../../../src/sandbox/market/World.js"
import * as SandboxToken from "../../../src/sandbox/SandboxToken.js"
import type { Service } from "../../../src/sandbox/Service.js"
import * as Timeline from "../../../src/sandbox/Timeline.js"
import * as Truth from "../Truth.js"
import type { Event } from "./Events.js"
import type { Disk } from "./Machine.js"
import type { Request } from "./Record.js"

/** Two of three items get phrases that are no clusters, as lists have them that somebody keeps. */
const fillLists = (sandbox: Service, pick: number, nowMs: number): void => {
  const world = sandbox.world(SandboxToken.defaultSeller)
  for (const campaign of Truth.campaigns(world))
    for (const itemId of Timeline.at(campaign.items, nowMs)) {
      if ((pick + itemId) % 3 === 0) continue
      const now = Timeline.at(Bids.minus(world, campaign, itemId), nowMs)
      const minus = [...now, ...["бесплатно", "своими руками"].slice(pick % 2)]
      Control.humanEdit(sandbox, { campaignId: campaign.id, itemId, minus }, nowMs)
    }
}

/** Carries out what a person does. `pick` chooses campaign, item and cluster, `amount` how much. */
export const edit = (sandbox: Service, event: Extract<Event, { _tag: "Human" }>, nowMs: number): void => {
  if (event.kind === "lists") {
    fillLists(sandbox, event.pick, nowMs)
    return
  }
  const world = sandbox.world(SandboxToken.defaultSeller)
  const campaigns = Truth.campaigns(world).filter(({ goneFrom }) => goneFrom === undefined)
  const campaign = campaigns[event.pick % campaigns.length]
  if (campaign === undefined) return
  const items = Timeline.at(campaign.items, nowMs)
  const itemId = items[Math.floor(event.pick / 7) % Math.max(1, items.length)]
  const of = { campaignId: campaign.id }
  const make = (change: Partial<Control.HumanEdit>) => {
    Control.humanEdit(sandbox, { ...of, ...change }, nowMs)
  }
  switch (event.kind) {
    case "status": {
      const { active, paused } = Blueprint.status
      const now = Timeline.latest(campaign.status)
      if (now === active || now === paused) make({ status: now === active ? paused : active })
      return
    }
    case "finish":
      make({ status: Blueprint.status.completed })
      return
    case "delete":
      remove(sandbox, campaign, event.amount, nowMs)
      return
    case "balance": {
      const before = Timeline.at(world.balance, nowMs)
      Timeline.set(world.balance, nowMs, {
        ...before,
        balance: Math.floor(before.balance * event.amount * 0.1),
        net: 0
      })
      return
    }
    default:
      if (itemId !== undefined)
        editItem(world, campaign, itemId, event, nowMs, (change) => make({ itemId, ...change }))
  }
}

/** Deletes a campaign as the marketplace does it: refused from now on, shown as deleted a minute later, listed for 3 to 10. */
const remove = (sandbox: Service, campaign: World.Campaign, amount: number, nowMs: number): void => {
  const { deleted } = Blueprint.status
  const before = Timeline.latest(campaign.status)
  const effectiveAt = Timeline.write(campaign.status, nowMs, Timeline.delays.status, deleted)
  campaign.goneFrom = nowMs + (3 + Math.floor(7 * amount)) * 60_000
  Ledger.append(sandbox.ledger, {
    at: nowMs,
    operation: "human-edit",
    seller: SandboxToken.defaultSeller,
    slot: "status",
    target: { campaignId: campaign.id },
    before,
    after: deleted,
    effectiveAt
  })
}

const editItem = (
  world: World.World,
  campaign: World.Campaign,
  itemId: number,
  { amount, kind, pick }: Extract<Event, { _tag: "Human" }>,
  nowMs: number,
  make: (change: Partial<Control.HumanEdit>) => void
): void => {
  const { payment } = campaign.blueprint
  const { clusters, floors } = World.item(world, itemId)
  const floor = floors[payment].search
  const step = payment === "cpm" ? 100 : 10
  const bidKopecks = Math.ceil((floor * (1 + 2 * amount)) / step) * step
  const cluster = clusters[pick % clusters.length]?.text
  if (kind === "bid") make({ bidKopecks })
  if (kind === "removeItem") {
    const items = Timeline.at(campaign.items, nowMs).filter((id) => id !== itemId)
    if (items.length > 0) Timeline.set(campaign.items, nowMs, items)
    return
  }
  if (cluster === undefined) return
  if (kind === "clusterBid" && Bids.hasClusterBids(campaign)) make({ cluster, bidKopecks })
  if (kind !== "minus") return
  const now = Timeline.at(Bids.minus(world, campaign, itemId), nowMs)
  make({ minus: now.has(cluster) ? [...now].filter((one) => one !== cluster) : [...now, cluster] })
}

/** Another value where the program wrote lately; answers the run over whose change it was written. */
export const overwrite = (
  sandbox: Service,
  { amount, pick }: Extract<Event, { _tag: "Human" }>,
  requests: ReadonlyArray<Request>,
  nowMs: number
): string | undefined => {
  const world = sandbox.world(SandboxToken.defaultSeller)
  const entries = requests
    .filter(({ entries, isWrite }) => isWrite && entries.length > 0)
    .slice(-lately)
    .flatMap(({ claimed, entries }) => {
      const runId = claimed.findLast(({ state }) => state === "dispatching")?.runId
      const own = Ledger.after(sandbox.ledger, (entries[0] ?? 1) - 1).slice(0, entries.length)
      return own.filter(({ slot }) => isSteered(slot)).map((entry) => ({ entry, runId }))
    })
  const found = entries[pick % Math.max(1, entries.length)]
  const campaign = World.campaign(world, found?.entry.target.campaignId ?? 0)
  if (found === undefined || campaign?.goneFrom !== undefined) return undefined
  const change = campaign === undefined ? undefined : otherwise(world, campaign, found.entry, amount, nowMs)
  if (campaign === undefined || change === undefined) return undefined
  Control.humanEdit(sandbox, { campaignId: campaign.id, ...change }, nowMs)
  return found.runId
}

/** What a person asks of `bidhelm call`. */
export interface Wish {
  readonly operation: string
  /** As `--params` has them. */
  readonly params: unknown
}

/** A bid of an item or a cluster, a minus list with one phrase more or less, or a campaign switched on or off. */
export const wish = (
  sandbox: Service,
  { amount, pick }: Extract<Event, { _tag: "Call" }>,
  nowMs: number
): Wish | undefined => {
  const world = sandbox.world(SandboxToken.defaultSeller)
  const campaigns = Truth.campaigns(world).filter(({ goneFrom }) => goneFrom === undefined)
  const campaign = campaigns[pick % campaigns.length]
  if (campaign === undefined) return undefined
  const { id } = campaign
  const { bidType, payment } = campaign.blueprint
  const items = Timeline.at(campaign.items, nowMs)
  const itemId = items[Math.floor(pick / 7) % Math.max(1, items.length)]
  const kind = Math.floor(pick / 11) % 4
  if (itemId === undefined || kind === 0) {
    const isOn = Timeline.latest(campaign.status) === Blueprint.status.active
    return { operation: isOn ? "pauseCampaign" : "startCampaign", params: { id } }
  }
  const { clusters, floors } = World.item(world, itemId)
  const cluster = clusters[pick % clusters.length]?.text
  const placement = bidType === "unified" ? "combined" : "search"
  const step = payment === "cpm" ? 100 : 10
  const bidKopecks = Math.ceil((floors[payment][placement] * (1 + 2 * amount)) / step) * step
  if (cluster === undefined || kind === 1) {
    const row = { nm_id: itemId, bid_kopecks: bidKopecks, placement }
    return { operation: "setItemBids", params: { bids: [{ advert_id: id, nm_bids: [row] }] } }
  }
  if (kind === 2 && Bids.hasClusterBids(campaign)) {
    const row = { advertId: id, nmId: itemId, normQuery: cluster, bidMinorUnits: bidKopecks }
    return { operation: "setClusterBidsMinorUnits", params: { bids: [row] } }
  }
  const now = Timeline.at(Bids.minus(world, campaign, itemId), nowMs)
  const norm_queries = now.has(cluster) ? [...now].filter((one) => one !== cluster) : [...now, cluster]
  return { operation: "setMinusPhrases", params: { advert_id: id, nm_id: itemId, norm_queries } }
}

/** Requests that somebody still remembers. */
const lately = 8

const isSteered = (slot: Ledger.Slot): boolean =>
  slot === "bid" ||
  slot === "bid.search" ||
  slot === "bid.recommendations" ||
  slot === "status" ||
  slot === "minus"

/** What somebody makes of what an entry wrote. */
const otherwise = (
  world: World.World,
  campaign: World.Campaign,
  { after, before, slot, target }: Ledger.Entry,
  amount: number,
  nowMs: number
): Partial<Control.HumanEdit> | undefined => {
  const { itemId } = target
  if (slot === "status") {
    const { active, paused } = Blueprint.status
    const now = Timeline.latest(campaign.status)
    return now === active ? { status: paused } : now === paused ? { status: active } : undefined
  }
  if (itemId === undefined || !Timeline.at(campaign.items, nowMs).includes(itemId)) return undefined
  if (slot === "minus") {
    const [was, is] = [before, after].map((list) => new Set(Array.isArray(list) ? list : []))
    const now = Timeline.at(Bids.minus(world, campaign, itemId), nowMs)
    const added = [...(is ?? [])].find((phrase) => was?.has(phrase) === false && now.has(phrase))
    return added === undefined ? undefined : { itemId, minus: [...now].filter((one) => one !== added) }
  }
  const { payment } = campaign.blueprint
  const placement = slot === "bid.recommendations" ? "recommendations" : "search"
  const step = payment === "cpm" ? 100 : 10
  const wished =
    Math.ceil((World.item(world, itemId).floors[payment][placement] * (1 + 2 * amount)) / step) * step
  const bidKopecks = wished === after ? wished + step : wished
  return slot === "bid"
    ? target.cluster === undefined
      ? undefined
      : { itemId, cluster: target.cluster, bidKopecks }
    : { itemId, placement, bidKopecks }
}

/** Adds a phrase to the list of a claimed change; false where there is none. */
export const addPhrase = (sandbox: Service, disk: Disk, nowMs: number): boolean => {
  const [row] = disk.read("SELECT slot FROM changes WHERE state = 'claimed' AND slot LIKE 'minus:%'")
  const [, campaignId, itemId] = /^minus:(\d+)\/(\d+)\//.exec(String(row?.slot))?.map(Number) ?? []
  const world = sandbox.world(SandboxToken.defaultSeller)
  const campaign = World.campaign(world, campaignId ?? 0)
  if (campaign === undefined || itemId === undefined) return false
  const now = Timeline.at(Bids.minus(world, campaign, itemId), nowMs)
  const minus = [...now, `чужие слова ${Math.floor(nowMs) % 1_000_000}`]
  Control.humanEdit(sandbox, { campaignId: campaign.id, itemId, minus }, nowMs)
  return true
}

/**
 * What the seller of a long run does daily: for what was finished or deleted there is a new campaign, for what was
 * removed the item comes back, and the account has money again.
 */
export const renew = (sandbox: Service, nowMs: number): void => {
  const world = sandbox.world(SandboxToken.defaultSeller)
  const { active, paused } = Blueprint.status
  const living = Truth.campaigns(world).filter(({ goneFrom, status }) => {
    const now = Timeline.latest(status)
    return goneFrom === undefined && (now === active || now === paused)
  })
  for (const { blueprint, items } of living)
    if (Timeline.latest(items).length < blueprint.itemIds.length)
      Timeline.set(items, nowMs, blueprint.itemIds)
  const held = new Set(living.flatMap(({ blueprint }) => blueprint.itemIds))
  for (let index = 0; index < world.scale.campaigns; index++) {
    const model = World.campaign(world, World.nativeId(world, index))?.blueprint
    if (model !== undefined && !model.itemIds.some((id) => held.has(id))) launch(world, model, nowMs)
  }
  const balance = Timeline.at(world.balance, nowMs)
  if (balance.balance < 20_000)
    Timeline.set(world.balance, nowMs, { ...balance, balance: 120_000, net: 45_000 })
}

/** A campaign like another one, under a number of its own, running from now on. */
const launch = (world: World.World, model: Blueprint.Blueprint, nowMs: number): void => {
  const { active, ready } = Blueprint.status
  const blueprint = {
    ...model,
    id: World.nativeId(world, World.count(world)),
    status: ready,
    budgetRoubles: 20_000
  }
  const campaign = World.add(world, blueprint, nowMs, nowMs)
  for (const itemId of blueprint.itemIds) Bids.bidAtFloor(world, campaign, itemId, nowMs)
  Timeline.set(campaign.startedAt, nowMs, nowMs)
  Timeline.set(campaign.status, nowMs, active)
}

/** Requests of another program of the seller: they use up the same limits and change nothing. */
export const others = (sandbox: Service, requests: number, pick: number, nowMs: number): void => {
  const operations = ["/adv/v1/promotion/count", "/adv/v1/balance", "/api/advert/v2/adverts"]
  const path = operations[pick % operations.length] as string
  for (let n = 0; n < requests; n++)
    Gate.pass(
      sandbox,
      {
        method: "GET",
        url: new URL(path, "http://sandbox"),
        authorization: `Bearer ${SandboxToken.sandboxToken()}`,
        accept: undefined,
        body: ""
      },
      { nowMs, preciseMs: nowMs }
    )
}
