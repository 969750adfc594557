/**
 * Creates something that the marketplace gives no key for, at most once: look before, journal the intent with a name of
 * its own, send once, and after an unknown outcome look for that name, or for what is new, and adopt it. Never sent
 * again by itself: what is neither found nor proved absent is looked for during a day, and then left to a person.
 */
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { BeforeSend, Withheld } from "../../domain/BeforeSend.js"
import type { CreationReason } from "../../domain/CreationReason.js"
import type { Lane } from "../../domain/Lane.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import { type Creation, CreationLog } from "./CreationLog.js"
import type { JournalState } from "./Journal.js"
import * as JournalPoints from "./JournalPoints.js"
import * as Since from "./Since.js"

/** Something in the list that the creation adds to. */
export interface Listed {
  readonly id: string
  /** Undefined where the list shows no names. */
  readonly name: string | undefined
}

/** What there is could not be read whole: by which operation, with which status, or what was left out. */
export class Unlisted extends Data.TaggedError("Unlisted")<{ readonly said: string }> {}

/** What sending came to; `id` where the answer tells it. */
export type SendOutcome =
  | { readonly _tag: "Accepted"; readonly id: string | undefined }
  | { readonly _tag: "Refused" | "NotSent" | "Unknown"; readonly said: string }

/** How one kind of thing is created and found. */
export interface Recipe<R> {
  readonly account: string
  /** Under whose lock it is made; `ads` when absent. */
  readonly lane?: Lane
  readonly operation: string
  /** A name that nothing else of the account has; it goes into the request. */
  readonly marker: string
  readonly requestHash: string
  /** Everything of the kind that there is now. */
  readonly list: Effect.Effect<ReadonlyArray<Listed>, Unlisted, R>
  readonly send: Effect.Effect<SendOutcome, never, R>
  /** How long until a created one is in the list, milliseconds. */
  readonly visibleMs: number
  /** Whether the list tells when it leaves something out: else what it does not show may be there all the same. */
  readonly provesAbsence: boolean
}

/** Where one kind of thing is looked for. */
export type Search<R> = Pick<Recipe<R>, "list" | "visibleMs" | "provesAbsence">

/**
 * `Existing`: one of that name was there before, and nothing was sent. `Adopted`: no answer came, but it was found.
 * `Absent`: it was looked for twice and is not there. `Unclear`: a person must look; `candidates` are new and nameless; `said` is the
 * failed call that left it open, where this is the run that made it.
 */
export type Created =
  | { readonly _tag: "Created" | "Existing" | "Adopted"; readonly id: string }
  | { readonly _tag: "NotSent" | "Refused" | "Absent"; readonly because: CreationReason }
  | {
      readonly _tag: "Unclear"
      readonly because: CreationReason
      readonly candidates: ReadonlyArray<string>
      readonly said?: string
    }

