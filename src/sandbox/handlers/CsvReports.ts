/**
 * Seed 002 "CSV reports": tasks under ids of the caller's, made in a while, kept for 48 hours. At most 20 are made on
 * a Moscow day, retries included; the next is refused by the second kind of 429 (field note A21).
 */
import * as Either from "effect/Either"
import * as TextOrder from "../../domain/TextOrder.js"
import * as Answer from "../Answer.js"
import { type Refusal, refuse } from "../Answer.js"
import * as Csv from "../analytics/Csv.js"
import * as Periods from "../analytics/Periods.js"
import * as ReportContents from "../analytics/ReportContents.js"
import * as Call from "../Call.js"
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import type { Report } from "../shop/State.js"

export const handlers: Call.Handlers<
  "createCsvReport" | "listCsvReports" | "retryCsvReport" | "downloadCsvReport"
> = {
  /** An id used before spoils the report that has it, and the answer does not tell (field note A22). */
  createCsvReport: (call) =>
    Either.gen(function* () {
      const { payload, nowMs, world } = call
      yield* ReportContents.periodsOf(payload, nowMs)
      if (madeToday(call) >= perDay) return usedUp()
      const known = world.shop.reports.get(payload.id)
      if (known !== undefined) {
        known.spoiltAt ??= nowMs
        known.triesAt.push(nowMs)
        record(call, known)
        return started
      }
      const report: Report = {
        id: payload.id,
        reportType: payload.reportType,
        name: payload.userReportName ?? `${payload.reportType} ${Moscow.dayText(Moscow.dayOf(nowMs))}`,
        params: payload.params,
        createdAt: nowMs,
        triesAt: [nowMs],
        spoiltAt: undefined
      }
      world.shop.reports.set(report.id, report)
      record(call, report)
      return started
    }),

  /** An unknown id is refused; without ids the tasks that are under way or kept come, the newest first (A23). */
  listCsvReports: (call) =>
    Either.gen(function* () {
      const asked = call.query["filter[downloadIds]"]
      const reports =
        asked === undefined
          ? [...call.world.shop.reports.values()].filter((report) => !isGone(call, report))
          : yield* Either.all([...new Set<string>(asked)].map((id) => find(call, id)))
      const newest = [...reports].sort((a, b) => b.createdAt - a.createdAt || TextOrder.compare(a.id, b.id))
      return Answer.json({ data: newest.map((report) => task(call, report)) })
    }),

  retryCsvReport: (call) =>
    Either.gen(function* () {
      const report = yield* find(call, call.payload.downloadId)
      const { status } = stageOf(call, report)
      if (status !== "FAILED")
        return yield* Either.left(
          refuse(400, `downloadId: the report is ${status}, only a FAILED one is made again`)
        )
      if (madeToday(call) >= perDay) return usedUp()
      report.triesAt.push(call.nowMs)
      record(call, report)
      return started
    }),

  downloadCsvReport: (call) =>
    Either.gen(function* () {
      const report = yield* find(call, call.path.downloadId)
      const { status } = stageOf(call, report)
      if (status !== "SUCCESS")
        return yield* Either.left(refuse(400, `downloadId: the report is ${status}, there is no file`))
      if (isGone(call, report))
        return yield* Either.left(refuse(400, "downloadId: the file is gone, it was kept for 48 hours"))
      return Answer.file(bytesOf(call, report), "application/zip")
    })
}

const started = Answer.json({ data: "Начато формирование отчета" })

/** Reports of one seller on one Moscow day (seed 002 "CSV reports"). */
const perDay = 20

const madeToday = (call: Call.Context): number => {
  const today = Moscow.dayOf(call.nowMs)
  let tries = 0
  for (const report of call.world.shop.reports.values())
    tries += report.triesAt.filter((at) => Moscow.dayOf(at) === today).length
  return tries
}

/** The second kind of 429: four fields, and the daily number in the detail (not-shown §2). */
const usedUp = (): Answer.Answer =>
  Answer.json(
    {
      title: "too many requests",
      detail: `Достигнут суточный лимит: ${perDay} отчетов в день`,
      requestId: "5a4d00000000400080000000000000ab",
      origin: "analytics-reports"
    },
    429
  )

const find = (call: Call.Context, id: string): Either.Either<Report, Refusal> => {
  const report = call.world.shop.reports.get(id)
  return report === undefined
    ? Either.left(refuse(400, `downloadId: there is no report ${id}`))
    : Either.right(report)
}

