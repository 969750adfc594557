/** `bidhelm orders`: every order that waits for a supply or is in an open one, the nearest deadline first. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Plural from "../../domain/Plural.js"
import * as TextOrder from "../../domain/TextOrder.js"
import * as When from "../../domain/When.js"
import type { Mode } from "../../engine/language/Mode.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as LeftWords from "../../reporting/fulfilment/LeftWords.js"
import * as VerdictWords from "../../reporting/fulfilment/VerdictWords.js"
import * as Account from "../account/Account.js"
import * as Desk from "../fulfilment/Desk.js"
import * as Planning from "../plan/Planning.js"
import * as Duration from "../terminal/Duration.js"
import type * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import { stop } from "../terminal/Stop.js"

interface Asked extends Flags.Session {
  readonly rules: Option.Option<string>
  readonly watch: boolean
  readonly every: Option.Option<string>
}

/** With `--watch` it goes on until it is ended. */
export const show = (asked: Asked) =>
  Effect.gen(function* () {
    const everyMs = yield* pause(asked)
    const { chosen, rules, within } = yield* Planning.openToAssemble(asked, "orders")
    const once = board({ ...asked, watch: everyMs !== undefined }, chosen, rules)
    yield* within(everyMs === undefined ? once : again(once, everyMs))
  })

const usualMs = 30_000
const shortestMs = 10_000

/** Undefined where the board is shown once. */
const pause = ({ every, watch }: Asked) =>
  Effect.gen(function* () {
    if (Option.isNone(every)) return watch ? usualMs : undefined
    const ms = Duration.parse(every.value)
    return ms === undefined || ms < shortestMs
      ? yield* stop(1, `--every ${every.value}: write a duration of 10 seconds or more, such as 30s or 2m`)
      : ms
  })

/** A look that fails leaves the next one as it is. */
const again = <E extends { readonly message: string }, R>(once: Effect.Effect<void, E, R>, everyMs: number) =>
  Effect.forever(
    Effect.zipRight(
      Effect.catchAll(once, ({ message }) => Output.note(message)),
      Effect.sleep(everyMs)
    )
  )

const board = (asked: Asked, chosen: Account.Chosen, rules: RuleSet) =>
  Effect.gen(function* () {
    const desk = yield* asked.watch ? Desk.look(chosen, rules) : ProgressBar.shown(Desk.look(chosen, rules))
    const around = { zone: chosen.config.timeZone, among: Account.among(chosen) }
    if (asked.json)
      return yield* (asked.watch ? Output.jsonLine : Output.json)("orders", {
        account: chosen.name,
        at: When.iso(desk.nowMs),
        waves: wavesOf(desk.entries).map(({ handOverByMs, ...wave }) => ({
          ...wave,
          goesBy: When.iso(handOverByMs)
        })),
        orders: desk.entries.map((entry) => plain(entry, around)),
        notes: desk.notes
      })
    const screen = asked.watch && Output.coloured() ? "\u001b[2J\u001b[H" : ""
    yield* Output.text(`${screen}${text(desk, around).map(cleanLine).join("\n")}`)
    for (const note of desk.notes) yield* Output.note(`Note: ${note}.`)
  })

const text = (desk: Desk.Desk, around: LeftWords.Around): ReadonlyArray<string> => {
  const { zone } = around
  const { entries, nowMs, policies } = desk
  const head = `Orders at ${When.text(nowMs, zone)}`
  const nobody =
    policies.length === 0
      ? ["No fulfilment policy is switched on, so no order has a deadline: docs/fulfilment/policy.md"]
      : []
  if (entries.length === 0)
    return [`${head}: none waits for a supply, and none is in an open one.`, ...nobody]
  const late = entries.filter(({ deadline }) => deadline?.risk?.because === "over").length
  const risky = entries.filter(({ deadline }) => deadline?.risk !== undefined).length - late
  const waiting = entries.filter(({ supply }) => supply === undefined).length
  return [
    `${head}: ${waiting} ${Plural.choose(waiting, "waits", "wait")} for a supply, ${entries.length - waiting} in open supplies; ${late} late, ${risky} at risk`,
    ...nobody,
    ...wavesOf(entries).map((wave) => `  ${waveText(wave, zone)}`),
    ...inNoWave(desk),
    ...entries.flatMap((entry) => line(entry, desk, around))
  ]
}

/** Orders that go with one wave, whichever they came in time for. */
interface WaveOrders {
  readonly wave: string
  readonly handOverByMs: number
  readonly orders: number
  readonly inSupplies: number
  /** Orders that a mark keeps from going: needed, missing or refused. */
  readonly lackMarks: number
  /** Orders of which nobody knows it: their marks could not be read. */
  readonly marksUnread: number
}

/** The next car first. */
const wavesOf = (entries: ReadonlyArray<Desk.Entry>): ReadonlyArray<WaveOrders> => {
  const waves = new Map<string, WaveOrders>()
  for (const { deadline, marks, supply } of entries) {
    if (deadline?.goes === undefined) continue
    const { handOverByMs, wave } = deadline.goes
    const key = `${handOverByMs} ${wave.name}`
    const before = waves.get(key) ?? {
      wave: wave.name,
      handOverByMs,
      orders: 0,
      inSupplies: 0,
      lackMarks: 0,
      marksUnread: 0
    }
    waves.set(key, {
      ...before,
      orders: before.orders + 1,
      inSupplies: before.inSupplies + (supply === undefined ? 0 : 1),
      lackMarks: before.lackMarks + (marks?.some(({ is }) => is !== "pending") === true ? 1 : 0),
      marksUnread: before.marksUnread + (marks === undefined ? 1 : 0)
    })
  }
  return [...waves.values()].sort(
    (a, b) => a.handOverByMs - b.handOverByMs || TextOrder.compare(a.wave, b.wave)
  )
}

