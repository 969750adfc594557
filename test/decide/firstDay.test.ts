import { describe, expect, it } from "vitest"
import * as FirstDay from "../../src/engine/decide/limits/FirstDay.js"
import * as Said from "../reporting/Said.js"

const hour = 3_600_000
const minute = 60_000
const dayStartMs = Date.parse("2026-09-01T00:00:00+03:00")
const noon = dayStartMs + 12 * hour

const memory = (sinceMs: number, more: Partial<FirstDay.Memory> = {}): FirstDay.Memory => ({
  account: "main",
  zone: "Europe/Moscow",
  sinceMs,
  ...more
})
const at = (nowMs: number, start = dayStartMs) => ({ dayStartMs: start, nowMs })

describe("a store that does not know the whole day", () => {
  const allowed = memory(noon, { allowedAtMs: noon })

  it("believes no list before it shows what was deposited before the store", () => {
    const soon = at(noon + FirstDay.listedAfterMs - 1)
    expect(FirstDay.needsList(allowed, soon)).toBe(false)
    expect(Said.words(FirstDay.verdict({ ...allowed, listed: { kopecks: 0 } }, soon))?.over).toContain(
      "before 2026-09-01 12:10"
    )
    expect(FirstDay.needsList(allowed, at(noon + FirstDay.listedAfterMs))).toBe(true)
  })

  it("makes no deposit without the list, and leaves the rest to the limits with it", () => {
    const later = at(noon + hour)
    expect(Said.words(FirstDay.verdict(allowed, later))?.over).toContain("cannot be read: nobody was asked")
    expect(Said.words(FirstDay.verdict({ ...allowed, listed: { unread: "late" } }, later))?.over).toContain(
      "cannot be read: late"
    )
    expect(FirstDay.verdict({ ...allowed, listed: { kopecks: 5 } }, later)).toBeUndefined()
  })

  it("asks for no list before a person's word, nor from the next day on", () => {
    expect(FirstDay.needsList(memory(noon), at(noon + hour))).toBe(false)
    const next = dayStartMs + 24 * hour
    expect(FirstDay.needsList(allowed, at(next + minute, next))).toBe(false)
    expect(FirstDay.verdict(allowed, at(next + minute, next))).toBeUndefined()
  })

  it("asks on the next day too when it met the account just before midnight", () => {
    const next = dayStartMs + 24 * hour
    const late = memory(next - minute, { allowedAtMs: next - minute })
    expect(FirstDay.needsList(late, at(next + hour, next))).toBe(true)
  })
})

describe("top-ups that the store does not know", () => {
  const unknown = (
    topUps: ReadonlyArray<readonly [kopecks: number, at: number | undefined]>,
    own: ReadonlyArray<readonly [kopecks: number, at: number]> = []
  ) =>
    FirstDay.unknownKopecks(
      topUps.map(([kopecks, at]) => ({ kopecks, at })),
      own.map(([kopecks, at]) => ({ kopecks, at })),
      { dayStartMs }
    )

  it("are those of today, and those of which nobody says when", () => {
    expect(
      unknown([
        [1, dayStartMs - 1],
        [2, dayStartMs],
        [4, noon],
        [8, undefined]
      ])
    ).toBe(14)
  })

  it("are told one by one, and an own deposit of an earlier day takes none of its sum", () => {
    const left = FirstDay.unknown([{ kopecks: 1000, at: noon }], [{ kopecks: 1000, at: noon - 24 * hour }], {
      dayStartMs
    })
    expect(left).toEqual([{ kopecks: 1000, at: noon }])
  })

  it("are those left when each own deposit has taken one of its sum, listed about when it was made", () => {
    expect(unknown([[1000, noon + 3 * minute]], [[1000, noon]])).toBe(0)
    expect(
      unknown(
        [
          [1000, noon],
          [1000, noon + minute]
        ],
        [[1000, noon]]
      )
    ).toBe(1000)
    expect(unknown([[1000, noon - hour]], [[1000, noon]])).toBe(1000)
    expect(unknown([[1000, noon + hour]], [[1000, noon]])).toBe(1000)
    expect(unknown([[2000, noon]], [[1000, noon]])).toBe(2000)
    expect(unknown([[1000, undefined]], [[1000, noon]])).toBe(1000)
  })
})
