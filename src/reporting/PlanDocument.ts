/** A plan as JSON for people and programs: beside each reason its sentence. */
import type { Plan } from "../engine/decide/Plan.js"
import type { Document } from "../engine/decide/PlanJson.js"
import * as HeldReasons from "./HeldReasons.js"
import * as RowReasons from "./RowReasons.js"

/** Of a plan as the engine keeps it; `PlanJson.read` is the way back. */
export const of = (plan: Plan): Document => {
  const { notices, ...rest } = plan
  const near = RowReasons.around(plan)
  const spoken = <R extends { readonly because: RowReasons.Because }>(row: R) => ({
    ...row,
    why: RowReasons.text(row.because, near)
  })
  return {
    ...rest,
    held: plan.held.map((one) => HeldReasons.withWords(one, near)),
    unknown: plan.unknown.map(spoken),
    unchanged: plan.unchanged.map(spoken),
    ...(notices === undefined
      ? {}
      : { notices: notices.map((notice) => ({ ...notice, text: RowReasons.notice(notice, near) })) })
  }
}
