/**
 * What it takes to fill the table of a large account: from the bytes of the marketplace's answers through the real client,
 * its decoding and the desks to columns, over `JSON.parse` of the same bytes. No socket and no limit: nothing is waited
 * for. `node dist/bench/fill.js 200000 3` takes so many clusters and another seed. Ends with 1 when a goal was missed.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as V8 from "../../src/cli/plain/V8.js"
import { AccountName } from "../../src/domain/Ids.js"
import * as Window from "../../src/domain/Window.js"
import * as Vocabulary from "../../src/engine/facts/Vocabulary.js"
import { FactSource } from "../../src/engine/gather/FactSource.js"
import * as Office from "../../src/engine/gather/Office.js"
import * as FactLoader from "../../src/marketplace/FactLoader.js"
import { Limiter } from "../../src/services/Limiter.js"
import * as MarketplaceClient from "../../src/services/MarketplaceClient.js"
import * as Answers from "./Answers.js"

const goals = { ratio: 2.5, bytesPerRow: 200 }
const rounds = 5

V8.tune()
const [clusters = "1000000", seed = "1"] = process.argv.slice(2)
const account = Answers.make(Number(clusters), Number(seed))

const open = {
  call: <A, E, R>(_: unknown, send: Effect.Effect<A, E, R>) => send,
  states: Effect.succeed([]),
  quotas: Effect.succeed([])
}

const client = MarketplaceClient.make({
  account: AccountName("bench"),
  token: {
    value: Redacted.make("token"),
    kind: "personal",
    categories: undefined,
    readOnly: false,
    expiresAt: undefined,
    test: false
  },
  hosts: { marketplace: "http://localhost", advert: "http://localhost" }
}).pipe(
  Effect.provideService(Limiter, open),
  Effect.provide(NodeHttpClient.layerUndiciWithoutDispatcher),
  Effect.provideService(NodeHttpClient.Dispatcher, account.dispatcher)
)

const wanted = new Set(Vocabulary.facts.map(({ id }) => id))
const window = Window.last(7)

/** Fills a new table and answers how many facts each of its clusters has, and the bytes of a row. */
const fill = Effect.scoped(
  Effect.gen(function* () {
    const source = FactLoader.make(yield* client)
    const provided = Effect.provideService(FactSource, source)
    const office = yield* provided(Office.open({}, wanted))
    const campaigns = account.campaigns.map((campaignId) => ({ campaignId }))
    yield* provided(office.learn([{ source: "campaigns" }], "local", () => campaigns))
    const asks = [
      { source: "clusters" },
      { source: "clusterStats", window },
      { source: "clusterBids" },
      { source: "minusPhrases" }
    ] as const
    for (const ask of asks) yield* provided(office.learn([ask], "actions", () => account.pairs))
    const table = office.table("cluster")
    const known = [...table.columns.values()].filter(({ knownCount }) => knownCount === table.size)
    if (table.size !== account.clusters || office.ledger.failures.length > 0)
      return yield* Effect.dieMessage(
        `${table.size} rows, ${office.ledger.failures.map(({ message }) => message).join("; ")}`
      )
    return { facts: table.columns.size, known: known.length, bytesPerRow: table.bytesPerRow }
  })
)

const decoder = new TextDecoder()
const parse = (): void => {
  for (const body of account.bodies) JSON.parse(decoder.decode(body))
}

const cpuMs = async (work: () => unknown): Promise<number> => {
  const before = process.cpuUsage()
  await work()
  const { system, user } = process.cpuUsage(before)
  return (system + user) / 1000
}

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const say = (line: string, isMissed = false): void => {
  process.stdout.write(`${line}${isMissed ? "  MISS" : ""}\n`)
  if (isMissed) process.exitCode = 1
}

const parsing: Array<number> = []
const filling: Array<number> = []
let filled = { facts: 0, known: 0, bytesPerRow: 0 }
for (let round = -1; round < rounds; round++) {
  const parsed = await cpuMs(parse)
  const done = await cpuMs(async () => {
    filled = await Effect.runPromise(fill)
  })
  if (round < 0) continue
  parsing.push(parsed)
  filling.push(done)
}
const ratio = median(filling) / median(parsing)
const bytes = account.bodies.reduce((sum, { byteLength }) => sum + byteLength, 0)
say(
  `${account.clusters} clusters × ${filled.facts} facts (${filled.known} known of every row), ${Math.round(bytes / 2 ** 20)} MiB of answers`
)
say(
  `filling: ${Math.round(median(filling))} ms of processor, JSON.parse ${Math.round(median(parsing))} ms: ${ratio.toFixed(2)} × (≤ ${goals.ratio})`,
  ratio > goals.ratio
)
say(
  `${Math.round(filled.bytesPerRow)} bytes a row without its texts (≤ ${goals.bytesPerRow})`,
  filled.bytesPerRow > goals.bytesPerRow
)
