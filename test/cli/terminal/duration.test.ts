import { describe, expect, it } from "vitest"
import * as Duration from "../../../src/cli/terminal/Duration.js"

describe("durations", () => {
  it("are read with their unit, and refused without", () => {
    expect(["90s", "10m", " 2 h ", "1d"].map(Duration.parse)).toEqual([
      90_000, 600_000, 7_200_000, 86_400_000
    ])
    expect(["", "10", "m", "1.5h", "-3s", "10 minutes", "9999999s"].map(Duration.parse)).toEqual(
      Array(7).fill(undefined)
    )
  })

  it("are said in their two largest units", () => {
    expect([45_000, 125_000, 3_600_000, 12_000_000, 90_000_000, 200_000_000].map(Duration.format)).toEqual([
      "45 s",
      "2 min 5 s",
      "1 h",
      "3 h 20 min",
      "25 h",
      "2 d 7 h"
    ])
  })
})
