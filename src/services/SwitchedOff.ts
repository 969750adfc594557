/**
 * Operations that the marketplace refused to the account's token (402, 403; field note T12). Such a write rests a day, a
 * read a quarter of an hour, and after each further refusal three times as long as it was refused so far, a day at most;
 * another token, or a person, ends that. Kept in `TokenMemory`, so that the next run knows it too.
 */
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Hash from "../domain/Hash.js"
import { type AccountName, CampaignId } from "../domain/Ids.js"
import * as When from "../domain/When.js"
import { LimitStopped } from "./Limiter.js"
import { type CallError, Forbidden, isRetired, local } from "./MarketplaceError.js"
import type { Facts } from "./Operation.js"
import type { Refusal, TokenMemory, TokenMemoryFailure } from "./ports/TokenMemory.js"
import type { Token } from "./Token.js"

/** True for a call by which a person looks whether the marketplace still refuses. */
export class AskAnyway extends Context.Reference<AskAnyway>()("bidhelm/AskAnyway", {
  defaultValue: () => false
}) {}

/** How long a refusal is believed at most, and the first one. */
const believedMs = 86_400_000
const firstBelievedMs = 900_000

/** Some refusals to read pass by themselves within minutes; what was meant to change something waits for a person. */
const restMs = ({ access }: Facts, firstAt: number, nowMs: number): number =>
  access === "write" ? believedMs : Math.min(believedMs, Math.max(firstBelievedMs, 3 * (nowMs - firstAt)))

/** Tells one token from another; kept instead of the token. */
export const markOf = ({ value }: Pick<Token, "value">): string => Hash.of(Redacted.value(value)).slice(0, 16)

/** Whether the refusal is believed for this token. */
export const stands = (refusal: Refusal, mark: string, nowMs: number): boolean =>
  refusal.tokenMark === mark && isBelieved(refusal, nowMs)

/** Whether it is young enough, whatever the token. One that ends later than it can is of a clock that was ahead. */
export const isBelieved = ({ againAt }: Refusal, nowMs: number): boolean =>
  nowMs < againAt && againAt - nowMs <= believedMs

/** What the marketplace refuses, since when, and until when it is not asked. */
export const text = (refusal: Refusal): string => {
  const { account, againAt, firstAt, said, status } = refusal
  const words = said === "" ? "" : `: ${said}`
  return `${label(refusal)} is switched off: the marketplace answered ${status} at ${minute(firstAt)}${words}. Asked again after ${minute(againAt)}, with another token, or after: bidhelm account retry ${account}`
}

/** What is switched off, as plans are held against it. A store that cannot be read stops every call by itself. */
export const told = ({
  switchedOff = Effect.succeed([])
}: {
  readonly switchedOff?: Effect.Effect<ReadonlyArray<Refusal>, TokenMemoryFailure>
}) =>
  switchedOff.pipe(
    Effect.map((all) =>
      all.map((refusal) => ({
        operation: refusal.operation,
        scope: refusal.scope,
        text: text(refusal)
      }))
    ),
    Effect.orElseSucceed(() => [])
  )

/** `getClusterBids for campaign 777`. */
export const label = ({ operation, scope }: Refusal): string =>
  scope === "" ? operation : `${operation} for ${scope}`

/** `2026-09-01 09:00 UTC`. */
const minute = (ms: number): string => `${When.text(ms, "UTC")} UTC`

export interface SwitchedOff {
  /** Makes the call unless it is switched off, and learns from its answer. */
  readonly guard: <A, R>(
    facts: Facts,
    request: HttpClientRequest.HttpClientRequest,
    call: Effect.Effect<A, CallError, R>
  ) => Effect.Effect<A, CallError, R>
  /** What is switched off now. */
  readonly standing: Effect.Effect<ReadonlyArray<Refusal>, TokenMemoryFailure>
  readonly campaigns?: RefusedCampaigns
}

/** Operations on clusters that are refused for single campaigns. */
export interface RefusedCampaigns {
  /** Those refused to this token, also where it would be asked again by now. None while the store cannot be read. */
  readonly of: (operation: string) => Effect.Effect<ReadonlySet<CampaignId>>
  /** Forgets that a request for all these campaigns was refused: it is known better by now. */
  readonly forget: (operation: string, campaigns: ReadonlyArray<CampaignId>) => Effect.Effect<void>
}

/** Nothing is remembered. */
export const none: SwitchedOff = { guard: (_facts, _request, call) => call, standing: Effect.succeed([]) }

/** Another process, or a person, may have changed what is known: it is read again after as long. */
const freshFor = "1 minute"

