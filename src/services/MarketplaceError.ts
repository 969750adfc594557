/**
 * What can go wrong with a call, told apart by what the caller can do about it. Each error carries the operation,
 * the HTTP status, the marketplace's own words (cut, secrets removed), retry advice, and how far the request came.
 * Class and meaning follow the HTTP status, never a status written in the body (not-shown §3.1).
 */
import * as Data from "effect/Data"
import type { Withheld } from "../domain/BeforeSend.js"
import { isNoRoom, type LimitStopped } from "./Limiter.js"

interface Fields {
  /** Operation id of the contract. */
  readonly operation: string
  /** HTTP status; undefined when no answer came or nothing was sent. */
  readonly status: number | undefined
  /** The marketplace's own text, or what was wrong on the way; at most 300 characters, no secrets. */
  readonly text: string
  /** When a repeat may succeed, milliseconds from the answer; undefined when nothing was advised. */
  readonly retryAfterMs: number | undefined
  /** The marketplace's own code of the refusal, such as `SupplyHasOrders` (not-shown §3.2); not every host gives one. */
  readonly code?: string | undefined
  /** What the refusal carries beside its words, such as the orders that fail validation. */
  readonly data?: unknown
  /** What to do about it, where more is known than the status tells. */
  readonly advice?: string
  /** The refusal was a web page, such as a proxy's, not an answer of the operation. */
  readonly page?: true
  /** The answer was a redirect, which is never followed: where to, without anything of its path (reliability.md §2, fault 14). */
  readonly redirect?: string
  /** Not sent: the marketplace has refused the operation to this token before. */
  readonly switchedOff?: true
  /** Not sent: no token of this kind is served the operation. */
  readonly unserved?: true
  /** Of a call that writes: whether somebody else tells what became of it; undefined for reads. */
  readonly effect?: "open" | "told"
  /** `no` nothing was sent; `maybe` it left and no answer came; `yes` the marketplace answered. */
  readonly arrived: "no" | "maybe" | "yes"
}

const tell = (error: Fields, what: string, next: string): string => {
  const status = error.status === undefined ? "" : ` (${error.status})`
  const said = error.text === "" ? "" : `: ${error.text}`
  return `${error.operation}: ${what}${status}${said}${next === "" ? "" : `. ${next}`}`
}

/** A read is made again; a write that may have taken effect is looked for first. `next` ends the sentence of both. */
const again = ({ effect }: Fields, next: string): string => {
  if (effect === "told") return ""
  return effect === "open" ? `Look first whether it took effect, then try ${next}` : `Try ${next}`
}

/** Whether the path itself is gone, and not a thing that was asked for (field note T11). */
export const isRetired = ({ status, text }: Pick<Fields, "status" | "text">): boolean =>
  status === 405 || (status === 404 && /\bpath not found\b/i.test(text))

/** 400, 404, 409, 422 and other 4xx, or a request that breaks a stated bound: mend the input. */
export class Refused extends Data.TaggedError("Refused")<Fields> {
  override get message(): string {
    if (this.redirect !== undefined) {
      return tell(
        this,
        `the answer was a redirect to ${this.redirect}`,
        `It was not followed, and the token was not sent there. Check the host in the settings${this.effect === "open" && tellsElsewhere(this.status) ? "; look first whether it took effect" : ""}`
      )
    }
    return tell(
      this,
      this.arrived === "no" ? "not sent" : "the marketplace refused the request",
      this.advice ??
        (isRetired(this)
          ? "The path may be retired: update bidhelm"
          : `Mend the values and try again${this.arrived === "no" ? "" : "; the same request will be refused again"}`)
    )
  }
}

/** 401: expired, malformed, withdrawn, or of the other environment. Nothing of this account is worth trying. */
export class Unauthorised extends Data.TaggedError("Unauthorised")<Fields> {
  override get message(): string {
    return tell(this, "the token was not accepted", "Put a valid token of this environment in its place")
  }
}

/** 402 and 403: the token is good but not for this operation. Stop the operation, not the account. */
export class Forbidden extends Data.TaggedError("Forbidden")<Fields> {
  override get message(): string {
    if (this.switchedOff) return this.text
    if (this.page)
      return tell(
        this,
        "somebody on the way answered instead of the marketplace",
        "Look at the proxy or firewall between here and the marketplace; of the token it says nothing"
      )
    return tell(
      this,
      "the token may not do this",
      this.status === 402
        ? "Top up or renew the paid service at the marketplace"
        : "Use a token of the needed kind and category that is not read-only"
    )
  }
}

/**
 * 429: the call limit is used up; the limiter keeps the bucket shut until the stated time. `daily` is the second kind,
 * of a quota per day: nothing but the next Moscow day helps, and only the operations of that quota are shut.
 */
export class Throttled extends Data.TaggedError("Throttled")<Fields & { readonly daily?: boolean }> {
  override get message(): string {
    if (this.daily === true) {
      return tell(this, "the daily quota is used up", `Try again ${waitOf(this)}, after midnight in Moscow`)
    }
    return tell(
      this,
      "the call limit is used up",
      `Try again ${waitOf(this)}; other tools with this token use it too`
    )
  }
}

