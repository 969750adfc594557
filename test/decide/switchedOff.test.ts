import { expect, it } from "vitest"
import * as SwitchedOff from "../../src/engine/decide/limits/SwitchedOff.js"

it("what is refused for many campaigns is one notice for each operation, beside what is refused altogether", () => {
  const off = (operation: string, scope: string) => ({
    operation,
    scope,
    text: `${operation} ${scope} is off`
  })
  const notices = SwitchedOff.notices([
    off("getBalance", ""),
    off("listClusters", "campaign 1"),
    off("listClusters", "campaign 2"),
    off("listClusters", "campaign 3"),
    off("getClusterBids", "campaign 1"),
    off("getClusterBids", "campaign 2"),
    off("getClusterBids", "campaigns 4, 5")
  ])
  expect(notices.map(({ text }) => text)).toEqual([
    "getBalance  is off",
    "listClusters campaign 1 is off. So it is for 2 more campaigns",
    "getClusterBids campaign 1 is off. So it is for 1 more campaign",
    "getClusterBids campaigns 4, 5 is off"
  ])
})
