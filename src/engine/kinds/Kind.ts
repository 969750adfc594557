/**
 * What the program has to know of a kind of change, whoever plans it: one record each, made in the files beside this one
 * and gathered in `Kinds.ts`. The other half, how it reaches the marketplace, is in `src/marketplace`. Pure.
 */
import type { Lane } from "../../domain/Lane.js"
import type { OutcomeReason } from "../../domain/OutcomeReason.js"
import type { ChangeSubject, SupplyRef } from "../../domain/Target.js"
import type { AdChange, Change, Value } from "./Change.js"
import type { ActionName, MoneySource } from "./Parts.js"
import type { Past } from "./Past.js"
import type * as Seen from "./Seen.js"

/**
 * `A` sets a value and may be sent again; `B` replaces a whole list; `C` creates something without a key; `D` pays;
 * `E` cannot be taken back.
 */
export type WriteClass = "A" | "B" | "C" | "D" | "E"

/** Where a change belongs, and the one fact that shows it; no fact where none does alone. */
export interface Place {
  readonly target: ChangeSubject
  readonly each: "campaign" | "campaign_item" | "promotion_item" | "cluster"
  readonly fact: string
}

/** What an inverse sets; the rest is the same for all. */
export interface Made extends Pick<Change, "action" | "before" | "after"> {
  readonly details: Change["details"]
  readonly notes: Change["reason"]
}

/** The part of a change that its kind judges before it is a change. */
type Move = Pick<Change, "before" | "after">

/** One value of the facts by its vocabulary id; undefined where it is not known. */
export type Facts = (id: string) => Value | undefined

/** Money that a kind pays out. */
export interface Payout<C extends Change = Change> {
  /** Kopecks. */
  readonly amount: (change: Move) => number
  source(change: Pick<C, "details">): MoneySource
  /** How much of that money there was when it was planned, kopecks; undefined when nobody knows. */
  available(change: Pick<C, "details">): number | undefined
  /** What of the amount promo bonuses pay, kopecks; absent where they pay nothing of any change. */
  cashback?(change: Pick<C, "details">): number
  /** What the campaign that gets it was when it was planned; undefined when nobody knows. */
  status(change: Pick<C, "details">): string | undefined
  /** Why a slot with one whose outcome is open gets no other. */
  readonly open: string
}

/** Changes that go whole or not at all: whose they are, and how many belong to them. */
export interface Group {
  readonly key: string
  readonly size: number
}

/** `pauses the campaign`, or `would` pause it as long as that is not sure, and what follows. */
interface Overtaking {
  readonly does: string
  readonly would: string
  readonly so: string
}

/** A kind of change. Its members are methods, so that the record of one kind fits where any kind is asked for. */
export interface Kind<C extends Change = Change> {
  // Where.
  /** The lane in which its changes are sent. One slot is never written from two lanes. */
  readonly lane: Lane
  /** What the keys of its slots begin with. */
  readonly prefix: string
  /** The one thing a change sets, at most one change per slot and run; also the key of the slot's history. */
  slotOf(change: Pick<C, "subject" | "details">): string
  /** What a slot is about, from the rest of its key; undefined where it cannot be read. */
  targetOf(rest: string): ChangeSubject | undefined
  /** The level and fact that show the slot; undefined where no fact does alone. */
  shownBy?(rest: string): Pick<Place, "each" | "fact">
  /** The slot's value by the facts of its row; undefined where nobody can tell. */
  live(facts: Facts, rest: string): Value | undefined
  /** Whether what is shown is the slot's own value; undefined where nobody can tell. Always when absent. */
  isOwn?(facts: Facts): boolean | undefined
  /** Facts as they are once the change can be seen. */
  leaves(change: C): Readonly<Record<string, Value>>
  /** A count that the change moves by one. */
  counts?(change: C): { readonly fact: string; readonly by: 1 | -1 }

