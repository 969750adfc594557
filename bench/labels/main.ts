/**
 * What the labels of a supply cost. `node dist/bench/labels.js` makes the PDF of 300 orders (sticker and own page each, a mark on
 * each) and their pick list three times, each time in a process of its own, and tells medians; `one` makes them once and tells it as
 * JSON. Ends with 1 when a goal was missed.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { fileURLToPath } from "node:url"
import * as Either from "effect/Either"
import * as PackageFiles from "../../src/cli/terminal/PackageFiles.js"
import { OrderId } from "../../src/domain/Ids.js"
import * as LabelSheets from "../../src/printing/LabelSheets.js"
import * as Line from "../../src/printing/Line.js"
import * as Lists from "../../src/printing/Lists.js"
import * as Table from "../../src/printing/Table.js"
import * as Images from "../../src/sandbox/shop/Images.js"

/** Processor seconds and MiB of the PDF of so many orders. */
const orders = 300
const goal = { seconds: 20, mib: 300 }
const rounds = 3

interface Measured {
  readonly seconds: number
  readonly listSeconds: number
  readonly peakMiB: number
  readonly pdfMiB: number
  readonly hash: string
}

const fonts = () => ({
  regular: PackageFiles.font("PTSans_400Regular"),
  bold: PackageFiles.font("PTSans_700Bold")
})

const line = (n: number): Line.Line => ({
  orderId: OrderId.make(4_000_000_000 + n),
  position: n,
  basketId: `basket ${Math.ceil(n / 2)}`,
  article: `куртка-${n % 40}`,
  itemId: 200_000_000 + (n % 40),
  barcode: String(2_000_000_000_000 + (n % 120)),
  name: "Куртка ветровка мужская с капюшоном, непромокаемая, демисезонная",
  size: String(42 + (n % 5) * 2),
  colour: "тёмно-синий",
  cell: `А-${n % 9}-${n % 31}`
})

const label = (one: Line.Line): LabelSheets.Label => {
  const barcode = `*${one.orderId.toString(36).toUpperCase()}`
  const file = Buffer.from(Images.base64({ barcode, lines: [] }, "png", Images.large), "base64")
  return {
    line: one,
    sticker: Either.getOrThrow(LabelSheets.picture(new Uint8Array(file), "58x40")),
    digits: String(one.orderId).slice(-4),
    marks: [
      `010460123456789321${`S${one.orderId}`.padEnd(13, "x")}\u001d91EE10\u001d92${"abcdEFGH1234".repeat(4).slice(0, 44)}`
    ]
  }
}

const cpuSeconds = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1e6
}

const measure = async (): Promise<Measured> => {
  const labels = Line.sorted(
    Array.from({ length: orders }, (_, i) => line(i + 1)),
    Line.usualKeys
  ).map(label)
  const before = cpuSeconds()
  const wanted = {
    size: "58x40",
    ownPage: LabelSheets.pageFields,
    separators: true,
    total: orders,
    fonts: fonts()
  } as const
  const pdf = await LabelSheets.make(labels, wanted, "PLATFORM-GI-1")
  const made = cpuSeconds()
  const lines = labels.map((one) => one.line)
  await Table.make(Lists.pickTable("PLATFORM-GI-1", lines, "cell"), wanted.fonts)
  return {
    seconds: made - before,
    listSeconds: cpuSeconds() - made,
    peakMiB: process.resourceUsage().maxRSS / 1024,
    pdfMiB: pdf.length / 2 ** 20,
    hash: createHash("sha256").update(pdf).digest("hex")
  }
}

const say = (text: string, isMissed = false): void => {
  process.stdout.write(`${text}${isMissed ? "  MISS" : ""}\n`)
  if (isMissed) process.exitCode = 1
}

const once = (): Measured => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), "one"], {
    encoding: "utf8"
  })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as Measured
}

if (process.argv[2] === "one") {
  process.stdout.write(`${JSON.stringify(await measure())}\n`)
} else {
  const all = Array.from({ length: rounds }, once)
  const median = (value: (one: Measured) => number): number =>
    all.map(value).sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN
  if (new Set(all.map(({ hash }) => hash)).size > 1) say("the same labels made different bytes", true)
  const [seconds, mib] = [median((one) => one.seconds), median((one) => one.peakMiB)]
  say(`labels of ${orders} orders, two pages and a mark each: ${median((one) => one.pdfMiB).toFixed(1)} MiB`)
  say(`  ${seconds.toFixed(2)} s of processor (≤ ${goal.seconds})`, seconds > goal.seconds)
  say(`  ${mib.toFixed(0)} MiB at most, all of the process (≤ ${goal.mib})`, mib > goal.mib)
  say(`their pick list: ${median((one) => one.listSeconds).toFixed(2)} s of processor`)
}
