/** The limits of an account as the store knows them, for people and for machines. */
import * as TextOrder from "../../domain/TextOrder.js"
import type { Bucket, BucketState, QuotaState } from "../../services/Limiter.js"
import * as Duration from "../terminal/Duration.js"

export interface View {
  readonly buckets: ReadonlyArray<BucketState>
  readonly quotas: ReadonlyArray<QuotaState>
  readonly nowMs: number
  /** IANA name of the zone clock times are told in. */
  readonly zone: string
}

/** Buckets and quotas as JSON; moments are UTC, `null` where nothing holds. */
export const json = ({ buckets, nowMs, quotas }: View) => ({
  buckets: buckets.map((state) => ({
    limitGroup: state.bucket.limitGroup,
    tokenKind: state.bucket.tokenKind,
    burst: state.bucket.burst,
    intervalMs: state.bucket.intervalMs,
    cost4xx: state.bucket.cost4xx,
    available: state.available,
    inFlight: state.inFlight,
    frozenForMs: leftMs(state.frozenUntil, nowMs),
    frozenUntil: moment(state.frozenUntil, nowMs)
  })),
  quotas: quotas.map((state) => ({
    group: state.quota.group,
    perDay: state.quota.perDay,
    usedToday: state.used,
    refused: state.refused,
    closedForMs: leftMs(state.closedUntil, nowMs),
    closedUntil: moment(state.closedUntil, nowMs)
  }))
})

/** One line per bucket, then one per quota. Empty when there are none. */
export const text = ({ buckets, nowMs, quotas, zone }: View): string => {
  const names = [...buckets.map(({ bucket }) => bucket.limitGroup), ...quotas.map(({ quota }) => quota.group)]
  const width = Math.max(0, ...names.map((name) => name.length))
  const until = (at: number | undefined): string =>
    at === undefined || at <= nowMs
      ? ""
      : ` until ${clock(at, zone)} ${zone}, ${Duration.format(at - nowMs)} from now`
  const lines = buckets.map(({ available, bucket, frozenUntil, inFlight }) => {
    const air = inFlight === 0 ? "" : `, ${inFlight} in the air`
    const frozen = leftMs(frozenUntil, nowMs) === 0 ? "" : `  refused by the marketplace${until(frozenUntil)}`
    return `${bucket.limitGroup.padEnd(width)}  ${available} of ${bucket.burst} now${air}, one more every ${Duration.pace(bucket.intervalMs)}${frozen}`
  })
  const daily = quotas.map(({ closedUntil, quota, refused, used }) => {
    const why = refused ? "refused by the marketplace" : "used up"
    const closed = leftMs(closedUntil, nowMs) === 0 ? "" : `  ${why}${until(closedUntil)}`
    return `${quota.group.padEnd(width)}  ${used} of ${quota.perDay} used this Moscow day${closed}`
  })
  return [...lines, ...(daily.length === 0 ? [] : ["", "daily quotas", ...daily])].join("\n")
}

/** The states with a full one for every bucket that was never used. Sorted by name. */
export const withUnused = (
  states: ReadonlyArray<BucketState>,
  buckets: ReadonlyArray<Bucket>
): ReadonlyArray<BucketState> => {
  const all = new Map<string, BucketState>()
  for (const bucket of buckets)
    all.set(name(bucket), {
      bucket,
      available: bucket.burst,
      inFlight: 0,
      waiting: 0,
      frozenUntil: undefined,
      nextAt: undefined
    })
  for (const state of states) all.set(name(state.bucket), state)
  return [...all].sort(TextOrder.byKey).map(([, state]) => state)
}

/** The same for quotas. */
export const withUnusedQuotas = (
  states: ReadonlyArray<QuotaState>,
  buckets: ReadonlyArray<Bucket>
): ReadonlyArray<QuotaState> => {
  const all = new Map<string, QuotaState>()
  for (const { account, quota } of buckets)
    if (quota !== undefined)
      all.set(quota.group, { account, quota, used: 0, closedUntil: undefined, refused: false })
  for (const state of states) all.set(state.quota.group, state)
  return [...all].sort(TextOrder.byKey).map(([, state]) => state)
}

const name = ({ limitGroup, tokenKind }: Bucket): string => `${limitGroup} ${tokenKind}`

const leftMs = (until: number | undefined, nowMs: number): number =>
  until === undefined ? 0 : Math.max(0, until - nowMs)

const moment = (until: number | undefined, nowMs: number): string | null =>
  until === undefined || until <= nowMs ? null : new Date(until).toISOString()

/** `2026-11-21 14:05:03` in a zone. */
const clock = (epochMs: number, zone: string): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" }).format(
    epochMs
  )
