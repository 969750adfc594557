import { expect, it } from "vitest"
import * as When from "../../src/domain/When.js"

const minute = 60_000

it.each([
  [-5 * minute, "less than a minute"],
  [0, "less than a minute"],
  [minute, "1 minute"],
  [59.9 * minute, "59 minutes"],
  [60 * minute, "1 hour"],
  [47.9 * 60 * minute, "47 hours"],
  [48 * 60 * minute, "2 days"]
])("%d milliseconds are %s", (ms, words) => {
  expect(When.length(ms)).toBe(words)
})
