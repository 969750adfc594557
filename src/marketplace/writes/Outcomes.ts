/** What the marketplace's answer, or the lack of one, means for the changes of a request. */
import * as Effect from "effect/Effect"
import * as Hash from "../../domain/Hash.js"
import { ChangeId } from "../../domain/Ids.js"
import * as OutcomeReason from "../../domain/OutcomeReason.js"
import { WritePermit } from "../../domain/WritePermit.js"
import type { WriteBatch, WriteOutcome } from "../../engine/door/Writer.js"
import type { AdChange, Change } from "../../engine/kinds/Change.js"
import type { Live } from "../../engine/kinds/Seen.js"
import {
  type CallError,
  effectOf,
  isLimit,
  isRetired,
  type MarketplaceError,
  ofWrite,
  type Refused
} from "../../services/MarketplaceError.js"

export const accepted: WriteOutcome = { _tag: "Accepted" }

/** Something was made, under this id. */
export const made = (id: number | string): WriteOutcome => ({ _tag: "Accepted", evidence: String(id) })

/** A failed request: not sent, refused, or maybe carried out. */
export const ofError = (error: CallError): WriteOutcome => {
  // The journal tells what becomes of it: nobody is to try again by hand.
  const said = ofWrite(error, "told").message
  if (effectOf(error) === "unknown") return { _tag: "Unknown", reason: { code: "no_answer", said } }
  switch (error._tag) {
    case "LimitStopped":
      return { _tag: "NotSent", reason: { code: ofLimit[error.because], said } }
    case "Withheld":
      return { _tag: "NotSent", reason: error.reason }
    case "Throttled":
      return { _tag: "NotSent", reason: { code: "throttled", said } }
    case "Transport":
      return { _tag: "NotSent", reason: { code: "not_reached", said } }
    default:
      return error.arrived === "no"
        ? { _tag: "NotSent", reason: unsent(error, said) }
        : { _tag: "Rejected", reason: refusal(error, said) }
  }
}

/** What a token may do and a path that is gone are about none of the changes: they go once that is mended. */
const refusal = (error: MarketplaceError, said: string): OutcomeReason.OutcomeReason => {
  if (error._tag === "Unauthorised") return { code: "account_refused", said }
  return error._tag === "Forbidden" || (error._tag === "Refused" && isRetired(error))
    ? { code: "request_refused", said, ...(error.page === true ? { page: true } : {}) }
    : { code: "refused", said }
}

/** Nobody refused what was found wrong before it left: it does not rest. */
const unsent = (error: MarketplaceError, said: string): OutcomeReason.OutcomeReason => {
  if (error._tag === "Refused") return { code: "unfit", said: error.text }
  const isOff = error._tag === "Forbidden" && error.switchedOff === true
  return isOff ? { code: "switched_off", said } : refusal(error, said)
}

const ofLimit = {
  no_room: "limit_left_no_room",
  not_kept: "limit_not_kept",
  switched_off: "switched_off"
} as const

/** A live value that could not be read: why, or the call that failed. */
export const unreadable = (why: string | CallError): Live =>
  typeof why === "string"
    ? { _tag: "Unreadable", why }
    : { _tag: "Unreadable", why: why.message, ...(isLimit(why) ? { isLimited: true } : {}) }

/** The same outcome for every change of a request. */
export const forAll = (
  changes: ReadonlyArray<Change>,
  outcome: WriteOutcome
): ReadonlyMap<string, WriteOutcome> => new Map(changes.map((change) => [change.id, outcome]))

/** What became of each change of a request that failed: where a row of it was refused, by the words. */
export const ofRefused = (
  changes: ReadonlyArray<AdChange>,
  error: CallError
): ReadonlyMap<string, WriteOutcome> =>
  isOfSome(error) ? ofReason(changes, error.text, error.message) : forAll(changes, ofError(error))

/**
 * Of a request that was refused because of some of its changes, what became of each (field notes M06, M12, M14): whom the words
 * name is refused, and the others go without. Words that name nobody, or only what all have in common, leave all in doubt. `said` is what is kept of them.
 */
