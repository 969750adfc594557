/** What befalls a run, drawn from its seed before it begins: a list of events in virtual time, and nothing else. */
import type * as Faults from "../../../src/sandbox/Faults.js"
import { Chance } from "./Chance.js"
import * as ShopEvents from "./ShopEvents.js"
import * as Trouble from "./Trouble.js"

/** Something that begins; `untilMs` is when it is over. Instants are epoch milliseconds of the marketplace's clock. */
export type Event =
  /** The marketplace misbehaves. */
  | {
      readonly _tag: "Faults"
      readonly at: number
      readonly untilMs: number
      readonly list: ReadonlyArray<Faults.Fault>
    }
  /** The network repeats requests, delivers them after the caller gave up, or a cache answers with old statistics. */
  | {
      readonly _tag: "Network"
      readonly at: number
      readonly untilMs: number
      readonly kind: NetworkKind
      readonly share: number
    }
  /** Deposits arrive after the caller gave up, so that the money shows them late. */
  | { readonly _tag: "LateDeposits"; readonly at: number; readonly untilMs: number }
  /** Another person, or another program of the seller. `pick` chooses the target among what there is. */
  | {
      readonly _tag: "Human"
      readonly at: number
      readonly kind: HumanKind
      readonly pick: number
      readonly amount: number
    }
  /** Somebody adds a phrase to a minus list after the program has read it to replace it, which then has to wait. */
  | { readonly _tag: "Between"; readonly at: number; readonly untilMs: number }
  /** The marketplace, or somebody else of the seller, does something to a promotion. */
  | {
      readonly _tag: "Calendar"
      readonly at: number
      readonly kind: CalendarPlay
      readonly pick: number
      readonly amount: number
    }
  /** Something happens to orders, supplies or marks at the marketplace. */
  | {
      readonly _tag: "Shop"
      readonly at: number
      readonly kind: ShopEvents.ShopPlay
      readonly pick: number
      readonly amount: number
    }
  /** A person gives marks, prints labels, cancels an order or moves one, with Bidhelm. */
  | {
      readonly _tag: "Errand"
      readonly at: number
      readonly kind: ShopEvents.Errand
      readonly pick: number
      readonly amount: number
    }
  /** As a crash, counted from when items that are to be filed for a promotion wait for their call limit. */
  | {
      readonly _tag: "AtUpload"
      readonly at: number
      readonly untilMs: number
      readonly downMs: number
      readonly where: CallSite
      readonly calls: number
      readonly isAfter: boolean
    }
  /** Another program of the seller makes requests with the same token kind. */
  | { readonly _tag: "OtherSoftware"; readonly at: number; readonly requests: number; readonly pick: number }
  /** The process dies at its n-th call from now to the store or to the network, before or after the call took effect. */
  | {
      readonly _tag: "Crash"
      readonly at: number
      readonly downMs: number
      readonly where: CallSite
      readonly calls: number
      readonly isAfter: boolean
    }
  /**
   * The process hangs at its n-th call until `untilMs`; another one is started after `downMs` meanwhile. Woken, the
   * first one goes on for `longerMs` beside the second. `isAsleep`: its machine sleeps, from its next run's beginning until
   * another one begins a run, at most until `untilMs`; nothing tells it that time has passed.
   */
  | {
      readonly _tag: "Freeze"
      readonly at: number
      readonly untilMs: number
      readonly downMs: number
      readonly longerMs: number
      readonly where: CallSite
      readonly calls: number
      readonly isAfter: boolean
      readonly isAsleep?: boolean
    }
  /** The process is asked to stop, ends in good order, and is started again. */
  | { readonly _tag: "Stop"; readonly at: number; readonly downMs: number }
  /** The kill switch: a file, or `bidhelm kill` in the store. `inWait`: the file, once a change waits for its call limit. */
  | {
      readonly _tag: "Kill"
      readonly at: number
      readonly untilMs: number
      readonly inStore?: boolean
      readonly inWait?: boolean
    }
  /** `bidhelm hold`, and `resume` when it is over. */
  | {
      readonly _tag: "Hold"
      readonly at: number
      readonly untilMs: number
      readonly kind: HoldKind
      readonly pick: number
    }
  /** `bidhelm plan`: a look, nothing is sent. */
  | { readonly _tag: "Look"; readonly at: number }
  /** `bidhelm undo` of one of the last runs; `ofEdited`: of the one over whose change a person has written. */
  | { readonly _tag: "Undo"; readonly at: number; readonly pick: number; readonly ofEdited?: boolean }
  /** `bidhelm approve` or `reject` of something that waits. */
  | {
      readonly _tag: "Decide"
      readonly at: number
      readonly pick: number
      readonly isYes: boolean
      /** Something about promotions, or about orders; else something about advertising. */
      readonly ofPromotions?: boolean
      readonly ofOrders?: boolean
    }
  /** `bidhelm call` of something that a kind of change covers. */
  | { readonly _tag: "Call"; readonly at: number; readonly pick: number; readonly amount: number }
  /** `bidhelm store purge`. */
  | { readonly _tag: "Purge"; readonly at: number }
  | { readonly _tag: "DiskFull"; readonly at: number; readonly untilMs: number }
  /** The machine's clock jumps; the marketplace's does not. */
  | { readonly _tag: "Clock"; readonly at: number; readonly byMs: number }
  /** The seller saves other rules. */
  | { readonly _tag: "Rules"; readonly at: number; readonly version: number }

