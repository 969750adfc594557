/** `bidhelm call --describe OPERATION`: what it takes, what it answers, what can go wrong, what it costs. */
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as Days from "../../domain/Days.js"
import type { Entry } from "../../services/Catalogue.js"
import * as ErrorBody from "../../services/ErrorBody.js"
import { fromAnswer } from "../../services/MarketplaceError.js"
import * as Operation from "../../services/Operation.js"
import * as Shape from "../../services/Shape.js"
import * as Duration from "../terminal/Duration.js"
import * as CallList from "./CallList.js"
import * as FieldNotes from "./FieldNotes.js"

interface Parameter extends Shape.Field {
  readonly place: "path" | "query" | "body"
}

/** Everything as JSON. */
export const json = (entry: Entry) => ({
  ...CallList.json(entry),
  parameters: parameters(entry),
  answer: answer(entry),
  errors: errors(entry),
  ...(entry.verifyBy === undefined ? {} : { verifyBy: entry.verifyBy }),
  ...(entry.entries === undefined ? {} : { oddEntry: oddEntry(entry)[0] }),
  testEnvironment: entry.testHost,
  notes: entry.notes.map((id) => ({ id, ...FieldNotes.of(id) }))
})

/** For people. `nowMs` is the instant that the days of the example lie before. */
export const text = (entry: Entry, nowMs: number): string =>
  [
    `${entry.id}   ${entry.method} ${entry.path}`,
    `${nature(entry)}; area ${entry.area}, host ${entry.host}, token category ${entry.tokenCategory}`,
    section(
      "Parameters",
      parameters(entry).flatMap((one) => parameterLine(one).split("\n")),
      "none"
    ),
    section("Answer", [...Shape.wrapped(answer(entry)).split("\n"), ...oddEntry(entry)]),
    section("Errors", errors(entry).map(errorLine)),
    section("Limits", limitLines(entry)),
    section("After an unknown outcome", [afterUnknown(entry)]),
    section("Field notes", entry.notes.map(noteLine), "none"),
    section("Example", [exampleOf(entry, nowMs)])
  ].join("\n")

const section = (title: string, lines: ReadonlyArray<string>, none = ""): string =>
  ["", title, ...(lines.length === 0 ? [none] : lines).map((line) => `  ${line}`)].join("\n")

const nature = (entry: Entry): string =>
  entry.access === "read"
    ? entry.quota === undefined
      ? "reads"
      : `reads; takes one of ${entry.quota.perDay} a day: needs --yes, or an answer at a terminal`
    : `changes the account${entry.sideEffectGet ? ", although its method is GET" : ""}: needs --yes`

const parameters = (entry: Entry): ReadonlyArray<Parameter> => {
  const { pathSchema, payloadSchema, urlParamsSchema } = entry.endpoint
  const body = Option.match(payloadSchema, {
    onNone: () => [],
    onSome: (schema: Schema.Schema.All) => {
      const fields = Shape.fields(Shape.onWire(schema.ast))
      const whole = { name: "(the whole body)", shape: Shape.line(Shape.onWire(schema.ast)), required: true }
      return fields.length > 0 ? fields : [whole]
    }
  })
  return [
    ...placed("path", written(pathSchema)),
    ...placed("query", written(urlParamsSchema)),
    ...placed("body", body)
  ]
}

const written = (schema: Option.Option<Schema.Schema.All>): ReadonlyArray<Shape.Field> =>
  Option.match(schema, { onNone: () => [], onSome: ({ ast }) => Shape.fields(Shape.written(ast)) })

const placed = (place: Parameter["place"], fields: ReadonlyArray<Shape.Field>): ReadonlyArray<Parameter> =>
  fields.map((field) => ({ place, ...field }))

const parameterLine = ({ name, place, required, shape }: Parameter): string =>
  `${name}  ${Shape.wrapped(shape)}  (${place}${required ? "" : ", optional"})`

