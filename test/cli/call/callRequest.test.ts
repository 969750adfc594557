/** What `bidhelm call` makes of `--params`: nothing that was written is left out without a word. */
import * as Either from "effect/Either"
import { expect, it } from "vitest"
import * as CallDescribe from "../../../src/cli/call/CallDescribe.js"
import * as CallRequest from "../../../src/cli/call/CallRequest.js"
import * as Catalogue from "../../../src/services/Catalogue.js"

const read = (operation: string, params: string) => CallRequest.read(Catalogue.find(operation)!, params)

it.each([
  ["changeCampaignItems", '{"nms":[{"advert_id":1,"nms":{"add":[1],"delet":[2]}}]}', "nms.0.nms.delet: "],
  ["createCampaign", '{"payload":{"name":"a","nms":[1],"bid_tipe":"manual"}}', "bid_tipe: "],
  [
    "depositCampaignBudget",
    '{"urlParams":{"id":1},"payload":{"sum":1000,"type":1,"cashback_summ":5}}',
    "cashback_summ"
  ],
  ["getCampaigns", '{"urlParams":{"status":"9"}}', "status: "],
  ["getCampaigns", "[1,2]", "has no body that could be a list"],
  ["getCampaigns", '{"payload":{"ids":"1"}}', "getCampaigns has no payload"],
  ["cancelOrder", '{"orderId":1,"orderId":2}', "orderId"],
  ["createSupply", "[1]", "payload: must be an object, and is [1]"],
  ["cancelOrder", '{"path":[1]}', 'path: must be an object, and is ["1"]'],
  ["changeCampaignItems", '{"nms":5}', "nms: must be a list, and is 5"],
  ["changeCampaignItems", '{"nms":[5]}', "nms.0: must be an object, and is 5"]
])("of %s refuses %s", (operation, params, said) => {
  expect(read(operation, params)).toMatchObject({ left: expect.stringContaining(said) })
})

it.each([
  ["pauseCampaign", "{}", "id: is missing"],
  ["pauseCampaign", '{"id":"abc"}', 'id: a number, not "abc"'],
  ["pauseCampaign", '{"id":1.5}', "id: an integer, not 1.5"],
  [
    "deliverSupply",
    '{"supplyId":"9000618"}',
    'supplyId: a supply such as PLATFORM-GI-1234567, not "9000618"'
  ],
  [
    "deliverSupply",
    '{"supplyId":"PLATFORM-GI-x"}',
    'supplyId: a supply such as PLATFORM-GI-1234567, not "PLATFORM-GI-x"'
  ],
  [
    "createPass",
    '{"firstName":"Иван","lastName":"Петров","carModel":"Газель","carNumber":"А 123 ВС","officeId":1}',
    'carNumber: 6 to 9 letters and digits, such as А123ВС777, not "А 123 ВС"'
  ],
  [
    "setOrderExpiration",
    '{"orderId":1,"expiration":"2027-12-31"}',
    'expiration: a day as dd.mm.yyyy, such as 31.12.2027, not "2027-12-31"'
  ],
  [
    "listPromotions",
    '{"startDateTime":"2026-11-20","endDateTime":"2026-11-21T00:00:00Z","allPromo":false}',
    'startDateTime: an instant in UTC, such as 2026-11-20T00:00:00Z, not "2026-11-20"'
  ],
  ["depositCampaignBudget", '{"id":1000001,"sum":1000,"type":7}', "type: 0, 1 or 3, not 7"],
  ["getCampaigns", '{"payment_type":"cpx"}', 'payment_type: "cpm" or "cpc", not "cpx"'],
  ["getCampaigns", '{"payment_type":["cpx"]}', 'payment_type: "cpm" or "cpc", not ["cpx"]']
])("of %s says of %s what is allowed, in one line, by the name that is typed", (operation, params, left) => {
  expect(read(operation, params)).toMatchObject({ left })
})

it("takes no number that was rounded when it was read, wherever it stands", () => {
  const told = "9007199254740993 is beyond 9007199254740991, up to which numbers are exact; check its digits"
  expect(read("pauseCampaign", '{"id":9007199254740993}')).toMatchObject({ left: `--params: ${told}` })
  expect(read("pauseCampaign", '{"id":"9007199254740993"}')).toMatchObject({ left: `id: ${told}` })
  expect(read("createSupply", '{"name":"9007199254740993"}')).toMatchObject({ _tag: "Right" })
})

it("tells what is wrong in path, query and body at once", () => {
  expect(read("depositCampaignBudget", '{"id":"abc","sum":"x","type":7}')).toMatchObject({
    left: 'id: a number, not "abc"\nsum: a number, not "x"\ntype: 0, 1 or 3, not 7'
  })
})

it("tells what the operation does not have and what is wrong beside it at once", () => {
  const known = "it has id, sum, cashback_sum, cashback_percent, type, return"
  expect(read("depositCampaignBudget", '{"id":"abc","summ":1000,"sum":"x","type":1}')).toMatchObject({
    left: `depositCampaignBudget has no parameter summ; ${known}\nid: a number, not "abc"\nsum: a number, not "x"`
  })
  expect(read("pauseCampaign", '{"urlParams":{"id":"abc"},"payload":{}}')).toMatchObject({
    left: 'pauseCampaign has no payload; it has id\nid: a number, not "abc"'
  })
})

it("shows no shape as a regular expression, described or refused", () => {
  const shapes = Catalogue.operations
    .map((entry) => CallDescribe.text(entry, Date.UTC(2026, 10, 1)))
    .join("\n")
  expect(shapes).not.toMatch(/\\d|\\p|\[A-Z/)
})

it("says of what may be left out only what it is", () => {
  expect(read("createSupply", '{"name":5}')).toMatchObject({
    left: "name: text, not 5"
  })
})

it("takes what the operation declares, flat and by its places", () => {
  expect(Either.isRight(read("cancelOrder", '{"orderId":1}'))).toBe(true)
  expect(Either.isRight(read("cancelOrder", '{"path":{"orderId":1}}'))).toBe(true)
  expect(Either.isRight(read("getCampaigns", "{}"))).toBe(true)
})
