/** Seed 001, "Finances". Amounts are whole base units of the account's currency. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { CampaignId } from "../../domain/Ids.js"
import * as Operation from "../Operation.js"
import { answer, Day, idIn, list, rows, spanWithin, text, whole } from "./Shapes.js"

const area = { area: "finance", host: "advert", tokenCategory: "promotion" } as const
const errors = [400, 401, 403, 429]
const oneCampaign = Schema.Struct({ id: idIn(CampaignId) })
const positive = Schema.Int.pipe(Schema.positive())

const getBalance = Operation.read(
  HttpApiEndpoint.get("getBalance", "/adv/v1/balance").addSuccess(
    Schema.Struct({
      balance: whole,
      net: whole,
      bonus: whole,
      currency: text,
      cashbacks: list(Schema.Struct({ sum: whole, percent: whole, expiration_date: text }))
    })
  ),
  {
    ...area,
    testHost: true,
    limits: { personal: Operation.limit("1 s", 1, 5), base: Operation.hourly(2) },
    errors,
    errorShape: "string",
    entries: Operation.whole("what a deposit may take is read as a whole"),
    notes: ["M28", "T02"]
  }
)

const getCampaignBudget = Operation.read(
  HttpApiEndpoint.get("getCampaignBudget", "/adv/v1/budget")
    .setUrlParams(oneCampaign)
    /** Only `total` counts; `cash` and `netting` are always 0 (field note M30). */
    .addSuccess(Schema.Struct({ cash: whole, netting: whole, total: whole, currency: text })),
  {
    ...area,
    testHost: true,
    limits: { personal: Operation.limit("1 s", 4, 4), base: Operation.hourly(4) },
    errors,
    errorShape: "text",
    notes: ["M30"]
  }
)

const depositCampaignBudget = Operation.write(
  HttpApiEndpoint.post("depositCampaignBudget", "/adv/v1/budget/deposit")
    .setUrlParams(oneCampaign)
    .setPayload(
      Schema.Struct({
        sum: positive,
        cashback_sum: Schema.optional(positive),
        cashback_percent: Schema.optional(positive),
        /** 0 account, 1 balance, 3 bonuses. */
        type: Schema.Literal(0, 1, 3),
        return: Schema.optional(Schema.Boolean)
      }).pipe(
        Schema.filter(
          (body) =>
            body.cashback_sum === undefined ||
            (body.cashback_percent !== undefined && body.type !== 3) ||
            "cashback_sum needs cashback_percent and a top-up of type 0 or 1"
        )
      )
    )
    .addSuccess(answer({ total: whole, currency: text })),
  {
    ...area,
    testHost: true,
    limits: { personal: Operation.limit("1 s", 1, 5), base: Operation.hourly(5) },
    retry: "manual",
    verifyBy: "getCampaignBudget before and after; never send a second time without a person's decision",
    errors,
    errorShape: "error",
    notes: ["M28"]
  }
)

/** Identity of a row: (advertId, updTime, updSum, paymentType); `updNum` comes later (field note M31). */
const CostRow = Schema.Struct({
  updNum: whole,
  updTime: text,
  updSum: whole,
  advertId: CampaignId,
  campName: text,
  advertType: whole,
  paymentType: text,
  advertStatus: whole,
  currency: text
})

const getCostHistory = Operation.read(
  HttpApiEndpoint.get("getCostHistory", "/adv/v1/upd")
    .setUrlParams(
      Schema.Struct({ from: Day, to: Day }).pipe(Schema.filter(({ from, to }) => spanWithin(from, to, 31)))
    )
    .addSuccess(rows(CostRow)),
  {
    ...area,
    testHost: true,
    limits: { personal: Operation.limit("1 s", 1, 5), base: Operation.hourly(1) },
    errors,
    errorShape: "text",
    entries: Operation.whole("charges are summed, and a sum with a part missing proves a deposit unpaid"),
    notes: ["M31"]
  }
)

/** `type` 0 account, 1 balance, 3 card; `statusId` 0 error, 1 processed; a `date` without zone is Moscow time (M32). */
const PaymentRow = Schema.Struct({
  id: Schema.Int,
  date: text,
  sum: whole,
  type: whole,
  statusId: whole,
  cardStatus: text,
  currency: text
})

const getPaymentHistory = Operation.read(
  HttpApiEndpoint.get("getPaymentHistory", "/adv/v1/payments")
    .setUrlParams(
      Schema.Struct({ from: Schema.optional(Day), to: Schema.optional(Day) }).pipe(
        Schema.filter(({ from, to }) => from === undefined || to === undefined || spanWithin(from, to, 31))
      )
    )
    .addSuccess(rows(PaymentRow))
    .addSuccess(
      HttpApiSchema.asEmpty(Schema.Array(Schema.typeSchema(PaymentRow)), { status: 204, decode: () => [] })
    ),
  {
    ...area,
    testHost: true,
    limits: { personal: Operation.limit("1 s", 1, 5), base: Operation.hourly(1) },
    success: [200, 204],
    errors,
    errorShape: "string",
    entries: Operation.whole("payments are summed, and compared after a restore"),
    notes: ["M32"]
  }
)

export const group = HttpApiGroup.make("finance")
  .add(getBalance)
  .add(getCampaignBudget)
  .add(depositCampaignBudget)
  .add(getCostHistory)
  .add(getPaymentHistory)
