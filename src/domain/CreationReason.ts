/**
 * Why a creation is in its state, or is not made: a code with typed fields, as the store keeps it. Sentences are made in
 * `reporting/CreationReasons`. `said` is the text of a failed call.
 */
import * as Schema from "effect/Schema"
import { coded } from "./Coded.js"

const said = { said: Schema.String }

export const CreationReason = Schema.Union(
  // Nothing was sent.
  coded("unlisted_before", said),
  coded("earlier_unsettled", { id: Schema.String }),
  coded("not_sent", said),
  coded("never_sent", {}),
  // Refused.
  coded("refused", said),
  // Nobody knows.
  coded("no_answer", said),
  coded("id_not_told", {}),
  coded("unlisted_after", said),
  coded("nothing_of_before", {}),
  coded("nameless_new", {}),
  coded("unlisted_twice", {}),
  coded("searched_a_day", {}),
  // Found, or proved absent.
  coded("adopted", {}),
  coded("absent", {}),
  coded("person_said", { who: Schema.String, foundId: Schema.optionalWith(Schema.String, { exact: true }) })
)
export type CreationReason = typeof CreationReason.Type
