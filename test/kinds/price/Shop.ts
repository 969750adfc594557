/** A tiny marketplace of prices, over HTTP, with a ledger of its own. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface Entry {
  readonly item: number
  readonly before: number
  readonly after: number
}

export interface Shop {
  readonly url: string
  readonly ledger: Array<Entry>
  readonly prices: Map<number, number>
  readonly close: () => Promise<void>
}

/** `GET /prices` answers all, `POST /prices/ITEM/KOPECKS` sets one. */
export const open = (prices: ReadonlyArray<readonly [number, number]>): Promise<Shop> =>
  new Promise((resolve) => {
    const now = new Map(prices)
    const ledger: Array<Entry> = []
    const server = createServer((request, answer) => {
      const [, , item, kopecks] = (request.url ?? "").split("/")
      if (request.method === "POST") {
        ledger.push({ item: Number(item), before: now.get(Number(item)) ?? 0, after: Number(kopecks) })
        now.set(Number(item), Number(kopecks))
      }
      answer.end(JSON.stringify([...now]))
    })
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      const close = () => new Promise<void>((done) => server.close(() => done()))
      resolve({ url: `http://127.0.0.1:${port}`, ledger, prices: now, close })
    })
  })