export const ofReason = (
  changes: ReadonlyArray<AdChange>,
  words: string,
  said = words
): ReadonlyMap<string, WriteOutcome> => {
  const theirs = new Set(namedIn(words, changes))
  const reason = { code: "refused", said } as const
  if (theirs.size === 0) return forAll(changes, { _tag: "Doubted", reason })
  return new Map(
    changes.map((change) => [
      change.id,
      theirs.has(change)
        ? { _tag: "Rejected", reason }
        : { _tag: "Spoiled", reason: OutcomeReason.of("refused_with_another") }
    ])
  )
}

/** The marketplace read the request and found a row of it wrong. */
const isOfSome = (error: CallError): error is Refused =>
  error._tag === "Refused" &&
  error.arrived === "yes" &&
  error.page !== true &&
  (error.status === 400 || error.status === 422)

/**
 * The changes that words are about: by their phrases (and the item, where one is named beside), else by their item, else by their
 * campaign. What all of them share tells nobody apart.
 */
const namedIn = (words: string, changes: ReadonlyArray<AdChange>): ReadonlyArray<AdChange> => {
  const byPhrase = ofPhrases(words, changes)
  const byItem = namedBy(words, changes, ({ subject }) => subject.itemId)
  const both = byPhrase.filter((change) => byItem.includes(change))
  if (byPhrase.length > 0) return both.length > 0 ? both : byPhrase
  return byItem.length > 0 ? byItem : namedBy(words, changes, ({ subject }) => subject.campaignId)
}

/** A phrase that stands inside a longer one that is named is not meant. */
const ofPhrases = (words: string, changes: ReadonlyArray<AdChange>): ReadonlyArray<AdChange> => {
  const phraseOf = ({ subject: { cluster } }: AdChange) => cluster
  const named = changes.filter((change) => names(words, phraseOf(change) ?? ""))
  const phrases = [...new Set(named.flatMap((change) => phraseOf(change) ?? []))]
  return named.filter(
    (change) => !phrases.some((one) => one !== phraseOf(change) && names(one, phraseOf(change) ?? ""))
  )
}

/** The phrase of a list that words are about, as far as they name one; the longest, for a shorter one may stand inside it. */
export const phraseNamed = <P extends string>(error: CallError, phrases: ReadonlyArray<P>): P | undefined =>
  isOfSome(error)
    ? phrases
        .filter((phrase) => names(error.text, phrase))
        .reduce<P | undefined>((best, one) => (one.length > (best?.length ?? 0) ? one : best), undefined)
    : undefined

const namedBy = (
  words: string,
  changes: ReadonlyArray<AdChange>,
  idOf: (change: AdChange) => number | undefined
): ReadonlyArray<AdChange> => {
  const ids = new Set(changes.map(idOf))
  if (ids.size === 1 && changes.length > 1) return []
  return changes.filter((change) => {
    const id = idOf(change)
    return id !== undefined && names(words, `${id}`)
  })
}

/** As a word of its own; a reason may spell a phrase in its own way. */
const names = (words: string, name: string): boolean => {
  const [text, sought] = [plain(words), plain(name)]
  if (sought === "") return false
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1))
    if (!isOfWord(text[at - 1]) && !isOfWord(text[at + sought.length])) return true
  return false
}

const isOfWord = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}]/u.test(character)

const plain = (text: string): string => text.toLowerCase().replaceAll("ё", "е")

/**
 * A request whose body is `body`. It is sent only under a permit that covers each of its changes: a permit of
 * another plan sends nothing.
 */
export const batch = (
  operation: string,
  changes: ReadonlyArray<Change>,
  body: unknown,
  send: Effect.Effect<ReadonlyMap<string, WriteOutcome>, never, WritePermit>
): WriteBatch => ({
  operation,
  changes,
  requestHash: Hash.of({ operation, body }),
  send: Effect.flatMap(WritePermit, (permit) =>
    changes.every((change) => permit.changes.has(ChangeId(change.id)))
      ? send
      : Effect.succeed(forAll(changes, { _tag: "NotSent", reason: { code: "not_in_plan" } }))
  )
})
