/** When and of which campaign a change was planned, so that changes of all runs can be browsed, newest first. */
import * as Dialect from "../../clients/Dialect.js"
import type { Step } from "./Step.js"

const columns = [
  `ALTER TABLE changes ADD COLUMN began_at INTEGER NOT NULL DEFAULT 0`,
  `ALTER TABLE changes ADD COLUMN campaign_id INTEGER`
]

const group = "policy, account, state"
// The id stands in it so that nothing but the index is read before it is known which changes are shown.
const place = "began_at, run_id, position, change_id"

const indexes = [
  `CREATE INDEX changes_of_campaign ON changes (campaign_id, ${group}, ${place})`,
  `CREATE INDEX changes_of_policy ON changes (${group}, ${place})`
]

const ofRun = `began_at = (SELECT started_at FROM runs WHERE runs.run_id = changes.run_id)`

export const step: Step = {
  version: 15,
  name: "changes of all runs by campaign, account and policy",
  sqlite: [
    ...columns,
    `UPDATE changes SET ${ofRun}, campaign_id = json_extract(change, '$.target.campaignId')`,
    ...indexes
  ],
  postgres: [
    ...Dialect.postgresOf(columns),
    // From the slot: PostgreSQL refuses to look into JSON that has a zero character in any name of it.
    `UPDATE changes SET ${ofRun},
      campaign_id = CAST(substring(slot FROM '^[a-z_]+:([0-9]{1,15})(?:/|$)') AS BIGINT)`,
    ...indexes
  ]
}