const answer = (entry: Entry): string => {
  const shape =
    entry.file !== undefined ? "a file" : Shape.line(Shape.onWire(entry.endpoint.successSchema.ast))
  return `${entry.success.join(" or ")}: ${shape}`
}

const oddEntry = ({ entries }: Entry): ReadonlyArray<string> => {
  if (entries === undefined) return []
  if ("whole" in entries) return [`unreadable when one entry of a list is: ${entries.whole}`]
  const lists = entries.apart.map(({ at }) => (at === "" ? "the list" : at)).join(", ")
  return [`an entry of ${lists} that cannot be read is left out and told; the others stand`]
}

interface Failure {
  readonly status: number
  /** Error of the client's vocabulary that it becomes. */
  readonly error: string
  /** Shape of the body. */
  readonly body: string
  readonly codes: ReadonlyArray<string>
}

const errors = (entry: Entry): ReadonlyArray<Failure> =>
  entry.errors.map((status) => ({
    status,
    error: fromAnswer({ operation: entry.id, status, text: "", retryAfterMs: undefined })._tag,
    body: bodies[ErrorBody.shapeOf(status, entry.errorShape, entry.host)],
    codes: entry.errorCodes?.[status] ?? []
  }))

const bodies: Readonly<Record<ErrorBody.Shape, string>> = {
  problem: "{detail, origin, request_id, status, title}",
  error: "{error}",
  string: "a JSON text",
  text: "plain text",
  fields: "{errors: [{detail, field}], detail, …}",
  code: "{code, message, data?}",
  archive: "{title, detail, errors: [{location, message, value}], …}",
  detail: "{title, detail, requestId, origin}",
  title: "{title, detail}",
  errorText: "{errorText}",
  none: "no body",
  problem8: "{title, detail, code, requestId, origin, status, statusText, timestamp}"
}

const errorLine = ({ body, codes, error, status }: Failure): string =>
  `${status} ${error}  ${body}${codes.length === 0 ? "" : `  ${codes.join(", ")}`}`

const limitLines = (entry: Entry): ReadonlyArray<string> => {
  const kinds = ["personal", "service", "base_with_secret", "base"] as const
  const cost = entry.cost4xx > 1 ? [`a 4xx answer counts as ${entry.cost4xx} requests`] : []
  const [stated, kept] = [Operation.limitOf(entry, "base"), Operation.prudentLimitOf(entry, "base")]
  const prudence =
    kept?.intervalMs === stated?.intervalMs
      ? []
      : [`with a Base token this program keeps to ${limitText(kept)}`]
  const quota =
    entry.quota === undefined ? [] : [`at most ${entry.quota.perDay} a day (${entry.quota.group})`]
  return [
    ...kinds.map((kind) => `${kind.padEnd(16)}  ${limitText(Operation.limitOf(entry, kind))}`),
    ...prudence,
    `bucket ${entry.limitGroup}`,
    ...cost,
    ...quota
  ]
}

const limitText = (limit: Operation.Limit | undefined): string =>
  limit === undefined
    ? "not available"
    : `${limit.requests} per ${Duration.format(limit.periodMs)}, one every ${Duration.pace(limit.intervalMs)}, burst ${limit.burst}`

const afterUnknown = (entry: Entry): string => {
  switch (entry.retry) {
    case "safe":
      return "it is asked again by itself"
    case "verify":
      return `look first: ${entry.verifyBy ?? "read the state"}; repeat only if it did not arrive`
    case "manual":
      return `never repeated by itself: ${entry.verifyBy ?? "a person decides"}`
  }
}

const noteLine = (id: string): string => {
  const note = FieldNotes.of(id)
  return note === undefined ? id : `${id} ${note.quirk} → ${note.remedy}`
}

// The example of `bidhelm call --describe`: a command that can be pasted as it stands. Campaigns and items are those
// of the sandbox; orders, supplies, passes and reports are the seller's own, so that such a number only shows its
// shape.

