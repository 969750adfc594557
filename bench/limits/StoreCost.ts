/** What the limiter's memory on disk adds to a call. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AccountName } from "../../src/domain/Ids.js"
import { type Bucket, type Feedback, Limiter } from "../../src/services/Limiter.js"
import * as LimiterLive from "../../src/services/LimiterLive.js"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as LimiterStoreSql from "../../src/store/limiter/LimiterStoreSql.js"
import * as Migrations from "../../src/store/schema/Migrations.js"

/** Real milliseconds of a call that nothing holds back: decided and recorded in a file, two transactions. */
export const measure = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "bidhelm-bench-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )
  const store = Layer.provideMerge(
    Layer.merge(LimiterStoreSql.layer, Migrations.layer),
    SqliteClient.layer({ filename: join(folder, "bidhelm.db") })
  )
  const some = Effect.repeatN(call, calls - 1)
  const [took] = yield* Effect.provide(
    Effect.zipRight(some, Effect.timed(some)),
    Layer.provide(LimiterLive.layer, store)
  )
  return Duration.toMillis(took) / calls
}).pipe(Effect.scoped)

const calls = 200

const bucket: Bucket = {
  account: AccountName("bench"),
  tokenKind: "personal",
  limitGroup: "free",
  burst: 100_000,
  intervalMs: 1,
  cost4xx: 1
}
const answered: Feedback = { status: 200, retryAfterMs: undefined, remaining: undefined }
const call = Effect.flatMap(Limiter, (limiter) => limiter.call(bucket, Effect.void, () => answered))
