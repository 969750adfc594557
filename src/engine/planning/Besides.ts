/** What a plan has to say beside its changes. A program that runs on has nobody who looks at its plans. */
import * as Plural from "../../domain/Plural.js"
import type * as Cycle from "./Cycle.js"

type Planned = Pick<Cycle.Planned, "gathered" | "reviewed">

/** Operations are named up to this many. */
const mostNamed = 3

/** What follows after how a cycle ended, for people; empty when all could be read and no rule says anything. */
export const text = (planned: Planned): string => {
  const notices = planned.reviewed.plan.notices?.length ?? 0
  const noticed = notices === 0 ? "" : `; ${Plural.of(notices, "notice")}, see the log`
  return `${noticed}${unreadText(unread(planned))}`
}

/** `; not read: getOrderStatuses`; empty when all could be read. */
export const unreadText = (failures: ReadonlyArray<{ readonly operation: string }>): string => {
  const operations = [...new Set(failures.map(({ operation }) => operation))].sort()
  return operations.length === 0 ? "" : `; not read: ${Plural.named(operations, mostNamed)}`
}

/** Facts that rules asked for and did not get, and another run may: rows without them were left alone. */
export const unread = ({ gathered }: Pick<Planned, "gathered">) =>
  gathered.failures.filter(
    ({ isVain, keys, reason }) => keys > 0 && reason !== "notApplicable" && isVain !== true
  )
