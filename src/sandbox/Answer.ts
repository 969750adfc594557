/** What the marketplace answers: a body with a status, or a refusal whose body depends on operation and status. */
import * as ErrorBody from "../services/ErrorBody.js"
import type { Facts } from "../services/Operation.js"
import * as Moscow from "./Moscow.js"

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly contentType: string | undefined
  /** Bytes where the answer is a file. */
  readonly body: string | Uint8Array
}

/** The body as it goes over the wire. */
export const bytesOf = ({ body }: Answer): Buffer =>
  typeof body === "string" ? Buffer.from(body, "utf8") : Buffer.from(body)

/** A refusal on its way to its body; `text` is the marketplace's own sentence. */
export interface Refusal {
  readonly status: number
  readonly text: string
  /** Value of the `code` field on the marketplace host; `data` goes with it. */
  readonly code?: string
  readonly data?: unknown
}

export const refuse = (status: number, text: string): Refusal => ({ status, text })

/** A refusal of the marketplace host, with its code and, where documented, its data (not-shown §3.2). */
export const refuseCode = (status: number, code: string, text: string, data?: unknown): Refusal => ({
  status,
  text,
  code,
  ...(data === undefined ? {} : { data })
})

export const json = (body: unknown, status = 200): Answer => ({
  status,
  headers: {},
  contentType: "application/json",
  body: JSON.stringify(body)
})

export const empty = (status = 200): Answer => ({ status, headers: {}, contentType: undefined, body: "" })

export const text = (body: string, status: number): Answer => ({
  status,
  headers: {},
  contentType: "text/plain; charset=utf-8",
  body
})

export const file = (body: Uint8Array, contentType: string): Answer => ({
  status: 200,
  headers: {},
  contentType,
  body
})

const titles: Readonly<Record<number, string>> = {
  400: "bad request",
  401: "unauthorized",
  402: "payment required",
  403: "access denied",
  404: "not found",
  409: "conflict",
  405: "method not allowed",
  429: "too many requests",
  500: "internal server error",
  502: "bad gateway",
  503: "service unavailable",
  504: "gateway timeout"
}
const origin = "sandbox"
const requestId = "5a4d00000000400080000000000000ab"

/** The eight-field problem object: 401, 402, 403, 429 everywhere. */
export const problem = (refusal: Refusal, nowMs: number, headers: Record<string, string> = {}): Answer => ({
  status: refusal.status,
  headers,
  contentType:
    refusal.status === 401 || refusal.status === 403 ? "application/problem+json" : "application/json",
  body: JSON.stringify({
    title: titles[refusal.status] ?? "error",
    detail: refusal.text,
    code: `${requestId.slice(0, 8)}; ${refusal.text}`,
    requestId,
    origin,
    status: refusal.status,
    statusText: titles[refusal.status] ?? "Error",
    timestamp: Moscow.utcText(nowMs)
  })
})

const problem4 = (detail: string, title: string) => ({ title, detail, requestId, origin })

/** Code of a refusal on the marketplace host that names none. */
const codes: Readonly<Record<number, string>> = {
  400: "IncorrectParameter",
  403: "AccessDenied",
  404: "NotFound"
}

/** The body an operation gives with a status (contract "Errors", 3.1 and 3.3). */
export const refusal = (facts: Facts, refused: Refusal, nowMs: number): Answer => {
  const { status, text: detail } = refused
  const title = titles[status] ?? "error"
  switch (ErrorBody.shapeOf(status, facts.errorShape, facts.host)) {
    case "problem":
      return json({ detail, origin, request_id: requestId, status, title }, status)
    case "error":
      return json({ error: detail }, status)
    case "string":
      return json(detail, status)
    case "text":
      return text(detail, status)
    case "fields":
      return json(
        { errors: [{ detail, field: "" }], detail, origin, request_id: requestId, status, title },
        status
      )
    case "errorText":
      return json({ errorText: detail }, status)
    case "code": {
      const { code = facts.errorCodes?.[status]?.[0] ?? codes[status] ?? "IncorrectRequest", data } = refused
      return json({ code, message: detail, ...(data === undefined ? {} : { data }) }, status)
    }
    case "archive":
      return json(
        { ...problem4(detail, title), status, errors: [{ location: "query", message: detail }] },
        status
      )
    case "detail":
      return json(problem4(detail, title), status)
    case "title":
      return json({ title, detail }, status)
    case "none":
      return empty(status)
    case "problem8":
      return problem(refused, nowMs)
  }
}