/** One line for a POSIX shell; its days are the last whole ones before `nowMs`. */
export const exampleOf = (entry: Entry, nowMs: number): string => {
  const given = params(nowMs)[entry.id]
  const needsYes = entry.access === "write" || entry.quota !== undefined
  return [
    `bidhelm call ${entry.id}`,
    ...(given === undefined ? [] : [`--params ${quoted(JSON.stringify(given))}`]),
    ...(needsYes ? ["--yes"] : [])
  ].join(" ")
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const campaign = 1_000_001
const item = 200_000_001
const cluster = "перчатки зимние красные"
/** The same pair as three areas of the interface spell it. */
const pair = { advert_id: campaign, nm_id: item }
const camelPair = { advertId: campaign, nmId: item }

const orderId = 4_101_005_005
const supplyId = "PLATFORM-GI-9000001"
const trbxIds = ["PLATFORM-TRBX-7000001"]
const passId = 301
const pass = {
  firstName: "Анна",
  lastName: "Петрова",
  carModel: "Gazelle Next",
  carNumber: "А123ВС777",
  officeId: 15
}
const downloadId = "5b2f0c1e-6f0a-4e6c-9d3a-0a8d4d6f1b11"

/** Flat parameters by operation; one that takes none is not here. */
const params = (nowMs: number): Readonly<Record<string, unknown>> => {
  const to = Days.shift(Days.ofMarket(nowMs), -1)
  const from = Days.shift(to, -6)
  const year = Number(to.slice(0, 4))
  const period = { start: from, end: to }
  const page = { limit: 100, offset: 0 }
  const search = {
    currentPeriod: period,
    positionCluster: "all",
    orderBy: { field: "avgPosition", mode: "asc" },
    ...page
  }
  const stock = { currentPeriod: period, stockType: "", skipDeletedNm: true }
  const stockOrder = { field: "ordersCount", mode: "desc" }
  const stockList = { ...stock, availabilityFilters: ["deficient", "balanced"], orderBy: stockOrder, ...page }
  return {
    ...ofOrders(year),
    ...ofSupplies,
    ...ofCampaigns,
    ...ofClusters,
    depositCampaignBudget: { id: campaign, sum: 1000, type: 1 },
    getCampaignBudget: { id: campaign },
    getCostHistory: { from, to },
    getPaymentHistory: { from, to },
    getClusterStats: { from, to, items: [pair] },
    getCampaignStats: { ids: [campaign], beginDate: from, endDate: to },
    getClusterDailyStats: { from, to, items: [camelPair] },
    listPromotions: { startDateTime: `${from}T00:00:00Z`, endDateTime: `${to}T00:00:00Z`, allPromo: true },
    getPromotionDetails: { promotionIDs: [1003] },
    listPromotionItems: { promotionID: 1003, inAction: true },
    uploadPromotionItems: { data: { promotionID: 1003, uploadNow: false, nomenclatures: [item] } },
    getFunnelProducts: { selectedPeriod: period, orderBy: { field: "openCard", mode: "desc" }, ...page },
    getFunnelProductHistory: { selectedPeriod: period, nmIds: [item] },
    getFunnelGroupedHistory: { selectedPeriod: period },
    getOrderFeed: { selectedPeriod: { start: `${from}T00:00:00+03:00`, end: `${to}T00:00:00+03:00` } },
    getSearchReport: search,
    getSearchReportGroups: { ...search, subjectIds: [178] },
    getSearchReportDetails: search,
    getProductSearchTexts: {
      currentPeriod: period,
      nmIds: [item],
      topOrderBy: "orders",
      orderBy: search.orderBy,
      limit: 30
    },
    getProductSearchOrders: { period, nmId: item, searchTexts: [cluster] },
    getPlatformWarehouseStocks: { nmIds: [item] },
    getSellerWarehouseStocks: { nmIds: [item] },
    getStockGroups: stockList,
    getStockProducts: stockList,
    getStockSizes: {
      nmID: item,
      currentPeriod: period,
      stockType: "",
      orderBy: stockOrder,
      includeOffice: true
    },
    getStockOffices: stock,
    getItemRating: { currentPeriod: period, orderBy: { field: "feedbackCount", mode: "desc" }, ...page },
    createCsvReport: {
      id: downloadId,
      reportType: "DETAIL_HISTORY_REPORT",
      params: { nmIDs: [item], startDate: from, endDate: to }
    },
    retryCsvReport: { downloadId },
    downloadCsvReport: { downloadId }
  }
}

const ofOrders = (year: number) => ({
  listOrders: { limit: 100, next: 0 },
  getOrderStatuses: { orders: [orderId] },
  cancelOrder: { orderId },
  getOrderStickers: { type: "png", width: 58, height: 40, orders: [orderId] },
  getCrossBorderStickers: { orders: [orderId] },
  getOrderStatusHistory: { orders: [orderId] },
  getOrderClients: { orders: [orderId] },
  listArchivedOrders: { year: year - 1, month: 6, next: 0, limit: 100 },
  getOrderLabels: { orders: [orderId] },
  deleteOrderLabel: { orderId, key: "uin" },
  setOrderSgtins: { orderId, sgtins: ["010460043993125621JgXJ5.T\u001d91AB12\u001d92c2lnbmF0dXJl"] },
  setOrderUin: { orderId, uin: "1234567890123456" },
  setOrderImei: { orderId, imei: "490154203237518" },
  setOrderGtin: { orderId, gtin: "4600439931256" },
  setOrderExpiration: { orderId, expiration: `31.12.${year + 1}` },
  setOrderCustomsDeclaration: { orderId, customsDeclaration: "10702070/010126/0001234" },
  createPass: pass,
  updatePass: { passId, ...pass },
  deletePass: { passId }
})

const ofSupplies = {
  createSupply: { name: "Перчатки, склад 7" },
  listSupplies: { limit: 100, next: 0 },
  addOrdersToSupply: { supplyId, orders: [orderId] },
  getSupply: { supplyId },
  deleteSupply: { supplyId },
  getSupplyOrderIds: { supplyId },
  deliverSupply: { supplyId },
  getSupplyBarcode: { supplyId, type: "png" },
  listShippingUnits: { supplyId },
  addShippingUnits: { supplyId, amount: 2 },
  deleteShippingUnits: { supplyId, trbxIds },
  getShippingUnitStickers: { supplyId, type: "png", trbxIds }
}

const ofCampaigns = {
  getCampaigns: { ids: [campaign] },
  getMinimumBids: { advert_id: campaign, nm_ids: [item], payment_type: "cpm", placement_types: ["search"] },
  createCampaign: {
    name: "Перчатки",
    nms: [item],
    bid_type: "manual",
    payment_type: "cpm",
    placement_types: ["search"]
  },
  listCampaignItems: [178],
  deleteCampaign: { id: campaign },
  renameCampaign: { advertId: campaign, name: "Перчатки, поиск" },
  startCampaign: { id: 1_000_006 },
  pauseCampaign: { id: campaign },
  stopCampaign: { id: campaign },
  setCampaignPlacements: {
    placements: [{ advert_id: campaign, placements: { search: true, recommendations: false } }]
  },
  setItemBids: {
    bids: [{ advert_id: campaign, nm_bids: [{ nm_id: item, bid_kopecks: 30_000, placement: "search" }] }]
  },
  changeCampaignItems: { nms: [{ advert_id: campaign, nms: { add: [200_000_019] } }] },
  getBidRecommendations: { nmId: item, advertId: campaign }
}

const ofClusters = {
  getClusterBids: { items: [pair] },
  setClusterBidsMinorUnits: { bids: [{ ...camelPair, normQuery: cluster, bidMinorUnits: 30_000 }] },
  setClusterBids: { bids: [{ ...pair, norm_query: cluster, bid: 300 }] },
  deleteClusterBids: { bids: [{ ...pair, norm_query: cluster }] },
  getMinusPhrases: { items: [pair] },
  setMinusPhrases: { ...pair, norm_queries: [cluster] },
  listClusters: { items: [camelPair] }
}
