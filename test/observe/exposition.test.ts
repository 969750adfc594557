/** The page for Prometheus, read by a strict reader of its format. */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import { describe, expect, it } from "vitest"
import * as Exposition from "../../src/cli/daemon/Exposition.js"
import * as Figures from "../../src/domain/Figures.js"
import * as Exposed from "./Exposed.js"

const page = async (told: Effect.Effect<unknown>) =>
  Effect.runPromise(Effect.zipRight(told, Exposition.current))

const { figures } = Figures

describe("the strict reader", () => {
  it.each([
    ["a sample without a type", "a 1\n"],
    ["a label that is not escaped", '# TYPE a gauge\na{b="c"d"} 1\n'],
    ["a series that comes twice", '# TYPE a gauge\na{b="1"} 1\na{b="1"} 2\n'],
    ["a family that comes twice", "# TYPE a gauge\na 1\n# TYPE b gauge\nb 1\n# TYPE a gauge\na 1\n"],
    ["no +Inf", '# TYPE a histogram\na_bucket{le="1"} 1\na_sum 1\na_count 1\n'],
    [
      "buckets that fall",
      '# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n'
    ],
    ["a count of its own", '# TYPE a histogram\na_bucket{le="+Inf"} 1\na_sum 1\na_count 2\n'],
    ["a last line without an end", "# TYPE a gauge\na 1"]
  ])("refuses %s", (_, text) => {
    expect(() => Exposed.parse(text)).toThrow()
  })
})

describe("the page of figures", () => {
  it("keeps a name with quotes, backslashes and line breaks as it is", async () => {
    const account = 'a "quoted"\\back\nbroken, {brace} Ёлка'
    const found = Exposed.parse(await page(Figures.set(figures.lag, { account }, 12.5)))
    const family = found.get("bidhelm_lag_seconds")
    expect(family?.samples).toContainEqual({ name: "bidhelm_lag_seconds", labels: { account }, value: 12.5 })
    expect(family?.help).toBe(figures.lag.help)
  })

  it("adds buckets up to +Inf, with sum and count", async () => {
    const outcome = "story"
    const told = Effect.forEach([0.5, 1, 3, 100_000], (value) =>
      Figures.observe(figures.cycleTime, { outcome }, value)
    )
    const { samples } = Exposed.parse(await page(told)).get("bidhelm_cycle_duration_seconds") ?? {
      samples: []
    }
    const of = (name: string, le?: string) =>
      samples.find((one) => one.name.endsWith(name) && one.labels.outcome === outcome && one.labels.le === le)
        ?.value
    expect([of("_bucket", "1"), of("_bucket", "5"), of("_bucket", "7200"), of("_bucket", "+Inf")]).toEqual([
      2, 3, 3, 4
    ])
    expect([of("_count"), of("_sum")]).toEqual([4, 100_004.5])
  })

  it("leaves out what is not known, and shows it again once it is", async () => {
    const account = "sometimes"
    const at = async (value: number | undefined) =>
      Exposed.parse(await page(Figures.set(figures.spend, { account }, value)))
        .get("bidhelm_spend_today_kopecks")
        ?.samples.find(({ labels }) => labels.account === account)?.value
    expect([await at(100), await at(undefined), await at(0)]).toEqual([100, undefined, 0])
  })

  it("shows summaries, frequencies and figures of libraries with odd names", async () => {
    const summary = Metric.summary({
      name: "some.library/wait",
      maxAge: "1 day",
      maxSize: 10,
      error: 0.01,
      quantiles: [0.5, 0.9]
    })
    const words = Metric.frequency("7 words")
    const old = Metric.histogram("old", MetricBoundaries.linear({ start: 0, width: 1, count: 3 }))
    const told = Effect.all([Metric.update(summary, 4), Metric.update(words, 'a "b"'), Metric.update(old, 9)])
    const found = Exposed.parse(await page(told))
    expect(found.get("some_library_wait")?.type).toBe("summary")
    expect(found.get("_7_words")?.samples[0]?.labels).toEqual({ key: 'a "b"' })
    expect(found.get("old")?.samples.at(-1)).toMatchObject({ name: "old_count", value: 1 })
  })

  it("gives the same bytes for the same figures, whichever came first", async () => {
    await page(Figures.set(figures.lag, { account: "one more" }, 1))
    const pairs = Metric.unsafeSnapshot()
    expect(Exposition.text([...pairs].reverse())).toBe(Exposition.text(pairs))
  })
})

describe("the table of figures", () => {
  it("has every name once, with its unit last and an explanation", () => {
    const names = Figures.all.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const { help, kind, name } of Figures.all) {
      expect(name).toMatch(/^bidhelm_[a-z0-9_]+$/)
      expect(name.endsWith("_total")).toBe(kind === "counter")
      expect(help).toMatch(/^[A-Z1].*\.$/s)
    }
  })

  it("has only labels with few values", () => {
    const known = ["account", "lane", "outcome", "operation", "area", "reason", "state", "kind", "version"]
    expect(Figures.all.flatMap(({ labels }) => labels).filter((label) => !known.includes(label))).toEqual([])
  })
})