export type NetworkKind = "duplicate" | "late" | "stale"
export type HumanKind =
  | "bid"
  | "clusterBid"
  | "minus"
  | "status"
  | "removeItem"
  | "finish"
  | "delete"
  | "balance"
  /** Another value where the program has written. */
  | "ours"
  /** Phrases of the seller's own in the minus lists of some items. */
  | "lists"
/** `start`: it has started. `soon`, `later`, `longer`, `end`: it is moved. `lower`: its prices. `enter`: an item is in. */
export type CalendarPlay = "lower" | "start" | "soon" | "later" | "longer" | "end" | "delete" | "enter"
export type HoldKind = "account" | "policy" | "target"
/** `begin`: where a run is written down before anything of it is sent. */
export type CallSite = "store" | "network" | "begin"

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** How often each concern strikes, times per day. */
export const rates = {
  faults: 9,
  network: 3,
  human: 6,
  otherSoftware: 2,
  crash: 4,
  freeze: 1.5,
  stop: 1.5,
  kill: 0.7,
  diskFull: 0.5,
  clock: 0.4,
  rules: 1,
  hold: 0.7,
  look: 1,
  undo: 2,
  decide: 3,
  call: 2,
  purge: 0.7,
  overwrite: 3,
  between: 3,
  killInWait: 0.7,
  lateDeposits: 1,
  sleep: 1.5,
  outage: 1.5,
  tasks: 4,
  calendar: 5,
  agree: 4,
  atUpload: 1.5
} as const

/** The events between two instants, ascending. The last quarter of an hour before `toMs` is not begun in. */
export const draw = (seed: number, fromMs: number, toMs: number): ReadonlyArray<Event> => {
  const drawn = (Object.keys(rates) as ReadonlyArray<keyof typeof rates>).flatMap((concern) => {
    const chance = new Chance(seed, concern)
    const found: Array<Event> = []
    for (
      let at = next(chance, fromMs, rates[concern]);
      at < toMs - hourMs / 2;
      at = next(chance, at, rates[concern])
    )
      found.push(...events(concern, chance, Math.max(fromMs, Math.floor(near(chance, at))), toMs))
    return found
  })
  const all = [
    ...standing(new Chance(seed, "standing"), fromMs, toMs),
    ...drawn,
    ...ShopEvents.draw(seed, fromMs, toMs)
  ]
  return all.filter(({ at }) => at < toMs - hourMs / 4).sort((a, b) => a.at - b.at)
}

/**
 * What a seed begins with: a marketplace that leaves some clusters out of its statistics all the time, as a real one does;
 * or one that has none at all yet, or nothing but zeros, when every rule has its first moves before it and nothing was seen
 * that zeros could be held against; or nothing but zeros from the second turn on, when other policies are due than in the
 * first; and minus lists with phrases of the seller's own.
 */
const standing = (chance: Chance, fromMs: number, toMs: number): ReadonlyArray<Event> => {
  const share = 0.1 + 0.2 * chance.unit()
  const gaps = [{ kind: "omit", operation: "getClusterStats", share }] as const
  const none = chance.happens(0.3) ? Trouble.outage(chance) : Trouble.zeros
  const noneAt =
    none === Trouble.zeros && chance.happens(0.5) ? fromMs + chance.int(65, 115) * minuteMs : fromMs
  const untilMs = Math.min(toMs, noneAt + chance.int(65, 300) * minuteMs)
  const lists = {
    _tag: "Human",
    at: fromMs,
    kind: "lists",
    pick: chance.int(0, 1_000_000),
    amount: 0
  } as const
  return [
    ...(chance.happens(0.5) ? [{ _tag: "Faults", at: fromMs, untilMs: toMs, list: gaps } as const] : []),
    ...(chance.happens(0.6) ? [{ _tag: "Faults", at: noneAt, untilMs, list: none } as const] : []),
    ...(chance.happens(0.6) ? [lists] : [])
  ]
}

