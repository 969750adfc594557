import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Synthetic from "../../bench/demand/SyntheticAccount.js"
import * as Window from "../../src/domain/Window.js"
import { type FactRequest, FactSource } from "../../src/engine/gather/FactSource.js"
import * as Gather from "../../src/engine/gather/Gather.js"
import * as Catalogue from "../../src/services/Catalogue.js"
import * as VirtualClock from "../scenario/VirtualClock.js"
import { compare, fact, policy, raise, rules } from "./policies.js"

const account = Synthetic.make(
  { campaigns: 2, itemsPerCampaign: 1, clustersPerItem: 1, share: 1 },
  (operation) => Catalogue.find(operation)!.limits.personal
)

const spending = policy(
  "02-spending",
  "campaign",
  [],
  [
    compare(fact("campaign.spend", Window.last(7)), ">=", 0),
    compare(fact("campaign.spend", Window.today), ">=", 0)
  ],
  raise.rules[0]!.action
)

/** The days that were asked for, by a seller in a zone at an instant. */
const daysAsked = async (zone: string, at: string): Promise<ReadonlyArray<string>> => {
  const asked = new Set<string>()
  const source = {
    ...account.source,
    fetch: (request: FactRequest) => {
      if (request.days !== undefined) asked.add(`${request.days.from} to ${request.days.to}`)
      return account.source.fetch(request)
    }
  }
  const gather = Gather.run(rules(spending), { zone }).pipe(Effect.provideService(FactSource, source))
  await Effect.runPromise(VirtualClock.make(Date.parse(at)).run(gather))
  return [...asked].sort()
}

it("after midnight in Vladivostok no day counts as complete that the marketplace is still filling", async () => {
  const day = ["2026-08-25 to 2026-08-31", "2026-09-01 to 2026-09-01"]
  expect(await daysAsked("Asia/Vladivostok", "2026-09-01T15:00:00Z")).toEqual(day)
  expect(await daysAsked("Asia/Vladivostok", "2026-09-01T20:59:00Z")).toEqual(day)
  expect(await daysAsked("Asia/Vladivostok", "2026-09-01T21:00:00Z")).toEqual([
    "2026-08-26 to 2026-09-01",
    "2026-09-02 to 2026-09-02"
  ])
})

it("before midnight in Kaliningrad the day that Moscow has finished is complete", async () => {
  const [week] = await daysAsked("Europe/Kaliningrad", "2026-09-01T21:30:00Z")
  expect(week).toBe("2026-08-26 to 2026-09-01")
})