const waitOf = ({ retryAfterMs }: Fields): string =>
  retryAfterMs === undefined ? "later" : `in ${Math.ceil(retryAfterMs / 1000)} s or later`

/** 5xx, 408 and 499: the marketplace, or somebody on the way, failed. A write may nevertheless have taken effect. */
export class Unavailable extends Data.TaggedError("Unavailable")<Fields> {
  override get message(): string {
    return tell(this, "the marketplace failed", again(this, "again later"))
  }
}

/** A 2xx answer that is not what the operation promises: HTML, half a body, another shape. */
export class Undecodable extends Data.TaggedError("Undecodable")<Fields> {
  override get message(): string {
    return tell(
      this,
      "the answer could not be read",
      "Check the host in the settings; if it is right, the marketplace changed and bidhelm needs an update"
    )
  }
}

/** No whole answer came: no connection, a broken one, or a timeout. */
export class Transport extends Data.TaggedError("Transport")<Fields> {
  override get message(): string {
    return tell(
      this,
      "no answer came",
      this.arrived === "no" ? "Check the network and the host in the settings" : again(this, "again")
    )
  }
}

/** A copy that somebody on the way had kept, older than what is read may be: it proves nothing and tells no present. */
export class Outdated extends Data.TaggedError("Outdated")<Fields> {
  override get message(): string {
    return tell(
      this,
      "the answer is an old copy",
      "What it says is taken as unknown; if it stays so, a cache between here and the marketplace keeps answers"
    )
  }
}

export type MarketplaceError =
  | Refused
  | Unauthorised
  | Forbidden
  | Throttled
  | Unavailable
  | Undecodable
  | Outdated
  | Transport

/** All a call can fail with; `LimitStopped` and `Withheld` mean that nothing was sent. */
export type CallError = MarketplaceError | LimitStopped | Withheld

/** True where a call limit is used up, as the limiter knows it or as the marketplace says. */
export const isLimit = (error: object): boolean => isNoRoom(error) || error instanceof Throttled

/** True where the token says itself that it is not for the operation: nothing was sent. */
export const isBeyondToken = (error: CallError): boolean =>
  error._tag === "Forbidden" && error.arrived === "no" && error.status === undefined

/** The error of a call that writes: `open` where its reader has to look what became of it, `told` where a run tells. */
export const ofWrite = (error: CallError, effect: "open" | "told"): CallError => {
  switch (error._tag) {
    case "Refused":
      return new Refused({ ...error, effect })
    case "Unavailable":
      return new Unavailable({ ...error, effect })
    case "Transport":
      return new Transport({ ...error, effect })
    default:
      return error
  }
}

/** Whether the thing that was asked for is not there; a path that is gone says nothing of it. */
export const isMissing = (error: CallError): boolean =>
  error._tag === "Refused" && error.status === 404 && !isRetired(error)

/**
 * Whether a failed write can have changed anything. `none`: it was not sent or was refused; `unknown`: read the state
 * back before deciding (field note T16).
 */
export const effectOf = (error: CallError): "none" | "unknown" => {
  switch (error._tag) {
    case "Refused":
      return tellsElsewhere(error.status) ? "unknown" : "none"
    case "LimitStopped":
    case "Withheld":
    case "Unauthorised":
    case "Forbidden":
    case "Throttled":
      return "none"
    case "Unavailable":
    case "Undecodable":
    case "Outdated":
    case "Transport":
      return error.arrived === "no" ? "none" : "unknown"
  }
}

/**
 * Redirects that may be the answer to what was carried out: "look there for the outcome". 301, 307 and 308 say that the
 * same request belongs elsewhere, so that nothing was done with it.
 */
const tellsElsewhere = (status = 0): boolean =>
  status >= 300 && status < 400 && ![301, 307, 308].includes(status)

/** Somebody on the way gave up waiting; what it waited for may still come about. */
const gaveUp: ReadonlySet<number> = new Set([408, 499])

/** A refusal found before sending: the request breaks a stated bound or the token cannot serve it. */
export const local = (operation: string, text: string): Fields => ({
  operation,
  status: undefined,
  text,
  retryAfterMs: undefined,
  arrived: "no"
})

/** The error of an answer outside 2xx. Redirects are not followed: they are refusals that say where they lead. */
export const fromAnswer = (
  fields: Omit<Fields, "arrived"> & { readonly status: number; readonly daily?: boolean }
): MarketplaceError => {
  const { daily, ...said } = fields
  const all: Fields = { ...said, arrived: "yes" }
  const { status } = fields
  if (status === 401) return new Unauthorised(all)
  if (status === 402 || status === 403) return new Forbidden(all)
  if (status === 429) return new Throttled(daily === true ? { ...all, daily } : all)
  return status >= 500 || gaveUp.has(status) ? new Unavailable(all) : new Refused(all)
}
