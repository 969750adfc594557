/** What is there and was not answered: unknown, and not nothing. */
import type { SourceFailure } from "../../engine/run/Ports.js"

/** Campaigns that are there and were not answered; whatever they spend counts for the limits of the account. */
export const leftOut = (campaigns: number, why: string): SourceFailure => ({
  operation: "getCampaigns",
  keys: campaigns,
  message: `getCampaigns: the marketplace leaves campaigns out (${why}); no rule can see them in this run`,
  stopsAccount: false,
  reason: "failed"
})
