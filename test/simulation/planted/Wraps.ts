/** Ways in which a planted bug takes the place of a service. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { DatabaseSync } from "@photostructure/sqlite"
import * as Effect from "effect/Effect"
import type { WriteBatch } from "../../../src/engine/door/Writer.js"
import * as Vocabulary from "../../../src/engine/facts/Vocabulary.js"
import type { Change } from "../../../src/engine/kinds/Change.js"
import * as Kinds from "../../../src/engine/kinds/Kinds.js"
import type { Live } from "../../../src/engine/kinds/Seen.js"
import type { SlotHistory } from "../../../src/engine/kinds/SlotHistory.js"
import * as Routes from "../../../src/sandbox/Routes.js"
import type { Wrap } from "../chaos/Program.js"

/** Every request's batch of changes is another one. */
export const batches = (change: (batch: WriteBatch) => WriteBatch): Wrap => ({
  writer: (writer) => ({
    ...writer,
    batches: (changes) => Effect.map(writer.batches(changes), (found) => found.map(change))
  })
})

/** The writer is given other bids than were approved and journaled, kopecks. */
export const bids = (after: (change: Change) => number): Wrap => ({
  writer: (writer) => ({
    ...writer,
    batches: (changes) =>
      writer.batches(changes.map((one) => (Kinds.isSteered(one) ? { ...one, after: after(one) } : one)))
  })
})

/** Bodies of an operation are other ones on their way to the network. */
export const bodies = (operation: string, change: (body: string) => string): Wrap => ({
  http: HttpClient.mapRequest((request) => {
    const route = Routes.find(request.method, new URL(request.url, "http://sandbox").pathname)
    if (route === undefined || route === "wrong method" || route.facts.id !== operation) return request
    const { body } = request
    return body._tag === "Uint8Array"
      ? HttpClientRequest.bodyText(request, change(new TextDecoder().decode(body.body)), "application/json")
      : request
  })
})

/** What is remembered of slots is something else. */
export const histories = (change: (history: SlotHistory) => SlotHistory): Wrap => ({
  memory: (memory) => ({
    ...memory,
    slots: (...args) =>
      Effect.map(
        memory.slots(...args),
        (found) => new Map([...found].map(([slot, history]) => [slot, change(history)]))
      )
  })
})

/** The same question has another answer each time. */
export const pastOfEveryOtherLook: Wrap = {
  memory: (memory) => {
    let looks = 0
    return {
      ...memory,
      slots: (...args) => (++looks % 2 === 0 ? Effect.succeed(new Map()) : memory.slots(...args))
    }
  }
}

/** What live values look like before they are sent; they are read back rightly. */
export const live = (
  look: (
    read: Effect.Effect<ReadonlyMap<string, Live>>,
    changes: ReadonlyArray<Change>
  ) => Effect.Effect<ReadonlyMap<string, Live>>
): Wrap => ({
  writer: (writer) => {
    const sent = new Set<string>()
    return {
      ...writer,
      readLive: (changes) =>
        changes.every(({ id }) => sent.has(id))
          ? writer.readLive(changes)
          : look(writer.readLive(changes), changes),
      batches: (changes) =>
        Effect.map(writer.batches(changes), (found) =>
          found.map((batch) => ({
            ...batch,
            send: Effect.tap(batch.send, () => {
              for (const { id } of batch.changes) sent.add(id)
            })
          }))
        )
    }
  }
})

/** A statement that somebody runs on the store's file by hand. */
export const sql =
  (statement: string) =>
  (filename: string): void => {
    const database = new DatabaseSync(filename)
    database.exec(statement)
    database.close()
  }

/** Of spend that is zero nobody would believe it: what was charged says otherwise. */
export const unreadOrdersAreNone: Wrap = {
  facts: (source) => ({
    ...source,
    fetch: (request) =>
      Effect.map(source.fetch(request), (answer) => {
        if (answer.failures.length === 0 || !/Stats$/.test(request.source)) return answer
        const facts = Vocabulary.facts.flatMap(({ id, source: from }) =>
          from === request.source && /\.orders$/.test(id) ? [id] : []
        )
        const values = facts.map(() => 0)
        const rows = request.keys.map((target) => ({ target, facts, values }))
        return { ...answer, failures: [], rows, later: [] }
      })
  })
}
