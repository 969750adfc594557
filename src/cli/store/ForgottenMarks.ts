/**
 * Marks that orders were given while the restored store was not there to see it. None of them may count as free once its order is
 * handed over, so they are read from the marketplace and kept.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Days from "../../domain/Days.js"
import { OrderId } from "../../domain/Ids.js"
import { ChangeLog } from "../../engine/door/ChangeLog.js"
import { Journal } from "../../engine/door/Journal.js"
import {
  identitiesOf,
  isKind,
  isUnique,
  kinds,
  Mark,
  type MarkKind
} from "../../engine/fulfilment/marks/Mark.js"
import * as OrderMark from "../../engine/kinds/fulfilment/OrderMark.js"
import * as Labels from "../../services/areas/labels/Labels.js"
import * as OrderRecords from "../../services/areas/orders/OrderRecords.js"
import * as Orders from "../../services/areas/orders/Orders.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import { type CallError, isBeyondToken, isLimit } from "../../services/MarketplaceError.js"
import { type Marks, MarkVault, waitsMs } from "../../services/ports/MarkVault.js"
import type { Chosen } from "../account/Account.js"
import * as KeptMarks from "../packing/KeptMarks.js"

/** So long after it was made an order may still get its marks, milliseconds. */
const markedWithinMs = 14 * Days.dayMs

/** Orders are listed for three months. */
const listedMs = 89 * Days.dayMs

/** A mark that waited for `orderId`. */
interface Elsewhere {
  readonly orderId: OrderId
  readonly key: MarkKind
  readonly otherOrderId: OrderId
}

interface Read {
  /** How many marks of orders the store did not know. */
  readonly found: number
  /** Marks that waited in the store, and are on another order by now: no turn sets them. */
  readonly elsewhere: ReadonlyArray<Elsewhere>
  /** Why some could not be read; undefined where all could. */
  readonly unread: string | undefined
  readonly isLimited: boolean
}

const none: Read = { found: 0, elsewhere: [], unread: undefined, isLimited: false }

/**
 * Reads the marks of orders that may have got one since the journal's last run, and keeps those that are not known, as far as they
 * could be read. Settings without an address for orders, and a token that is not for them, set no marks either.
 */
export const keep = ({ config, name }: Pick<Chosen, "config" | "name">) =>
  Effect.gen(function* () {
    if (config.hosts.marketplace === undefined) return none
    const vault = yield* MarkVault
    const nowMs = yield* Clock.currentTimeMillis
    const [last] = yield* (yield* Journal).runs(name, 1)
    const fromMs = Math.max(nowMs - listedMs, (last?.startedAt ?? 0) - markedWithinMs)
    const { failure, marks, missing } = yield* given(fromMs, nowMs)
    const orders = marks.map(({ orderId }) => orderId)
    const known = new Set((yield* vault.of(name, orders)).map(keyOf))
    const fresh = marks.filter((one) => !known.has(keyOf(one)))
    const { elsewhere, rows } = yield* overtaken(name, yield* vault.since(name, nowMs - waitsMs), fresh)
    if (fresh.length > 0) yield* vault.keepSeen(name, [...fresh, ...rows])
    return {
      elsewhere,
      found: fresh.reduce((sum, one) => sum + Redacted.value(one.marks).length, 0),
      unread:
        failure?.message ??
        (missing === 0 ? undefined : `${missing} of the orders asked about were not answered`),
      isLimited: failure !== undefined && isLimit(failure)
    } satisfies Read
  })

const keyOf = ({ fingerprint, key, orderId }: Marks): string => `${orderId} ${key} ${fingerprint}`

/**
 * What waits for an order in the restored store while another order has got it. Of such an order nothing waits any more: what it was
 * given before the last is not meant either.
 */
const overtaken = (account: Chosen["name"], kept: ReadonlyArray<Marks>, fresh: ReadonlyArray<Marks>) =>
  Effect.gen(function* () {
    const nowOn = new Map(
      fresh.flatMap((one) => identities(one).map((mark) => [mark, OrderId.make(one.orderId)] as const))
    )
    const last = new Map(kept.map((one) => [`${one.orderId} ${one.key}`, one]))
    const found = [...last.values()].flatMap((one): ReadonlyArray<Elsewhere> => {
      const { key } = one
      const orderId = OrderId.make(one.orderId)
      const otherOrderId = identities(one)
        .map((mark) => nowOn.get(mark))
        .find((other) => other !== undefined && other !== orderId)
      return otherOrderId === undefined || !isKind(key) ? [] : [{ orderId, key, otherOrderId }]
    })
    const slotOf = ({ key, orderId }: Elsewhere) => OrderMark.slot({ orderId }, key)
    const changed = found.length === 0 ? [] : yield* (yield* ChangeLog).ofSlots(account, found.map(slotOf))
    // What was sent once, turns do not send again.
    const sent = new Set(changed.map(({ slot }) => slot))
    const elsewhere = found.filter((one) => !sent.has(slotOf(one)))
    const rows = kept.filter((one) =>
      elsewhere.some(({ key, orderId }) => one.orderId === orderId && one.key === key)
    )
    return { elsewhere, rows }
  })

const identities = ({ key, marks }: Marks): ReadonlyArray<string> => identitiesOf(key, Redacted.value(marks))

interface Given {
  readonly marks: ReadonlyArray<Marks>
  readonly failure: CallError | undefined
  /** Orders that were not answered. */
  readonly missing: number
}

/** What orders made in this time have that are in assembly or were handed over. */
const given = (fromMs: number, toMs: number) =>
  Effect.gen(function* () {
    const client = yield* MarketplaceClient
    const orders = Orders.make(client)
    const listed = yield* Stream.runCollect(orders.between(fromMs, toMs))
    const states = yield* orders.statuses([...listed].map(({ orderId }) => orderId))
    const assembled = states.values
      .filter((state) => OrderRecords.hasSticker(state) && !OrderRecords.isCancelled(state))
      .map(({ orderId }) => orderId)
    const labels = yield* Labels.make(client).read(assembled)
    const [failed] = [...states.failures, ...labels.failures]
    return {
      marks: labels.values.flatMap(({ labels, orderId }) => {
        const own = labels.flatMap(KeptMarks.marksOf)
        return kinds.filter(isUnique).flatMap((kind): ReadonlyArray<Marks> => {
          const whole = own.filter((mark) => mark.kind === kind).map(Mark.whole)
          return whole.length === 0
            ? []
            : [{ orderId, key: kind, fingerprint: OrderMark.fingerprint(whole), marks: Redacted.make(whole) }]
        })
      }),
      failure: failed?.error,
      missing: states.missing.length + labels.missing.length
    } satisfies Given
  }).pipe(
    Effect.catchAll((error) =>
      Effect.succeed<Given>({
        marks: [],
        failure: isBeyondToken(error) ? undefined : error,
        missing: 0
      })
    )
  )