/** `noon by 2026-09-01 14:00: 80 orders, 40 in supplies, 12 lack a mark`. */
const waveText = (one: WaveOrders, zone: string): string => {
  const { handOverByMs, inSupplies, lackMarks, marksUnread, orders, wave } = one
  return [
    `${wave} by ${When.text(handOverByMs, zone)}: ${Plural.of(orders, "order")}`,
    `${inSupplies} in supplies`,
    ...(lackMarks === 0 ? [] : [`${lackMarks} ${Plural.choose(lackMarks, "lacks", "lack")} a mark`]),
    ...(marksUnread === 0 ? [] : [`the marks of ${marksUnread} could not be read`])
  ].join(", ")
}

/** Without any policy this is said of all of them already. */
const inNoWave = ({ entries, policies }: Desk.Desk): ReadonlyArray<string> => {
  const orders = entries.filter(({ deadline }) => deadline?.goes === undefined).length
  return policies.length === 0 || orders === 0 ? [] : [`  in no wave: ${Plural.of(orders, "order")}`]
}

/** The order on one line, and on the next what somebody has to know. */
const line = (
  entry: Desk.Entry,
  { nowMs, policies }: Desk.Desk,
  around: LeftWords.Around
): ReadonlyArray<string> => {
  const { zone } = around
  const { article, createdAtMs, deadline, leftBy, supply, why } = entry
  const by =
    deadline === undefined
      ? "no deadline"
      : `by ${When.text(deadline.own.handOverByMs, zone)} (${deadline.own.wave.name})`
  const age =
    createdAtMs === undefined ? "age unknown" : `${Duration.format(Math.max(0, nowMs - createdAtMs))} old`
  const where =
    supply === undefined
      ? leftBy === undefined
        ? "in no supply"
        : `left over by ${leftBy}`
      : `in ${supply.supplyId} "${supply.name}"`
  const more = [
    ...(deadline?.risk === undefined ? [] : [LeftWords.ofRisk(deadline.risk)]),
    ...(supply !== undefined && deadline !== undefined && deadline.goes === undefined
      ? [`goes with no wave: no turn hands it over, bidhelm supplies deliver ${supply.supplyId} does`]
      : []),
    ...(deadline?.goes !== undefined && deadline.goes.handOverByMs !== deadline.own.handOverByMs
      ? [
          `${deadline.goes.handOverByMs < nowMs ? "was to go" : "goes"} with ${deadline.goes.wave.name} at ${When.text(deadline.goes.handOverByMs, zone)}`
        ]
      : []),
    ...(why === undefined ? [] : [LeftWords.ofLeft(why, around)]),
    ...(entry.goesInto === undefined
      ? []
      : [goingText(entry.goesInto, policies.find(({ id }) => id === deadline?.policyId)?.mode)]),
    ...markWords(entry.marks)
  ]
  return [
    `${entry.orderId}  ${by}  ${age}  ${company(entry)}  ${article ?? ""}  ${where}`,
    ...(more.length === 0 ? [] : [`    ${more.join("; ")}`])
  ]
}

const goingText = (supply: string, mode: Mode | undefined): string => {
  if (mode === "apply") return `the next turn puts it into "${supply}"`
  return mode === "preview"
    ? `would go into "${supply}": its policy is in mode preview`
    : `goes into "${supply}" once a person agrees`
}

/** `71001 small domestic`. */
const company = ({ b2b, cargo, crossBorder, warehouseId }: Desk.Entry): string =>
  [
    warehouseId ?? "warehouse unknown",
    cargo ?? "cargo unknown",
    crossBorder === true ? "cross-border" : crossBorder === false ? "domestic" : "border unknown",
    ...(b2b === true ? ["business"] : [])
  ].join(" ")

const states: Readonly<Record<Desk.MarkState["is"], string>> = {
  needed: "needs",
  missing: "missing",
  pending: "being checked",
  refused: "refused"
}

const markWords = (marks: Desk.Entry["marks"]): ReadonlyArray<string> => {
  if (marks === undefined) return ["its marks could not be read"]
  return Object.entries(states).flatMap(([is, words]) => {
    const some = marks.filter((one) => one.is === is).map(({ key }) => VerdictWords.keyName(key))
    return some.length === 0 ? [] : [`${words}: ${some.join(", ")}`]
  })
}

const plain = (entry: Desk.Entry, around: LeftWords.Around) => ({
  orderId: entry.orderId,
  article: entry.article ?? null,
  createdAt: When.iso(entry.createdAtMs),
  warehouseId: entry.warehouseId ?? null,
  cargo: entry.cargo ?? null,
  crossBorder: entry.crossBorder ?? null,
  b2b: entry.b2b ?? null,
  status: entry.status?.supplier ?? null,
  supplyId: entry.supply?.supplyId ?? null,
  supplyName: entry.supply?.name ?? null,
  leftBy: entry.leftBy ?? null,
  deadline: When.iso(entry.deadline?.own.handOverByMs),
  wave: entry.deadline?.own.wave.name ?? null,
  goesWith: entry.deadline?.goes?.wave.name ?? null,
  goesBy: When.iso(entry.deadline?.goes?.handOverByMs),
  risk: entry.deadline?.risk?.because ?? null,
  marks: entry.marks ?? null,
  goesInto: entry.goesInto ?? null,
  why: entry.why === undefined ? null : { ...entry.why, message: LeftWords.ofLeft(entry.why, around) }
})
