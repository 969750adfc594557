/**
 * The figures in the text format of Prometheus, version 0.0.4. A gauge that is not a number is left out: what is not
 * known is not there. Same figures, same bytes.
 */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as MetricPair from "effect/MetricPair"
import * as MetricState from "effect/MetricState"
import * as Option from "effect/Option"
import * as Redact from "../../domain/Redact.js"
import * as TextOrder from "../../domain/TextOrder.js"

export const contentType = "text/plain; version=0.0.4; charset=utf-8"

/** All figures of this process, those of the libraries among them. */
export const current: Effect.Effect<string> = Effect.map(Metric.snapshot, (pairs) => text(pairs))

/** Figures as text: families by name, samples by labels. */
export const text = (pairs: Pairs): string => {
  const families = new Map<string, Family>()
  for (const { metricKey, metricState } of inOrderOf(pairs)) {
    const name = nameOf(metricKey.name)
    const labels = metricKey.tags.map(({ key, value }): Label => [labelOf(key), Redact.text(value)])
    const { kind, samples } = samplesOf(name, labels, metricState)
    if (samples.length === 0) continue
    const help = Option.getOrElse(metricKey.description, () => "")
    const family = families.get(name) ?? { kind, help, samples: new Map<string, string>() }
    // Two kinds under one name would make the whole page unreadable.
    if (family.kind !== kind) continue
    for (const [series, value] of samples) family.samples.set(series, value)
    families.set(name, family)
  }
  const inOrder = [...families].sort(TextOrder.byKey)
  return inOrder.map(([name, family]) => familyText(name, family)).join("")
}

type Pairs = ReadonlyArray<MetricPair.MetricPair.Untyped>

/** The registry's own order depends on when a figure was first written. */
const inOrderOf = (pairs: Pairs): Pairs => {
  const keyed = pairs.map((pair) => {
    const { name, tags } = pair.metricKey
    return [JSON.stringify([name, ...tags.map(({ key, value }) => [key, value])]), pair] as const
  })
  return keyed.sort(TextOrder.byKey).map(([, pair]) => pair)
}

type Label = readonly [name: string, value: string]

interface Family {
  readonly kind: "counter" | "gauge" | "histogram" | "summary"
  readonly help: string
  /** Values by name and labels. */
  readonly samples: Map<string, string>
}

interface Samples {
  readonly kind: Family["kind"]
  readonly samples: ReadonlyArray<readonly [series: string, value: string]>
}

const familyText = (name: string, { help, kind, samples }: Family): string => {
  const said = help.replace(/\\/g, "\\\\").replace(/\n/g, "\\n")
  const head = `${said === "" ? "" : `# HELP ${name} ${said}\n`}# TYPE ${name} ${kind}\n`
  return `${head}${[...samples].map(([series, value]) => `${series} ${value}\n`).join("")}`
}

const samplesOf = (
  name: string,
  labels: ReadonlyArray<Label>,
  state: MetricState.MetricState.Untyped
): Samples => {
  if (MetricState.isCounterState(state)) {
    return { kind: "counter", samples: [[series(name, labels), number(state.count)]] }
  }
  if (MetricState.isGaugeState(state)) {
    const isKnown = typeof state.value === "bigint" || !Number.isNaN(state.value)
    return { kind: "gauge", samples: isKnown ? [[series(name, labels), number(state.value)]] : [] }
  }
  if (MetricState.isFrequencyState(state)) {
    const samples = [...state.occurrences].map(
      ([key, count]): Label => [series(name, [...labels, ["key", Redact.text(key)]]), number(count)]
    )
    return { kind: "counter", samples }
  }
  if (MetricState.isHistogramState(state)) {
    const ends = state.buckets.filter(([end]) => Number.isFinite(end))
    const buckets = [...ends, [Number.POSITIVE_INFINITY, state.count] as const].map(
      ([end, count]): Label => [series(`${name}_bucket`, [...labels, ["le", number(end)]]), number(count)]
    )
    return { kind: "histogram", samples: [...buckets, ...totals(name, labels, state)] }
  }
  if (MetricState.isSummaryState(state)) {
    const quantiles = state.quantiles.flatMap(
      ([quantile, value]): ReadonlyArray<Label> =>
        Option.isNone(value)
          ? []
          : [[series(name, [...labels, ["quantile", number(quantile)]]), number(value.value)]]
    )
    return { kind: "summary", samples: [...quantiles, ...totals(name, labels, state)] }
  }
  return { kind: "gauge", samples: [] }
}

const totals = (
  name: string,
  labels: ReadonlyArray<Label>,
  { count, sum }: { readonly count: number; readonly sum: number }
): ReadonlyArray<Label> => [
  [series(`${name}_sum`, labels), number(sum)],
  [series(`${name}_count`, labels), number(count)]
]

const series = (name: string, labels: ReadonlyArray<Label>): string =>
  labels.length === 0
    ? name
    : `${name}{${labels.map(([label, value]) => `${label}="${escaped(value)}"`).join(",")}}`

const escaped = (value: string): string =>
  value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n")

const number = (value: number | bigint): string =>
  value === Number.POSITIVE_INFINITY ? "+Inf" : value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value)

const nameOf = (name: string): string => name.replace(/[^a-zA-Z0-9_:]/g, "_").replace(/^(?=\d)/, "_")
const labelOf = (name: string): string => name.replace(/[^a-zA-Z0-9_]/g, "_").replace(/^(?=\d)/, "_")
