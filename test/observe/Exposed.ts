/** A strict reader of Prometheus' text format 0.0.4: whatever the format does not allow ends the test. */

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Family {
  readonly name: string
  readonly help: string | undefined
  readonly type: string
  readonly samples: ReadonlyArray<Sample>
}

const nameShape = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/

export const parse = (text: string): ReadonlyMap<string, Family> => {
  if (!text.endsWith("\n")) throw new Error("the last line does not end")
  const families = new Map<string, { help?: string; type: string; samples: Array<Sample> }>()
  const seen = new Set<string>()
  let open = ""
  let help: readonly [string, string] | undefined
  for (const line of text.slice(0, -1).split("\n")) {
    const [, word, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (word === "HELP") {
      if (families.has(name) || !nameShape.test(name)) throw new Error(`HELP twice or late: ${line}`)
      if (/\\(?![\\n])/.test(rest)) throw new Error(`bad escape: ${line}`)
      help = [name, rest]
    } else if (word === "TYPE") {
      if (families.has(name) || !nameShape.test(name)) throw new Error(`TYPE twice: ${line}`)
      if (!["counter", "gauge", "histogram", "summary", "untyped"].includes(rest)) throw new Error(line)
      if (help !== undefined && help[0] !== name) throw new Error(`HELP of another family: ${help[0]}`)
      families.set(name, { ...(help === undefined ? {} : { help: help[1] }), type: rest, samples: [] })
      help = undefined
      open = name
    } else {
      const found = sample(line)
      const family = families.get(open)
      if (family === undefined) throw new Error(`no TYPE before: ${line}`)
      const ends =
        family.type === "histogram"
          ? ["_bucket", "_sum", "_count"]
          : family.type === "summary"
            ? ["", "_sum", "_count"]
            : [""]
      if (!ends.some((end) => found.name === open + end)) throw new Error(`not of ${open}: ${line}`)
      const series = `${found.name} ${JSON.stringify(Object.entries(found.labels).sort())}`
      if (seen.has(series)) throw new Error(`twice: ${line}`)
      seen.add(series)
      family.samples.push(found)
    }
  }
  const all = new Map([...families].map(([name, { help, ...rest }]) => [name, { name, help, ...rest }]))
  for (const family of all.values()) check(family)
  return all
}

const sample = (line: string): Sample => {
  const [, name = "", inner, value = ""] =
    /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[^"}]|"(?:[^"\\\n]|\\["\\n])*")*)\})? (\S+)$/.exec(line) ?? []
  if (name === "") throw new Error(`no sample: ${line}`)
  const labels: Record<string, string> = {}
  let rest = inner ?? ""
  while (rest !== "") {
    const [whole = "", label = "", text = ""] =
      /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,(?=.)|$)/.exec(rest) ?? []
    if (whole === "" || label in labels) throw new Error(`bad labels: ${line}`)
    labels[label] = text.replace(/\\(.)/g, (_, c: string) => (c === "n" ? "\n" : c))
    rest = rest.slice(whole.length)
  }
  const number =
    value === "+Inf" ? Number.POSITIVE_INFINITY : value === "-Inf" ? Number.NEGATIVE_INFINITY : Number(value)
  if (Number.isNaN(number)) throw new Error(`no number: ${line}`)
  return { name, labels, value: number }
}

/** Counters are not negative; buckets grow, end with +Inf and agree with the count. */
const check = ({ name, samples, type }: Family): void => {
  if (samples.length === 0) throw new Error(`${name} is empty`)
  if (type === "counter" && samples.some(({ value }) => value < 0)) throw new Error(`${name} is negative`)
  if (type !== "histogram") return
  const groups = new Map<string, Array<Sample>>()
  for (const one of samples) {
    const { le: _, ...labels } = one.labels
    const key = JSON.stringify(labels)
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  for (const [key, group] of groups) {
    const buckets = group.filter((one) => one.name === `${name}_bucket`)
    const ends = buckets.map(({ labels }) =>
      labels.le === "+Inf" ? Number.POSITIVE_INFINITY : Number(labels.le)
    )
    const [sum, ...moreSums] = group.filter((one) => one.name === `${name}_sum`)
    const [count, ...moreCounts] = group.filter((one) => one.name === `${name}_count`)
    const grows = (list: ReadonlyArray<number>, isStrict: boolean) =>
      list.every((n, i) => i === 0 || (isStrict ? n > (list[i - 1] ?? n) : n >= (list[i - 1] ?? n)))
    const isWhole =
      sum !== undefined &&
      count !== undefined &&
      moreSums.length + moreCounts.length === 0 &&
      ends.at(-1) === Number.POSITIVE_INFINITY &&
      grows(ends, true) &&
      grows(
        buckets.map(({ value }) => value),
        false
      ) &&
      buckets.at(-1)?.value === count.value
    if (!isWhole) throw new Error(`${name}${key} is no histogram`)
  }
}