/** Of what ends a campaign for good, a part that leaves one time to live through the rest. */
export const isLasting = (event: Event): boolean =>
  event._tag !== "Human" || (event.kind !== "finish" && event.kind !== "delete") || event.pick % 5 === 0

/** Time between two events falls off exponentially. */
const next = (chance: Chance, fromMs: number, perDay: number): number =>
  fromMs + (-Math.log(1 - chance.unit()) * 24 * hourMs) / perDay

/** Most of what happens does so about when policies are due; at other times there is little that it could disturb. */
const near = (chance: Chance, at: number): number => {
  const offset = chance.int(-4, 6) * minuteMs + chance.int(0, 59_999)
  const due = Math.round((at - turnsMs) / (2 * hourMs)) * 2 * hourMs + turnsMs
  return chance.happens(0.75) ? due + offset : at
}

/** Even hours of Moscow. */
const turnsMs = hourMs

/** Mostly one; what a person has written over may be taken back by another a little later. */
const events = (
  concern: keyof typeof rates,
  chance: Chance,
  at: number,
  toMs: number
): ReadonlyArray<Event> => {
  if (concern !== "overwrite") return [event(concern, chance, at, toMs)]
  const edit = event(concern, chance, at, toMs)
  if (!chance.happens(0.75)) return [edit]
  const undoneAt = at + chance.int(1, 20) * minuteMs
  return [edit, { _tag: "Undo", at: undoneAt, pick: chance.int(0, 1_000_000), ofEdited: true }]
}

const event = (concern: keyof typeof rates, chance: Chance, at: number, toMs: number): Event => {
  const until = (most: number) => Math.min(toMs, at + chance.int(1, most) * minuteMs)
  switch (concern) {
    case "faults":
      return { _tag: "Faults", at, untilMs: until(90), list: Trouble.draw(chance) }
    case "outage":
      return { _tag: "Faults", at, untilMs: until(300), list: Trouble.outage(chance) }
    case "tasks":
      return { _tag: "Faults", at, untilMs: until(240), list: Trouble.ofPromotions(chance) }
    case "calendar":
      return {
        _tag: "Calendar",
        at,
        kind: chance.pick(plays),
        pick: chance.int(0, 1_000_000),
        amount: chance.unit()
      }
    case "agree":
      return {
        _tag: "Decide",
        at,
        pick: chance.int(0, 1_000_000),
        isYes: chance.happens(0.8),
        ofPromotions: true
      }
    case "atUpload":
      return {
        _tag: "AtUpload",
        at,
        untilMs: until(360),
        downMs: chance.pick([0, 1, 31, 3600]) * 1000,
        where: chance.pick(["store", "network"]),
        calls: chance.int(1, 4),
        isAfter: chance.happens(0.5)
      }
    case "network":
      return {
        _tag: "Network",
        at,
        untilMs: until(60),
        kind: chance.pick(["duplicate", "late", "stale"]),
        share: chance.pick([0.2, 1])
      }
    case "human":
      return {
        _tag: "Human",
        at,
        kind: chance.pick(humans),
        pick: chance.int(0, 1_000_000),
        amount: chance.unit()
      }
    case "otherSoftware":
      return { _tag: "OtherSoftware", at, requests: chance.int(1, 40), pick: chance.int(0, 1_000_000) }
    case "crash":
      return {
        _tag: "Crash",
        at,
        downMs: chance.pick([0, 1, 20, 31, 300, 3600, 7200]) * 1000,
        where: chance.pick(["store", "store", "network"]),
        calls: chance.int(1, chance.pick([6, 40, 200])),
        isAfter: chance.happens(0.5)
      }
    case "stop":
      return { _tag: "Stop", at, downMs: chance.int(0, 30) * minuteMs }
    case "freeze":
      return {
        _tag: "Freeze",
        at,
        untilMs: Math.min(toMs, at + chance.pick([5, 40, 50, 120, 1200, 5400]) * 1000),
        downMs: chance.pick([0, 1, 10, 60]) * 1000,
        longerMs: chance.pick([20, 120, 1800]) * 1000,
        where: chance.pick(["store", "network"]),
        calls: chance.int(1, chance.pick([10, 40, 150])),
        isAfter: chance.happens(0.5)
      }
    case "kill":
      return { _tag: "Kill", at, untilMs: until(120), inStore: chance.happens(0.6) }
    case "hold":
      return {
        _tag: "Hold",
        at,
        untilMs: until(240),
        kind: chance.pick(["account", "policy", "target"]),
        pick: chance.int(0, 1_000_000)
      }
    case "look":
      return { _tag: "Look", at }
    case "undo":
      return { _tag: "Undo", at, pick: chance.int(0, 1_000_000) }
    case "decide":
      return { _tag: "Decide", at, pick: chance.int(0, 1_000_000), isYes: chance.happens(0.75) }
    case "call":
      return { _tag: "Call", at, pick: chance.int(0, 1_000_000), amount: chance.unit() }
    case "purge":
      return { _tag: "Purge", at }
    case "overwrite":
      return { _tag: "Human", at, kind: "ours", pick: chance.int(0, 1_000_000), amount: chance.unit() }
    case "between":
      return { _tag: "Between", at, untilMs: until(720) }
    case "killInWait":
      return { _tag: "Kill", at, untilMs: until(180), inWait: true }
    case "lateDeposits":
      return { _tag: "LateDeposits", at, untilMs: until(180) }
    case "sleep":
      return {
        _tag: "Freeze",
        at,
        untilMs: Math.min(toMs, at + chance.int(60, 240) * minuteMs),
        downMs: 1000,
        longerMs: chance.pick([20, 120]) * 1000,
        where: "begin",
        calls: 1,
        isAfter: false,
        isAsleep: true
      }
    case "diskFull":
      return { _tag: "DiskFull", at, untilMs: until(60) }
    case "clock":
      return { _tag: "Clock", at, byMs: chance.pick([-1, 1]) * chance.pick([minuteMs, hourMs]) }
    case "rules":
      return { _tag: "Rules", at, version: chance.int(1, 3) }
  }
}

