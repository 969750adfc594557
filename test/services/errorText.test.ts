import { describe, expect, test } from "vitest"
import * as Answer from "../../src/services/Answer.js"
import * as ErrorText from "../../src/services/ErrorText.js"
import { fromAnswer } from "../../src/services/MarketplaceError.js"

const jwt = "eyJhbGciOiJFUzI1NiJ9.eyJhY2MiOjN9.c2lnbmF0dXJl"

describe("the marketplace's words come out of every body shape", () => {
  test.each([
    [
      "problem of the cluster operations",
      '{"detail":"bad pair","origin":"x","request_id":"1","status":400,"title":"Bad"}',
      "Bad; bad pair"
    ],
    [
      "eight-field problem",
      '{"title":"unauthorized","detail":"token expired","code":"c","requestId":"r","origin":"o","status":401,"statusText":"s","timestamp":"t"}',
      "unauthorized; token expired"
    ],
    ["{error}", '{"error":"invalid campaign"}', "invalid campaign"],
    ["bare JSON string", '"no items given"', "no items given"],
    ["plain text", "status not changed", "status not changed"],
    [
      "field errors",
      '{"errors":[{"detail":"too long","field":"endDate"}],"status":400,"title":"Invalid"}',
      "Invalid; endDate: too long"
    ],
    [
      "an error of no field that says what the detail says",
      '{"title":"bad request","detail":"no statistics","errors":[{"detail":"no statistics","field":""}]}',
      "bad request; no statistics"
    ],
    ["{errorText}", '{"errorText":"auto promotion"}', "auto promotion"],
    ["{code, message}", '{"code":"AccessDenied","message":"no access"}', "no access"],
    ["a code alone", '{"code":"AccessDenied"}', "AccessDenied"],
    ["nothing", "", ""],
    ["null", "null", ""],
    ["empty object", "{}", "{}"],
    [
      "a page",
      "<html><head><title>502 Bad Gateway</title></head>",
      "a web page instead of data: 502 Bad Gateway"
    ],
    ["half of a JSON", '{"detail":"cut of', '{"detail":"cut of']
  ])("%s", (_, body, words) => {
    expect(ErrorText.of(body)).toBe(words)
  })

  test("secrets never get through", () => {
    for (const body of [
      `token ${jwt} expired`,
      `{"detail":"Authorization: Bearer ${jwt}"}`,
      `bad header Bearer abc.def`,
      '{"error":"api_key=abc.def rejected"}'
    ]) {
      expect(ErrorText.of(body)).not.toMatch(/eyJ|abc\.def/)
    }
  })

  test("a long text is cut at 300 characters, and control characters cannot reach the terminal", () => {
    expect([...ErrorText.of("я".repeat(5000))]).toHaveLength(300)
    expect(ErrorText.of("a\u001b[31m\nred\u0007")).toBe("a [31m red")
  })
})

describe("advice on when to call again", () => {
  const now = Date.parse("2026-11-20T10:00:00Z")
  test.each([
    [{ "x-ratelimit-retry": "7", "retry-after": "60" }, 7000],
    [{ "retry-after": "60" }, 60_000],
    [{ "retry-after": "Fri, 20 Nov 2026 10:00:30 GMT" }, 30_000],
    [{ "retry-after": "Fri, 20 Nov 2026 09:00:00 GMT" }, 0],
    [{ "x-ratelimit-retry": "soon", "retry-after": "5" }, 5000],
    [{ "x-ratelimit-retry": "99999999999" }, 86_400_000],
    [{ "x-ratelimit-retry": "-3" }, undefined],
    [{}, undefined]
  ])("%o", (headers, expected) => {
    expect(Answer.retryAfterMs(headers, now)).toBe(expected)
  })

  test("tokens left are read when they are a plain number", () => {
    expect(Answer.remaining({ "x-ratelimit-remaining": "0" })).toBe(0)
    expect(Answer.remaining({ "x-ratelimit-remaining": "many" })).toBeUndefined()
  })
})

test("every message says what to do next", () => {
  for (const status of [400, 401, 402, 403, 404, 405, 422, 429, 500, 502]) {
    const error = fromAnswer({ operation: "getBalance", status, text: "why", retryAfterMs: 1500 })
    expect(error.message).toMatch(new RegExp(`^getBalance: .+ \\(${status}\\): why\\. [A-Z].+`))
  }
})
