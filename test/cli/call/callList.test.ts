import { expect, it } from "vitest"
import * as CallList from "../../../src/cli/call/CallList.js"
import * as Catalogue from "../../../src/services/Catalogue.js"

const asked: ReadonlyArray<readonly [name: string, meant: string]> = [
  ["setCampaignBids", "setItemBids"],
  ["setItmBids", "setItemBids"],
  ["pauseCampaigns", "pauseCampaign"],
  ["pausecampaign", "pauseCampaign"],
  ["getOrders", "listOrders"],
  ["listBalances", "getBalance"],
  ["stopCampaigns", "stopCampaign"],
  ["set_minus_phrases", "setMinusPhrases"]
]

it.each(asked)("%s is answered with %s", (name, meant) => {
  expect(CallList.suggestion(name, Catalogue.operations)).toBe(`Did you mean ${meant}?`)
})

it("a name that is like nothing is answered with some of what there is", () => {
  expect(CallList.suggestion("xyz", Catalogue.operations)).toMatch(/^Possible: .* and \d+ more\.$/)
})
