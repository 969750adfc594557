/**
 * `npm run profit -- --seeds 1-20 [--arms none,shipped] [--markets plain,lean,hard] [--budgets 3000,600] [--days 29]
 * [--scale campaigns=6,items=4,clusters=12] [--margin 25] [--jobs 2] [--whole] [--json]`: what rules earn, as a share of the most that can be earned. Markets are
 * separated by spaces or semicolons where they have parts: `--markets "plain;hard,rivals=still"`. Each seed of a market is a
 * process of its own. `docs/profit.md` has the figures.
 */
import { spawn } from "node:child_process"
import { parseArgs } from "node:util"
import * as Either from "effect/Either"
import * as Model from "../../src/sandbox/market/model/Model.js"
import * as Scale from "../../src/sandbox/market/Scale.js"
import * as Arms from "./Arms.js"
import * as Measure from "./Measure.js"
import * as Report from "./Report.js"

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1-20" },
    arms: { type: "string", default: Arms.all.map(({ name }) => name).join(",") },
    markets: { type: "string", default: "plain lean hard" },
    budgets: { type: "string", default: "3000,600" },
    days: { type: "string", default: "29" },
    scale: { type: "string", default: "" },
    /** Percent of the price. */
    margin: { type: "string", default: "25" },
    jobs: { type: "string", default: "2" },
    whole: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    /** Of a child: the one seed and the one market that it runs. */
    only: { type: "string" }
  }
})

const fail = (why: string): never => {
  process.stderr.write(`${why}\n`)
  process.exit(2)
}

const numberIn = (text: string, what: string): number => {
  const number = Number(text)
  return Number.isFinite(number) && number > 0
    ? number
    : fail(`${what} must be a number above 0, not "${text}"`)
}

/** `1-20`, `3`, `1-3,101-105`. */
const seedsOf = (text: string): ReadonlyArray<number> =>
  text.split(",").flatMap((part) => {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part.trim())
    if (match === null) return fail(`--seeds must be such as 1-20 or 3,7, not "${part}"`)
    const [from, to] = [Number(match[1]), Number(match[2] ?? match[1])]
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i)
  })

/** Words with a comma between them are one market where a part of it is said. */
const marketsOf = (text: string): ReadonlyArray<string> =>
  text.split(text.includes("=") ? /[;\s]+/ : /[;,\s]+/).filter((word) => word !== "")

const modelOf = (market: string): Model.Model =>
  Either.getOrElse(Model.parse(market), (problems) =>
    fail(problems.map((one) => `--markets: ${one}`).join("\n"))
  )

const armsOf = (text: string): ReadonlyArray<Arms.Arm> =>
  text
    .split(",")
    .map((name) => Arms.all.find((arm) => arm.name === name.trim()) ?? fail(`--arms: there is no "${name}"`))

const scale = Either.getOrElse(Scale.parse(values.scale), (problem) => fail(`--scale: ${problem}`))
const days = numberIn(values.days, "--days")
const margin = numberIn(values.margin, "--margin") / 100
const budgetsRoubles = values.budgets.split(",").map((text) => numberIn(text, "--budgets"))
const arms = armsOf(values.arms)

const measured = (seed: number, market: string) =>
  Measure.seed({
    seed,
    market,
    model: modelOf(market),
    scale,
    arms,
    budgetsRoubles,
    days,
    margin,
    isWhole: values.whole,
    isTold: true
  })

const child = (seed: number, market: string): Promise<ReadonlyArray<Report.Row>> =>
  new Promise((resolve, reject) => {
    const own = process.argv.slice(2)
    const started = spawn(
      process.execPath,
      [process.argv[1] as string, ...own, "--only", `${seed} ${market}`],
      {
        stdio: ["ignore", "pipe", "inherit"]
      }
    )
    const chunks: Array<string> = []
    started.stdout.setEncoding("utf8").on("data", (text: string) => chunks.push(text))
    started.on("error", reject)
    started.on("close", (code) =>
      code === 0
        ? resolve(JSON.parse(chunks.join("")))
        : reject(new Error(`seed ${seed} of ${market} ended with ${code}`))
    )
  })

const all = async (): Promise<void> => {
  const markets = marketsOf(values.markets)
  for (const market of markets) modelOf(market)
  const waiting = markets.flatMap((market) => seedsOf(values.seeds).map((seed) => ({ market, seed })))
  const order = new Map(waiting.map(({ market, seed }, i) => [`${market} ${seed}`, i]))
  const rows: Array<Report.Row> = []
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const began = performance.now()
      const found = await child(next.seed, next.market)
      rows.push(...found)
      const cpu = found.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0)
      process.stderr.write(
        `${next.market}, seed ${next.seed}: ${Math.round((performance.now() - began) / 1000)} s, ${cpu.toFixed(1)} s of processor time\n`
      )
    }
  }
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker))
  const at = ({ market, seed }: Report.Row): number => order.get(`${market} ${seed}`) ?? 0
  rows.sort(
    (a, b) => budgetsRoubles.indexOf(a.dailyRoubles) - budgetsRoubles.indexOf(b.dailyRoubles) || at(a) - at(b)
  )
  const byMarket = markets.flatMap((market) => rows.filter((row) => row.market === market))
  const lines = Report.lines(byMarket, days)
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ days, margin, lines, rows: byMarket }, null, 1)}\n`
      : `${Report.table(lines)}\n`
  )
}

if (values.only === undefined) await all()
else {
  const [seed, ...market] = values.only.split(" ")
  process.stdout.write(JSON.stringify(await measured(Number(seed), market.join(" "))))
}
