/** What became of a creation, in words: the one place that makes them. Nothing decides by these sentences. */
import type { CreationReason } from "../domain/CreationReason.js"
import type { Creation } from "../engine/door/CreationLog.js"
import type { Settled } from "../engine/door/Creations.js"

/** Why a creation is in its state, or is not made. */
export const text = (because: CreationReason): string => {
  switch (because.code) {
    case "unlisted_before":
      return `nothing was sent: what there is could not be read: ${because.said}`
    case "unlisted_after":
      return `what there is could not be read: ${because.said}`
    case "earlier_unsettled":
      return `nothing was sent: an earlier one of that name may exist, and nobody knows yet (${because.id}); ${resolveWith(because.id)}`
    case "not_sent":
    case "refused":
    case "no_answer":
      return because.said
    case "never_sent":
      return "never sent: the run ended before its turn"
    case "id_not_told":
      return "the answer does not tell its id"
    case "nothing_of_before":
      return "the list shows nothing of what there was before it: either the list is not whole, or all of that was deleted meanwhile, and then no list will ever tell and only you can"
    case "nameless_new":
      return "there are new ones without a name; it may be one of them"
    case "unlisted_twice":
      return "two looks at the list did not show it, and it may have been made all the same"
    case "searched_a_day":
      return "it was looked for during a day, and nothing told whether it was made"
    case "adopted":
      return "found by its name and adopted"
    case "absent":
      return "looked for twice and not there; it did not take effect"
    case "person_said":
      return `${because.who} says: ${because.foundId === undefined ? "not created" : `created (${because.foundId})`}`
  }
}

/** How a person settles it. */
export const resolveWith = (id: string): string =>
  `look yourself, then say which it is: bidhelm resolve ${id} --created ID, or --not-created`

/** What became of it, for the history of its run: `createCampaign "autumn": it is there (1001)`. */
export const told = ({ foundId, id, marker, operation, reason, state }: Creation): string =>
  [
    `${operation} "${marker}": ${foundId === undefined ? state.replaceAll("_", " ") : `it is there (${foundId})`}`,
    ...(reason === undefined ? [] : [text(reason)]),
    ...(state === "unknown" || state === "conflict" ? [resolveWith(id)] : [])
  ].join("; ")

/** The same for programs. */
export const asJson = ({ foundId, marker, operation, reason, state }: Creation) => ({
  operation,
  name: marker,
  state,
  id: foundId ?? null,
  code: reason?.code ?? null,
  detail: reason === undefined ? null : text(reason)
})

/** `createCampaign "autumn" of call-1: it is there (1001)`. */
export const settled = ({ creation, found }: Settled): string => {
  const what = `${creation.operation} "${creation.marker}" of ${creation.id}`
  if ("id" in found) return `${what}: it is there (${found.id})`
  if (found._tag !== "Unclear") return `${what}: ${text(found.because)}`
  const fresh = found.candidates.length === 0 ? "" : ` (${found.candidates.join(", ")})`
  return `${what}: ${text(found.because)}${fresh}; ${resolveWith(creation.id)}`
}