  // Sending.
  /** Smaller leaves first: money before what it lets start, what stops before what is steered. */
  readonly order: number
  /** As `order`, of a change that leaves at another time than others of its kind; undefined for one that does not. */
  turn?(change: C): number | undefined
  readonly writeClass: WriteClass
  /** Until when an outcome must be known after the request left, milliseconds; later somebody is told. */
  readonly deadlineMs: number
  /** Operations that may carry it. */
  operations(change: C): ReadonlyArray<string>
  /** Changes of one key are never parted: they go in one request, since one alone would undo the others or be refused. */
  together?(change: C): string
  /** A group that goes whole or not at all, for a part of it costs money and brings nothing; undefined for a change alone. */
  whole?(change: C): Group | undefined
  /** True when its writer reads the live value itself right before it writes. */
  readonly writerLooks?: true
  /** True when a campaign that is not listed any more shows that the change is done. */
  readonly isDoneWhenGone?: true
  /**
   * Of what is filed and takes effect later: until when the old value proves nothing, epoch milliseconds. The change stays
   * open until then, and is a `conflict` when it is not there by then. `offer` is what was read back with it.
   */
  filedUntil?(change: C, sentAt: number, offer?: Seen.Offer): number
  /** True when rules set a slot once: of what has left, none is sent again, whatever became of it. */
  readonly isOnce?: true
  /** Of the one kind whose live value tells whether anything of a campaign can be set: what to ask about to know only that. */
  tellsOfCampaign?(by: AdChange): Change
  /** Of what is made for others of its plan alone: the supply that these go `into`. Where none of them is left to go, it is not made. */
  madeFor?(change: C): SupplyRef
  /**
   * The change as it is looked at before it is sent: with what is to be read of `others` of its kind that left since it was planned, or are
   * open. They are those that are `about` the same.
   */
  beside?: { about(change: C): string; lookedAt(change: C, others: ReadonlyArray<C>): C }
  /**
   * When the time passes that it was planned for, epoch milliseconds; absent or undefined where there is none. From then on `stale` tells,
   * a look of before says nothing, and no person is asked for it.
   */
  holdsUntil?(change: C): number | undefined
  /** What else speaks against sending it now, though the slot still holds what the plan saw. */
  stale?(change: C, live: Seen.Shown, nowMs: number): OutcomeReason | undefined
  /** What a live value means; as `Seen.compare` when absent. */
  compare?(change: C, live: Seen.Shown): Seen.Seen
  /** Of a change whose slot had no value of its own: the slot whose value it shows until then. */
  follows?(change: C): string | undefined
  /** Set for kinds that pay: their outcome is proved by the money. */
  readonly pays?: Payout<C>
  /** The fact with the smallest value that the marketplace takes, of the change's item. */
  minimum?(change: C): string

  // Judging.
  /** True for what statistics must follow before it moves again, and what limits cut by spend. */
  readonly isSteered: boolean
  /** True for what lets a campaign spend more than before. */
  isDearer(move: Move): boolean
  /** Of several outcomes the smallest wins; by what lets money be spent when absent. */
  price?(move: Move): number
  /** True when two policies that want opposite values keep each other from both. */
  readonly isContested?: true
  /** True for what may wait once the marketplace has refused it. */
  readonly rests?: true
  /** Whether a campaign runs after it. */
  switches?(move: Pick<Move, "after">): "on" | "off" | undefined
  /** True when the marketplace sets the value by itself too, so that it alone proves no person. */
  setsItself?(live: Value): boolean
  /** False for values that no person sets. */
  isSettable?(live: Value): boolean
  /** Why nobody can estimate what it does to the spend. */
  readonly unforeseen?: string
  /** True for what spends no advertising money, so that no estimate is missing. */
  readonly isFree?: true
  /** The supply under which people read it, together with others that differ in nothing but whom they are about. */
  into?(change: C): SupplyRef
  /** `measured` by how far it moves, `notable` asks a person, `irreversible` always does. */
  readonly risk: "measured" | "notable" | "irreversible"
  /** What it makes pointless of others in its plan, and what would make it so. */
  overtakes?(change: C): string | undefined
  /** Why they yield, for people, as what follows the policy of the change that they yield to. */
  readonly overtaking?: Overtaking
  yieldsTo?(change: C): string

  // Taking back.
  /** Why it cannot be taken back at all; undefined when it can. */
  irreversible?(change: Pick<C, "before" | "details">): string | undefined
  /** Why what was there before cannot come back exactly, though nearly; undefined when it can. */
  inexact?(move: Pick<Move, "before">): string | undefined
  /** The way back, or why there is none. */
  inverse(past: Past<C>, slot: ReadonlyArray<Past<C>>): Made | string
  /** The word for going back from one value to another. */
  backwards(move: Move): ActionName

  // Saying.
  /** A value for people: `440 ₽`, `paused`, `in the minus list`. */
  print(value: Value, sign: string): string
  /** What the journal keeps of the answer to a request, for people; undefined where it says nothing. */
  answered?(evidence: string): string | undefined
  /** What its change makes is kept by the marketplace's id of it, as people call such a thing: `pass`. */
  readonly makes?: string
  /** What a change does, for people. */
  effect(change: Omit<C, "moneyPerDayKopecks">, sign: string): string
}

/** A line of the reason of an inverse. */
export const note = (condition: string, value: string): Change["reason"][number] => ({
  condition,
  value,
  holds: "true"
})

/** Milliseconds after a request left until its outcome must be known. */
export const deadlines = {
  bid: 120_000,
  status: 240_000,
  /** What is kept in the marketplace's database: lists, placements, budgets. */
  database: 600_000,
  deletion: 1_200_000,
  /** A filed task takes its time, and nobody says how long (field note P04). */
  filing: 21_600_000,
  /** Orders, supplies and passes show what was written within seconds (field note O28). */
  assembly: 120_000
} as const