const stageOf = (call: Call.Context, report: Report): Stage => stageAt(call.world.seed, report, call.nowMs)

const isGone = (call: Call.Context, report: Report): boolean => {
  const { endedAt } = stageOf(call, report)
  return endedAt !== undefined && call.nowMs >= endedAt + keptMs
}

/** `createdAt` is when generation ended, or until then when it was asked for; Moscow time (not-shown §7.3). */
const task = (call: Call.Context, report: Report) => {
  const { endedAt, status } = stageOf(call, report)
  const periods = ReportContents.periodsOf(ReportContents.requestOf(report), report.createdAt)
  const { start, end } = Periods.text(Either.getOrThrow(periods).days)
  return {
    id: report.id,
    createdAt: Moscow.timeText(endedAt ?? report.triesAt.at(-1) ?? report.createdAt)
      .slice(0, 19)
      .replace("T", " "),
    status,
    name: report.name,
    size: status === "SUCCESS" ? bytesOf(call, report).length : 0,
    startDate: start,
    endDate: end
  }
}

/** Files made, by the report and the try that made them. */
const files = new WeakMap<Report, { readonly endedAt: number; readonly bytes: Uint8Array }>()

/** What was known when generation ended. A report whose name contains "plain" is a bare CSV (field note A25). */
const bytesOf = (call: Call.Context, report: Report): Uint8Array => {
  const endedAt = stageOf(call, report).endedAt ?? call.nowMs
  const kept = files.get(report)
  if (kept?.endedAt === endedAt) return kept.bytes
  const request = ReportContents.requestOf(report)
  const { days, past } = Either.getOrThrow(ReportContents.periodsOf(request, report.createdAt))
  const table = ReportContents.table({ ...call, nowMs: endedAt }, request, days, past)
  const isPlain = report.name.toLowerCase().includes("plain")
  const bytes = isPlain ? Csv.bytes(table) : Csv.zipped(report.id, table, endedAt)
  files.set(report, { endedAt, bytes })
  return bytes
}

const record = (call: Call.Context, report: Report): void =>
  Call.record(call, {
    slot: "report",
    target: { reportId: report.id },
    before: report.triesAt.length - 1,
    after: report.triesAt.length,
    effectiveAt: call.nowMs
  })

// What becomes of a CSV report task: waiting, being made, then ready or failed (not-shown §7.3). A try lasts 15 to 90
// seconds; about one in ten fails and one in ten is tried again by the service itself. A task whose name contains
// "fail" fails at its first try and succeeds at the second; one whose id was used again is spoilt for good (A22).

type Status = "WAITING" | "PROCESSING" | "RETRY" | "SUCCESS" | "FAILED"

interface Stage {
  readonly status: Status
  /** When generation ended; undefined while it goes on. */
  readonly endedAt: number | undefined
}

/** How long a finished file is kept (seed 002 "CSV reports"). */
const keptMs = 48 * 3_600_000

export const stageAt = (seed: number, report: Report, nowMs: number): Stage => {
  const tries = report.triesAt.filter((instant) => instant <= nowMs)
  const startedAt = tries.at(-1) ?? report.createdAt
  const number = Math.max(1, tries.length)
  const hash = Dice.roll(Dice.ofText(seed, report.id), 921, number)
  const endsAt = startedAt + Math.round(Dice.between(Dice.mix(hash, 1), 15_000, 90_000))
  if (report.spoiltAt !== undefined && report.spoiltAt <= nowMs) {
    const endedAt = Math.max(report.spoiltAt, startedAt)
    return { status: "FAILED", endedAt }
  }
  const chance = Dice.unit(Dice.mix(hash, 2))
  if (nowMs >= endsAt)
    return { status: fails(report, number, chance) ? "FAILED" : "SUCCESS", endedAt: endsAt }
  return { status: underWay(chance, (nowMs - startedAt) / (endsAt - startedAt)), endedAt: undefined }
}

const fails = (report: Report, number: number, chance: number): boolean =>
  report.name.toLowerCase().includes("fail") ? number === 1 : chance < 0.1

const underWay = (chance: number, part: number): Status => {
  if (part < 0.2) return "WAITING"
  return chance > 0.9 && part >= 0.4 && part < 0.6 ? "RETRY" : "PROCESSING"
}
