/** A marketplace of these tests: answers by method and end of the path, one supply. */
import type * as Effect from "effect/Effect"
import { OrderId, SupplyId, UnitId } from "../../../src/domain/Ids.js"
import * as VirtualClock from "../../scenario/VirtualClock.js"
import { type Fake, json, type Reply, type Sent, withMarketplace } from "../FakeMarketplace.js"

export const supplyId = SupplyId.make("PLATFORM-GI-1001")
export const other = SupplyId.make("PLATFORM-GI-SAND-7")
export const order = (n: number) => OrderId.make(n)
export const unit = (n: number) => UnitId.make(`PLATFORM-TRBX-${n}`)
export const code = (body: string) => Buffer.from(body).toString("base64")

export const refusal = (status: number, name: string, data?: unknown): Reply =>
  json({ code: name, message: "no", ...(data === undefined ? {} : { data }) }, status)

/** Answers by the end of the path and the method, such as `PATCH /orders`. */
export const on = <A, E>(
  routes: Readonly<Record<string, Reply | ((sent: Sent, nth: number) => Reply)>>,
  use: (fake: Fake) => Effect.Effect<A, E>
) =>
  withMarketplace((sent, nth) => {
    const found = Object.entries(routes).find(([route]) => {
      const [method, end = ""] = route.split(" ")
      return sent.method === method && sent.url.pathname.endsWith(end)
    })
    if (found === undefined) throw new Error(`nothing answers ${sent.method} ${sent.url.pathname}`)
    const reply = found[1]
    return typeof reply === "function" ? reply(sent, nth) : reply
  }, use)

/** Lets pauses pass in virtual time. */
export const hurried = <A, E, R>(effect: Effect.Effect<A, E, R>) => VirtualClock.make().run(effect)

export const writes = (sent: ReadonlyArray<Sent>) => sent.filter(({ method }) => method !== "GET")