/** What happened, for the counts of a summary: each kind of fault apart. */
export const name = (event: Event): string => {
  switch (event._tag) {
    case "Faults":
      return `marketplace: ${Trouble.name(event.list)}`
    case "Network":
      return `network: ${event.kind}`
    case "Human":
      return `person: ${event.kind}`
    case "Kill":
      if (event.inWait === true) return "kill switch: in the limiter's wait"
      return event.inStore === true ? "kill switch: store" : "kill switch: file"
    case "Freeze":
      return event.isAsleep === true ? "sleep" : "freeze"
    case "Undo":
      return event.ofEdited === true ? "undo after an edit" : "undo"
    case "Between":
      return "person: minus list between reading and writing"
    case "LateDeposits":
      return "network: late deposits"
    case "Hold":
      return `hold: ${event.kind}`
    case "Calendar":
      return `calendar: ${event.kind}`
    case "AtUpload":
      return "crash at an upload"
    case "Shop":
      return `shop: ${event.kind}`
    case "Errand":
      return `orders: ${event.kind}`
    case "Decide":
      if (event.ofOrders === true) return "decide about orders"
      return event.ofPromotions === true ? "decide about promotions" : "decide"
    default:
      return event._tag.toLowerCase()
  }
}

/** How a request that met a fault of the marketplace is counted. */
export const struck = (list: Parameters<typeof Trouble.name>[0]): string => `${struckBy}${Trouble.name(list)}`

const struckBy = "request struck: "

const humans: ReadonlyArray<HumanKind> = [
  "bid",
  "bid",
  "clusterBid",
  "minus",
  "minus",
  "status",
  "status",
  "removeItem",
  "finish",
  "delete",
  "balance"
]

const plays: ReadonlyArray<CalendarPlay> = [
  "lower",
  "lower",
  "start",
  "soon",
  "soon",
  "soon",
  "later",
  "longer",
  "end",
  "delete",
  "enter",
  "enter"
]

/** Every name: a run of many seeds must have met each of them. */
export const kinds: ReadonlyArray<string> = [
  ...Trouble.names.map((found) => `marketplace: ${found}`),
  ...["duplicate", "late", "stale"].map((kind) => `network: ${kind}`),
  ...[...new Set(humans), "ours", "lists"].map((kind) => `person: ${kind}`),
  ...["account", "policy", "target"].map((kind) => `hold: ${kind}`),
  ...[...new Set(plays)].map((kind) => `calendar: ${kind}`),
  ...ShopEvents.names,
  "crash at an upload",
  "decide about promotions",
  "kill switch: file",
  "kill switch: store",
  "kill switch: in the limiter's wait",
  "network: late deposits",
  "person: minus list between reading and writing",
  "undo after an edit",
  "sleep",
  ...[
    "othersoftware",
    "crash",
    "freeze",
    "stop",
    "diskfull",
    "clock",
    "rules",
    "look",
    "undo",
    "decide",
    "call",
    "purge"
  ],
  "zombie woken"
]

/** All that is counted by name: every kind of event, and every fault of the marketplace by whom it met. */
export const countable: ReadonlyArray<string> = [
  ...kinds,
  ...Trouble.names.map((found) => `${struckBy}${found}`)
]

/** One line for the trace. */
export const print = ({ _tag, at: _, ...rest }: Event): string => `${_tag} ${JSON.stringify(rest)}`
