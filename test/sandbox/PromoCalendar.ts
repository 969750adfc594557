/** The promo calendar of a sandbox, asked over HTTP. */
import type * as Faults from "../../src/sandbox/Faults.js"
import type * as Ledger from "../../src/sandbox/Ledger.js"
import type { Answered, Marketplace } from "./Real.js"

export const hour = 3_600_000
export const day = 24 * hour
/** Nine campaigns with two items each: eighteen that may join promotions. */
export const sized = { scale: { campaigns: 9, items: 2, clusters: 6 } }
export const firstItem = 200_000_001
/** Starts on the fourth day after the origin's, at midnight in Moscow, for nine days. */
export const promotionId = 1005
const path = "/api/v1/calendar/promotions"

export interface Details {
  readonly id: number
  readonly participationPercentage: number
  readonly notInPromoActionTotal: number
  readonly ranging: ReadonlyArray<{
    readonly condition: string
    readonly participationRate: number
    readonly boost: number
  }>
}

export interface Row {
  readonly id: number
  readonly price: number
  readonly planPrice: number
  readonly planDiscount: number
}

export interface Truth {
  readonly boost: number
  readonly items: ReadonlyArray<number>
  readonly cameLater: ReadonlyArray<number>
}

export class PromoCalendar {
  constructor(readonly m: Marketplace) {}

  readonly advance = (ms: number): void => this.m.advance(ms)

  private ask(method: string, more: string, body?: unknown): Promise<Answered> {
    return this.m.ask(method, path + more, body === undefined ? {} : { body })
  }

  async listed(): Promise<ReadonlyArray<number>> {
    const period = "startDateTime=2026-11-01T00:00:00Z&endDateTime=2027-01-31T00:00:00Z"
    const { json } = await this.ask("GET", `?${period}&allPromo=true`)
    return json.data.promotions.map(({ id }: { readonly id: number }) => id)
  }

  async details(ids: ReadonlyArray<number>): Promise<ReadonlyArray<Details>> {
    const { json } = await this.ask("GET", `/details?${ids.map((id) => `promotionIDs=${id}`).join("&")}`)
    return json.data.promotions
  }

  async rows(inAction: boolean): Promise<ReadonlyArray<Row>> {
    const { json } = await this.ask("GET", `/nomenclatures?promotionID=${promotionId}&inAction=${inAction}`)
    return json.data.nomenclatures
  }

  async items(inAction: boolean): Promise<ReadonlyArray<number>> {
    return (await this.rows(inAction)).map(({ id }) => id)
  }

  send(items: ReadonlyArray<number>): Promise<Answered> {
    const data = { promotionID: promotionId, uploadNow: true, nomenclatures: items }
    return this.ask("POST", "/upload", { data })
  }

  /** Files a task and answers its number. */
  async upload(items: ReadonlyArray<number>): Promise<number> {
    return (await this.send(items)).json.data.uploadID
  }

  /** Statuses of the list of items and of an upload. */
  async statuses(items: ReadonlyArray<number>): Promise<ReadonlyArray<number>> {
    const list = await this.ask("GET", `/nomenclatures?promotionID=${promotionId}&inAction=true`)
    return [list.status, (await this.send(items)).status]
  }

  async arm(...faults: ReadonlyArray<Faults.Fault>): Promise<void> {
    await this.control("faults", { faults })
  }

  /** Posts to a control route. */
  async control(route: string, body: unknown): Promise<void> {
    const { status, text } = await this.m.ask("POST", `/_sandbox/${route}`, { body })
    if (status >= 300) throw new Error(text)
  }

  /** The promotion as the sandbox itself knows it. */
  async truth(): Promise<Truth> {
    const { json } = await this.m.ask("GET", "/_sandbox/promotions")
    return json.promotions.find(({ id }: { readonly id: number }) => id === promotionId)
  }

  /** What the ledger holds of promotions. */
  filed(): ReadonlyArray<Ledger.Entry> {
    return this.m.sandbox.ledger.entries.filter(({ slot }) => slot === "promotion")
  }
}
