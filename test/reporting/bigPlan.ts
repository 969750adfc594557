/** Plans of any size, with names and reasons as an account has them. */

import { CampaignId, Cluster, ItemId } from "../../src/domain/Ids.js"
import type { Plan } from "../../src/engine/decide/Plan.js"
import * as Summary from "../../src/engine/decide/Summary.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import { isOfCampaign } from "../../src/engine/kinds/Change.js"
import { samplePlan } from "./samplePlan.js"

const [pause, , , raise] = samplePlan.changes.filter(isOfCampaign)

/** So many changes: raises of which every seventh has no estimate, and in every fiftieth campaign a pause of it. */
export const bigPlan = (count: number): Plan => {
  if (pause === undefined || raise === undefined) throw new RangeError("the sample has both")
  const changes = Array.from({ length: count }, (_, i): Change => {
    const campaignId = CampaignId.make(1_000_001 + (i % 200))
    const campaignName = `Кампания ${campaignId - 1_000_000}`
    const id = `c${String(i).padStart(6, "0")}`
    if (i % 200 < 4 && i < 200)
      return {
        ...pause,
        id,
        campaignName,
        subject: { campaignId: campaignId! },
        moneyPerDayKopecks: -300_000 - i
      }
    const itemId = ItemId.make(200_000_001 + (i % 997))
    const cluster = Cluster.make(`перчатки женские красные ${i}`)
    const before = 10_000 + i
    return {
      ...raise,
      id,
      campaignName,
      subject: { campaignId, itemId, cluster },
      before,
      after: before + 1_000,
      moneyPerDayKopecks: i % 7 === 0 ? { unknown: "no spend is known over a window of this rule" } : 100 + i
    } as Change
  })
  const policies = [pause.origin.name, raise.origin.name].map((id) => ({ ...samplePlan.policies[0]!, id }))
  const { id: _, seal: __, summary: ___, ...draft } = samplePlan
  const [held] = draft.held
  if (held === undefined) throw new RangeError("the sample has one")
  const manyHeld = Array.from({ length: 5000 }, (_, i) => ({
    ...held,
    by: "max_unknown" as const,
    because: {
      code: "max_unknown" as const,
      where: "02-minus-low-ctr.yaml max_unknown",
      basisPoints: 2_000,
      rows: 12_562,
      of: 15_674,
      most: 3_134
    },
    change: {
      ...held.change,
      id: `h${i}`,
      subject: { ...held.change.subject, cluster: Cluster.make(`сапоги ${i}`) }
    } as Change
  }))
  const unchanged = Array.from({ length: 300 }, (_, i) => ({
    ...draft.unchanged[0]!,
    because: {
      code: "no_room" as const,
      bidKopecks: (450 + i) * 100,
      limit: { name: "cap", kopecks: 45_000, where: "line 36" }
    }
  }))
  return Summary.seal({ ...draft, changes, policies, held: manyHeld, unchanged })
}
