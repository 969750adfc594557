/** Plans by when they were made: a plan that was edited is looked for among 90 days of them, and old ones are forgotten. */
import type { Step } from "./Step.js"

const indexes = ["CREATE INDEX plans_by_time ON plans (created_at, account)"]

export const step: Step = {
  version: 18,
  name: "plans by when they were made",
  sqlite: indexes,
  postgres: indexes
}
