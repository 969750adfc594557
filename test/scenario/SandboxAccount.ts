/** What every test of whole runs has of its one account: client, kill switch, and nothing else that differs. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { AccountName } from "../../src/domain/Ids.js"
import * as Holdings from "../../src/engine/door/Holdings.js"
import * as LimiterLive from "../../src/services/LimiterLive.js"
import * as Client from "../../src/services/MarketplaceClient.js"
import * as Token from "../../src/services/Token.js"

export const account = AccountName("shop")

/** The real client with the real limiter, to a sandbox that is reached by whatever `HttpClient` there is. */
export const client = (token: string) => clientWithin(token).pipe(Layer.provide(LimiterLive.layer))

/** The real client, within whatever `Limiter` there is. */
export const clientWithin = (token: string) =>
  Layer.effect(
    Client.MarketplaceClient,
    Client.make({
      account,
      token: Either.getOrThrow(Token.parse(token, "of the test")),
      hosts: {
        advert: "http://sandbox",
        analytics: "http://sandbox",
        calendar: "http://sandbox",
        marketplace: "http://sandbox"
      }
    })
  )

/** The kill switch of people's commands, and one that the test engages by giving a reason. */
export const killSwitch = (killed: { readonly why: string | undefined }) =>
  Holdings.killSwitch(
    account,
    Effect.sync(() => killed.why)
  )