/** Creates it under `id`, a name of the intent that never repeats. Call it while holding the apply lock. */
export const once = <R>(
  id: string,
  recipe: Recipe<R>
): Effect.Effect<Created, StoreFailure, CreationLog | R> =>
  Effect.gen(function* () {
    const log = yield* CreationLog
    const looked = yield* Effect.either(recipe.list)
    if (looked._tag === "Left")
      return { _tag: "NotSent", because: { code: "unlisted_before", said: looked.left.said } }
    const before = looked.right
    const same = before.find(({ name }) => name === recipe.marker)?.id ?? (yield* unseen(recipe))
    if (same !== undefined) return { _tag: "Existing", id: same }
    const unsettled = yield* mayExist(recipe)
    if (unsettled !== undefined)
      return { _tag: "NotSent", because: { code: "earlier_unsettled", id: unsettled.id } }
    yield* JournalPoints.pass("compared")
    const creation = { ...intent(id, recipe, before), storedAt: yield* Clock.currentTimeMillis }
    yield* JournalPoints.pass("claiming")
    yield* log.begin(creation)
    yield* JournalPoints.pass("claimed")
    const move = moving(id)
    const lastLook = yield* BeforeSend
    const dispatching = Effect.gen(function* () {
      yield* JournalPoints.pass("permitted")
      yield* lastLook
      // A request is repeated after a 429 only, which has created nothing; whoever settled it meanwhile ends that.
      if (!(yield* move(["claimed", "dispatching"], "dispatching")))
        return yield* new Withheld({
          reason: { code: "taken_by_another_run" },
          why: "not sent: it is no longer this run's to send"
        })
      yield* JournalPoints.pass("dispatching")
    }).pipe(
      Effect.catchTag(
        "StoreFailure",
        ({ message }) => new Withheld({ reason: { code: "store_failed", said: message }, why: message })
      ),
      Effect.provideService(CreationLog, log)
    )
    const outcome = yield* Effect.provideService(recipe.send, BeforeSend, dispatching)
    yield* JournalPoints.pass("answered")
    const ended = (_tag: "NotSent" | "Refused", state: JournalState, because: CreationReason) =>
      Effect.as(move(underWay, state, { reason: because }), { _tag, because })
    switch (outcome._tag) {
      case "NotSent":
        return yield* ended("NotSent", "skipped", { code: "not_sent", said: outcome.said })
      case "Refused":
        return yield* ended("Refused", "rejected", { code: "refused", said: outcome.said })
      case "Accepted":
        if (outcome.id !== undefined) {
          yield* move(underWay, "applied", { foundId: outcome.id })
          return { _tag: "Created", id: outcome.id }
        }
        yield* move(underWay, "unknown", { reason: { code: "id_not_told" } })
        return yield* find(creation, recipe)
      case "Unknown":
        yield* move(underWay, "unknown", { reason: { code: "no_answer", said: outcome.said } })
        return yield* Effect.map(find(creation, recipe), (found) =>
          found._tag === "Unclear" ? { ...found, said: outcome.said } : found
        )
    }
  })

/** One of that name that we made and that no list can show yet: whoever asked for it may never have heard of it. */
const unseen = <R>(recipe: Recipe<R>): Effect.Effect<string | undefined, StoreFailure, CreationLog> =>
  Effect.gen(function* () {
    const made = yield* (yield* CreationLog).made(recipe)
    if (made === undefined) return undefined
    const ageMs = (yield* Clock.currentTimeMillis) - made.knownAt
    return Math.abs(ageMs) < 2 * recipe.visibleMs ? made.foundId : undefined
  })

/** An earlier one of that name of which nobody knows whether it was made. */
const mayExist = <R>({ account, marker, operation }: Recipe<R>) =>
  Effect.gen(function* () {
    const open = yield* (yield* CreationLog).open(account)
    return open.find(
      (one) => one.operation === operation && one.marker === marker && !neverLeft.includes(one.state)
    )
  })

/**
 * Settles a creation that a dead run left open. What was never sent is skipped; what may have been sent is looked for,
 * unless that was done for a day already. Call it while holding the apply lock.
 */
export const settle = <R>(
  creation: Creation,
  recipe: Search<R>
): Effect.Effect<Created, StoreFailure, CreationLog | R> =>
  Effect.gen(function* () {
    if (neverLeft.includes(creation.state)) {
      const because = { code: "never_sent" } as const
      yield* moving(creation.id)(neverLeft, "skipped", { reason: because })
      return { _tag: "NotSent", because }
    }
    const { state, storedAt, updatedAt } = creation
    const nowMs = yield* Clock.currentTimeMillis
    const isOld = state === "unknown" && Math.abs(nowMs - (updatedAt ?? storedAt)) > searchedMs
    const because = { code: "searched_a_day" } as const
    // Where no list would ever prove it, nobody is kept from another of its name for longer.
    if (isOld && !recipe.provesAbsence)
      yield* moving(creation.id)(["unknown"], "conflict", { reason: because })
    if (isOld) return { _tag: "Unclear", because, candidates: [] }
    return yield* find(creation, recipe, state === "unknown" ? updatedAt : undefined)
  })

/**
 * A person's word on a creation that may have been made: the id it has, or that there is none. Answers the state in
 * which there is nothing to settle, or nothing. Call it while holding the apply lock.
 */
