/** What is there and was not answered: unknown, and not nothing. */
import type { Reason } from "../../domain/Reason.js"
import type { Subject } from "../../domain/Target.js"
import { unknown } from "../../engine/facts/Cell.js"
import type { SourceId } from "../../engine/facts/Sources.js"
import * as Vocabulary from "../../engine/facts/Vocabulary.js"
import type { FactRow, SourceFailure } from "../../engine/gather/FactSource.js"
import * as Answered from "./Answered.js"

/** Campaigns that are there and were not answered; whatever they spend counts for the limits of the account. */
export const leftOut = (campaigns: number, why: string): SourceFailure => ({
  operation: "getCampaigns",
  keys: campaigns,
  message: `getCampaigns: the marketplace leaves campaigns out (${why}); no rule can see them in this run`,
  stopsAccount: false,
  reason: "failed"
})

/** Every fact of a source as unknown, for the target and all below it of which nothing else is said. */
export const row = (target: Subject, source: SourceId, reason: Reason): FactRow =>
  Answered.row(
    target,
    Object.fromEntries(
      Vocabulary.facts.filter((fact) => fact.source === source).map(({ id }) => [id, unknown(reason)])
    )
  )