/** Reads what is known when a call is made; for the next minute this account's own answers keep it right. */
export const make = (
  { account, token }: { readonly account: AccountName; readonly token: Token },
  memory: TokenMemory["Type"]
): Effect.Effect<SwitchedOff> =>
  Effect.gen(function* () {
    const mark = markOf(token)
    const [read, readAgain] = yield* Effect.cachedInvalidateWithTTL(
      Effect.map(memory.refusals(account), (all) => new Map(all.map((one) => [keyOf(one), one]))),
      freshFor
    )
    // A store that was away for a moment must not stop the account for a minute.
    const known = Effect.tapError(read, () => readAgain)
    const learn = (facts: Facts, scope: string, error: CallError) =>
      Effect.gen(function* () {
        const isOff = error._tag === "Forbidden" || (error._tag === "Refused" && isRetired(error))
        if (!isOff || error.status === undefined || error.page || error.arrived !== "yes") return
        const all = yield* known
        const nowMs = yield* Clock.currentTimeMillis
        const before = all.get(keyOf({ operation: facts.id, scope }))
        const firstAt = before?.tokenMark === mark ? Math.min(before.firstAt, nowMs) : nowMs
        const refusal: Refusal = {
          account,
          operation: facts.id,
          scope,
          status: error.status,
          said: error.text,
          tokenMark: mark,
          firstAt,
          againAt: nowMs + restMs(facts, firstAt, nowMs)
        }
        all.set(keyOf(refusal), refusal)
        yield* memory.refused(refusal)
      }).pipe(Effect.catchAll(({ message }) => Effect.logWarning(message)))
    const forget = (all: Map<string, Refusal>, refusal: Refusal) =>
      Effect.suspend(() => {
        all.delete(keyOf(refusal))
        return memory.answered(account, refusal.operation, refusal.scope)
      }).pipe(Effect.catchAll(({ message }) => Effect.logWarning(message)))
    const guard: SwitchedOff["guard"] = (facts, request, call) =>
      Effect.gen(function* () {
        const scope = scopeOf(request)
        const all = yield* Effect.mapError(known, (failure) => unreadable(facts, failure))
        const refusal = all.get(keyOf({ operation: facts.id, scope }))
        const nowMs = yield* Clock.currentTimeMillis
        if (refusal !== undefined && stands(refusal, mark, nowMs) && !(yield* AskAnyway))
          return yield* refused(refusal)
        return yield* call.pipe(
          Effect.tap(() => (refusal === undefined ? Effect.void : forget(all, refusal))),
          Effect.tapError((error) => learn(facts, scope, error))
        )
      })
    const standing = Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      return [...(yield* known).values()].filter((one) => stands(one, mark, nowMs))
    })
    const campaigns: RefusedCampaigns = {
      of: (operation) =>
        known.pipe(
          Effect.map((all) => {
            const own = [...all.values()].filter(
              (one) => one.operation === operation && one.tokenMark === mark
            )
            return new Set(own.flatMap(({ scope }) => campaignOf(scope) ?? []))
          }),
          Effect.orElseSucceed(() => new Set<CampaignId>())
        ),
      forget: (operation, ids) =>
        known.pipe(
          Effect.flatMap((all) => {
            const refusal = all.get(keyOf({ operation, scope: scopeOfCampaigns(ids) }))
            return refusal === undefined ? Effect.void : forget(all, refusal)
          }),
          Effect.ignore
        )
    }
    return { guard, standing, campaigns }
  })

const keyOf = ({ operation, scope }: Pick<Refusal, "operation" | "scope">): string => `${operation} ${scope}`

const refused = (refusal: Refusal): Forbidden =>
  new Forbidden({
    ...local(refusal.operation, text(refusal)),
    status: refusal.status,
    switchedOff: true
  })

/** As when the state of the limits cannot be read: nothing is sent. */
const unreadable = (facts: Facts, { message }: TokenMemoryFailure): LimitStopped =>
  new LimitStopped({
    limitGroup: facts.limitGroup,
    because: "switched_off",
    waitMs: 0,
    frozenUntil: undefined,
    problem: message
  })

/** Operations on clusters are refused for single campaigns too (not-shown §3.4): then only the same ones are left out. */
const scopeOf = ({ body, url }: HttpClientRequest.HttpClientRequest): string => {
  if (!url.includes("/normquery/") || body._tag !== "Uint8Array") return ""
  const found = new TextDecoder().decode(body.body).matchAll(/"advert(?:_id|Id)"\s*:\s*(\d+)/g)
  return scopeOfCampaigns([...found].map(([, id]) => CampaignId.make(Number(id))))
}

const scopeOfCampaigns = (campaigns: ReadonlyArray<CampaignId>): string => {
  const ids = [...new Set(campaigns)].sort((a, b) => a - b)
  if (ids.length === 0) return ""
  if (ids.length <= shown) return `campaign${ids.length === 1 ? "" : "s"} ${ids.join(", ")}`
  return `campaigns ${ids.slice(0, shown).join(", ")} and ${ids.length - shown} more (${Hash.of(ids).slice(0, 8)})`
}

const campaignOf = (scope: string): CampaignId | undefined => {
  const id = /^campaign (\d+)$/.exec(scope)?.[1]
  return id === undefined ? undefined : CampaignId.make(Number(id))
}

const shown = 5
