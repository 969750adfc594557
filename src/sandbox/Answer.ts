/** What the marketplace answers: a body with a status, or a refusal whose body depends on operation and status. */

import type { Facts } from "../services/Operation.js"
import * as Moscow from "./Moscow.js"

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly contentType: string | undefined
  readonly body: string
}

/** A refusal on its way to its body; `text` is the marketplace's own sentence. */
export interface Refusal {
  readonly status: number
  readonly text: string
}

export const refuse = (status: number, text: string): Refusal => ({ status, text })

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

const titles: Readonly<Record<number, string>> = {
  400: "bad request",
  401: "unauthorized",
  402: "payment required",
  403: "access denied",
  404: "not found",
  405: "method not allowed",
  429: "too many requests",
  500: "internal server error",
  502: "bad gateway",
  503: "service unavailable",
  504: "gateway timeout"
}
const origin = "s2s-api-auth-adv"
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

/** The body an operation gives with a status (contract "Errors", 3.1 and 3.3). */
export const refusal = (facts: Facts, refused: Refusal, nowMs: number): Answer => {
  const { status, text: detail } = refused
  const title = titles[status] ?? "error"
  switch (shapeOf(facts, status)) {
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
    case "none":
      return empty(status)
    case "problem8":
      return problem(refused, nowMs)
  }
}

/** 400 is told by the operation, 422 by the host, a missing list (404) has no body, the rest is one problem object. */
const shapeOf = (facts: Facts, status: number): Facts["errorShape"] => {
  if (status === 400) return facts.errorShape
  if (status === 404) return "none"
  if (status === 422) return facts.host === "calendar" ? "errorText" : "text"
  return "problem8"
}
