/** `npm run test:quick`: what is pure, and the house rules; no server, no store, no process. */
import { defineConfig } from "vitest/config"
import usual from "./vitest.config.js"

const pure = [
  "domain",
  "facts",
  "decide",
  "kinds",
  "fulfilment",
  "language",
  "reporting",
  "schedule",
  "testing",
  "backtest"
]

export default defineConfig({
  ...usual,
  test: {
    ...usual.test,
    include: ["test/house.test.ts", "test/house/*.test.ts", `test/{${pure.join(",")}}/**/*.test.ts`]
  }
})
