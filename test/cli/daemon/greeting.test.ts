import { expect, it } from "vitest"
import * as RunReport from "../../../src/cli/daemon/RunReport.js"

const shops = (count: number) => Array.from({ length: count }, (_, i) => `shop-${i + 1}`)

it("a runner names its accounts, its process and where to look, in one line however many accounts it has", () => {
  expect(RunReport.greeting(shops(2), 7)).toBe(
    "bidhelm run: shop-1, shop-2; pid 7. bidhelm status tells more."
  )
  expect(RunReport.greeting(shops(2_500), 7)).toBe(
    "bidhelm run: shop-1, shop-2, shop-3, shop-4, shop-5, shop-6, shop-7, shop-8, shop-9, shop-10 and 2490 more; pid 7. bidhelm status tells more."
  )
})