export const resolve = (
  creation: Creation,
  foundId: string | undefined,
  who: string
): Effect.Effect<JournalState | undefined, StoreFailure, CreationLog> =>
  Effect.gen(function* () {
    const isMade = foundId !== undefined
    const found = isMade ? { foundId } : {}
    const note = { reason: { code: "person_said", who, ...found }, ...found } as const
    // One that was searched for a day in vain is told with the advice to say so.
    const left = ["dispatching", "unknown", "conflict"] as const
    return (yield* moving(creation.id)(left, isMade ? "applied" : "not_applied", note))
      ? undefined
      : creation.state
  })

/**
 * Looks once it can be seen, and once more: only twice absent is absent, where the list proves it. It left before `leftBy`; now,
 * unless known.
 */
const find = <R>(
  creation: Creation,
  { list, provesAbsence, visibleMs }: Search<R>,
  leftBy?: number
): Effect.Effect<Created, StoreFailure, CreationLog | R> =>
  Effect.gen(function* () {
    const move = moving(creation.id)
    yield* Since.sleep(leftBy ?? (yield* Clock.currentTimeMillis), visibleMs)
    const looks: Array<ReadonlyArray<Listed>> = []
    let unlisted: CreationReason | undefined
    for (const pause of [0, Math.max(visibleMs / 3, leastPauseMs)]) {
      yield* Effect.sleep(pause)
      const now = yield* Effect.either(list)
      if (now._tag === "Left") {
        unlisted = { code: "unlisted_after", said: now.left.said }
        looks.push([])
        continue
      }
      // One that was there before is not ours, though somebody may have given it the name since.
      const added = now.right.filter(({ id }) => !creation.beforeIds.includes(id))
      const found = added.find(({ name }) => name === creation.marker)
      if (found !== undefined) {
        yield* move(underWay, "applied", { foundId: found.id, reason: { code: "adopted" } })
        return { _tag: "Adopted", id: found.id }
      }
      looks.push(added.filter(({ name }) => name === undefined))
      const listed = new Set(now.right.map(({ id }) => id))
      // Some may be deleted meanwhile; a list without any of them is none that shows this one.
      const isOther = creation.beforeIds.length > 0 && !creation.beforeIds.some((id) => listed.has(id))
      if (isOther) unlisted = { code: "nothing_of_before" }
    }
    const fresh = looks.at(-1) ?? []
    if (unlisted !== undefined || fresh.length > 0 || !provesAbsence) {
      const because: CreationReason = unlisted ?? {
        code: fresh.length > 0 ? "nameless_new" : "unlisted_twice"
      }
      yield* move(["dispatching"], "unknown", { reason: because })
      return { _tag: "Unclear", because, candidates: fresh.map((one) => one.id) }
    }
    const because = { code: "absent" } as const
    yield* move(underWay, "not_applied", { reason: because })
    return { _tag: "Absent", because }
  })

const leastPauseMs = 1000
/** So long after its answer failed to come it is looked for, milliseconds: lists that cannot be read may be mended. */
const searchedMs = 86_400_000

const neverLeft: ReadonlyArray<JournalState> = ["planned", "claimed"]
const underWay: ReadonlyArray<JournalState> = ["claimed", "dispatching", "unknown"]

const intent = <R>(
  id: string,
  { account, lane = "ads", marker, operation, requestHash }: Recipe<R>,
  before: ReadonlyArray<Listed>
): Omit<Creation, "storedAt"> => ({
  id,
  account,
  lane,
  operation,
  marker,
  requestHash,
  beforeIds: before.map((one) => one.id),
  state: "claimed",
  foundId: undefined,
  reason: undefined
})

const moving =
  (id: string) =>
  (
    from: ReadonlyArray<JournalState>,
    to: JournalState,
    note: { readonly foundId?: string; readonly reason?: CreationReason } = {}
  ) =>
    Effect.gen(function* () {
      const log = yield* CreationLog
      return yield* log.move(id, from, to, { nowMs: yield* Clock.currentTimeMillis, ...note })
    })
