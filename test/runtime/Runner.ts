/** A runner as a process of its own: `node Runner.mjs POSTGRES_URL PASSWORD PORT TAKES_MS [due times to send [shards]]`. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SellerAccount from "../../src/runtime/SellerAccount.js"
import * as Several from "../../src/runtime/Several.js"
import * as PgClient from "../../src/store/clients/PgClient.js"
import * as Accounts from "./Accounts.js"

const [url = "", password = "", port = "", takesMs = "", count = "0", shards = "20"] = process.argv.slice(2)

const send = Effect.gen(function* () {
  const accounts = yield* SellerAccount.client
  for (let i = 0; i < Number(count); i++) {
    yield* accounts.send(
      { account: `shop-${i >> 1}`, lane: i % 2 === 0 ? "ads" : "orders" },
      { job: "01-raise", dueAt: 1 }
    )
  }
  process.stdout.write("sent\n")
  return yield* Effect.never
})

const layer = SellerAccount.layer(port).pipe(
  Layer.provide(Accounts.layer(port, Number(takesMs))),
  Layer.provideMerge(
    Several.layer({
      listen: { host: "127.0.0.1", port: Number(port) },
      shards: Number(shards),
      lockSeconds: 6
    })
  ),
  Layer.provide(PgClient.plain({ url, password: Redacted.make(password) }))
)

await Effect.runPromise(Effect.provide(send, layer))
