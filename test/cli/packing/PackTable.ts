/** A packing table of a test: a supply of a shop, what can be scanned of it, and somebody who scans. */
import * as Input from "../../../src/cli/terminal/Input.js"
import { until } from "../../faults/Waiting.js"
import { gs, gtinDigit, imeiDigit } from "../../fulfilment/Marks.js"
import * as ShopSupply from "../labels/ShopSupply.js"
import type * as Shop from "../Shop.js"

/** An event of `bidhelm pack --json`. */
export interface Event {
  readonly event: string
  readonly orderId?: number
  readonly code?: string
  readonly says: string
  readonly want?: { readonly _tag: string; readonly kind?: string }
}

/** The sandbox's number of an order's sticker, as its bars say it. */
export const stickerOf = (orderId: number) => `*${(20_000_000_000 + orderId).toString(36).toUpperCase()}`

/** A marking code of goods of nobody's; the sandbox lets `7777` pass, and refuses what it is steered to. */
export const codeOf = (serial: string | number, word = "7777") => {
  const goods = "046000000042"
  const bare = `0${goods}`
  return `01${bare}${gtinDigit(bare)}21${String(serial).slice(-8)}${word}${gs}91EE11${gs}92dGVzdHRlc3R0ZXN0dGVzdA==`
}

/** A mark of a kind that its check lets pass; each number has its own. */
export const markOf = (kind: string, n: number): string => {
  const digits = String(n).padStart(12, "0").slice(-10)
  switch (kind) {
    case "sgtin":
      return codeOf(n)
    case "uin":
      return `12${digits}7777`
    case "imei": {
      const body = `7777${digits}`
      return body + imeiDigit(body)
    }
    case "expiration":
      return "31.12.2027"
    default:
      throw new Error(`no mark of kind ${kind} is made here`)
  }
}

export const eventsOf = (stdout: string): ReadonlyArray<Event> =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Event)

/** What says how a scan ended. */
const answers = new Set(["Ask", "Packed", "Alarm", "PutBack", "TakenOut", "Finished", "Left"])

export class PackTable {
  private readonly input = Input.filled()
  private stdout = ""
  private seen = 0
  readonly ended: Promise<Shop.Ended>

  constructor(shop: Shop.Shop, supply: string, ...more: ReadonlyArray<string>) {
    this.ended = shop.talk(
      {
        input: this.input,
        out: (text) => {
          this.stdout += text
        }
      },
      "pack",
      supply,
      "--json",
      ...more
    )
  }

  get events(): ReadonlyArray<Event> {
    return eventsOf(this.stdout.slice(0, this.stdout.lastIndexOf("\n") + 1))
  }

  /** Waits for an event, at once or later; fails when the command ended before. */
  async until(fits: (event: Event) => boolean): Promise<Event> {
    let over: Shop.Ended | undefined
    void this.ended.then((ended) => {
      over = ended
    })
    await until(() => {
      if (this.events.some(fits)) return true
      if (over !== undefined) throw new Error(`it ended before: ${over.code} ${over.stderr}`)
      return false
    })
    return this.events.find(fits)!
  }

  /** Scans, and answers the last word of what is said about it: the code of an alarm, or what is asked next. */
  async scan(text: string): Promise<string> {
    await this.until(({ event }) => event === "Begun")
    const own = () => this.events.filter(({ event }) => answers.has(event))
    this.seen = own().length
    this.input.line(text)
    await until(() => own().length > this.seen)
    const { code, event, want } = own().at(-1)!
    return event === "Alarm" ? code! : event === "Ask" ? `ask ${want?.kind ?? want?._tag}` : event
  }

  end(): Promise<Shop.Ended> {
    this.input.end()
    return this.ended
  }
}

/** Labels that the marketplace keeps of an order, by key. */
export const labelsOf = async (shop: Shop.Shop, orderId: number) => {
  const { orders } = (await ShopSupply.ask(shop, "POST", "/api/marketplace/v3/orders/meta", {
    orders: [orderId]
  })) as {
    readonly orders: ReadonlyArray<{
      readonly metaDetails: ReadonlyArray<{
        readonly key: string
        readonly value: string | null
        readonly decision: string
      }>
    }>
  }
  return new Map(orders[0]?.metaDetails.map((one) => [one.key, one]))
}
