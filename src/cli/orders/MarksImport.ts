/**
 * `bidhelm orders marks import FILE`: every row is checked before the first call; then marks are kept, and set where their
 * orders are in assembly. What becomes of each row is told. Marks print masked.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { OrderId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import { ChangeLog } from "../../engine/door/ChangeLog.js"
import type { JournalRow } from "../../engine/door/Journal.js"
import * as Mark from "../../engine/fulfilment/marks/Mark.js"
import type * as MarkSheet from "../../engine/fulfilment/marks/MarkSheet.js"
import * as OrderMark from "../../engine/kinds/fulfilment/OrderMark.js"
import type { Wanted } from "../../engine/planning/CallPlan.js"
import { cleanLine } from "../../reporting/Clean.js"
import type * as LeftWords from "../../reporting/fulfilment/LeftWords.js"
import * as MarkWords from "../../reporting/fulfilment/MarkWords.js"
import * as Reasons from "../../reporting/Reasons.js"
import * as Labels from "../../services/areas/labels/Labels.js"
import * as OrderRecords from "../../services/areas/orders/OrderRecords.js"
import * as Orders from "../../services/areas/orders/Orders.js"
import * as State from "../../services/areas/State.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import { type Marks, MarkVault } from "../../services/ports/MarkVault.js"
import type * as Account from "../account/Account.js"
import * as Moving from "../fulfilment/Moving.js"
import * as PersonPlan from "../fulfilment/PersonPlan.js"
import * as KeptMarks from "../packing/KeptMarks.js"
import * as Planning from "../plan/Planning.js"
import type * as RuleFiles from "../rules/RuleFiles.js"
import type * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import { ofCall, stop } from "../terminal/Stop.js"
import * as MarkFile from "./MarkFile.js"

interface Asked extends Flags.Session, PersonPlan.Choices {
  readonly file: string
  readonly rightRows: boolean
  /** Goods of orders that were handed over came back, as a person says: their marks go on again. */
  readonly cameBack: boolean
  readonly rules: Option.Option<string>
}

/** Ends with 3, and sends nothing, when a row is wrong; with 4 when only a part is set or kept. */
export const run = (asked: Asked) =>
  Effect.gen(function* () {
    yield* PersonPlan.answerable(asked)
    // Twice: a sheet that is wrong by itself costs no call.
    yield* objection(asked, yield* MarkFile.read(asked.file, answering(asked, null)))
    const { again, chosen, rules, within } = yield* Planning.reach(asked, "orders-marks-import")
    yield* within(
      Effect.gen(function* () {
        yield* PersonPlan.settled(chosen, rules, asked)
        yield* imported(asked, chosen, yield* look(asked, chosen), again)
      })
    )
  })

interface Looked {
  readonly sheet: MarkSheet.ReadSheet
  readonly items: ReadonlyArray<Judged>
}

/** The sheet beside the marks of all other orders, and what becomes of its own. Ends the command where it objects. */
const look = (asked: Asked, chosen: Account.Chosen) =>
  ProgressBar.shown(
    Effect.gen(function* () {
      const { gone, taken, there } = yield* takenMarks(asked, chosen)
      const client = yield* MarketplaceClient
      const beside = (others: KeptMarks.Holders) =>
        MarkFile.read(asked.file, {
          live: KeptMarks.firstAsked(others),
          ...answering(asked, chosen.name)
        })
      let [holders, sheet]: [KeptMarks.Holders, MarkSheet.ReadSheet] = [taken, yield* beside(taken)]
      // Once per holder: behind one that has a mark no more, or is to have it and has it not yet, there may be another.
      while (true) {
        const released = yield* KeptMarks.released(client, holders, holdersOf(sheet))
        const out = new Set([...released, ...ownOf(sheet, holders).filter((one) => !there.has(one))])
        if (out.size === 0) break
        holders = holders.filter((one) => !out.has(one))
        sheet = yield* beside(holders)
      }
      yield* objection(asked, sheet, { account: chosen.name, gone })
      return { sheet, items: yield* judged(itemsOf(sheet.claims)) } satisfies Looked
    })
  )

/** Orders that have a mark of the sheet already. */
const holdersOf = ({ problems }: MarkSheet.ReadSheet): ReadonlyArray<OrderId> => [
  ...new Set(
    problems.flatMap(({ problem }) => (problem.code === "used_by_order" ? [problem.otherOrderId] : []))
  )
]

/** Of the right rows of the sheet those who are the very order that the mark goes to. */
const ownOf = ({ claims }: MarkSheet.ReadSheet, holders: KeptMarks.Holders): KeptMarks.Holders => {
  const orderOf = new Map(claims.map(({ mark, orderId }) => [Mark.identity(mark), orderId]))
  return holders.filter(([mark, { orderId }]) => orderOf.get(mark) === orderId)
}

/**
 * Every problem of the sheet at once; with `--right-rows` they are told, and the rest goes on. `gone` are orders that were handed over
 * with their marks.
 */
const objection = (
  { file, json, rightRows }: Asked,
  sheet: MarkSheet.ReadSheet,
  { account, gone }: { readonly account: string | null; readonly gone: ReadonlySet<OrderId> } = {
    account: null,
    gone: new Set()
  }
) =>
  Effect.gen(function* () {
    const { claims, problems } = sheet
    if (claims.length > 0 && (rightRows || problems.length === 0)) return
    if (json) yield* refusedAsJson(file, account, problemsAsJson(sheet))
    if (problems.length === 0) return yield* stop(3, `${cleanLine(file)}: there is no mark in it`)
    const lines = problems.map(
      ({ at, kind, orderId, problem }) =>
        `  ${MarkWords.placeText(at)}${orderId === undefined ? "" : `, order ${orderId}`}: ${MarkWords.ofCell(problem, kind)}.`
    )
    const before = holdersOf(sheet).filter((orderId) => gone.has(orderId))
    return yield* stop(
      3,
      [
        `${cleanLine(file)}: ${Plural.of(problems.length, "problem")}; nothing was sent`,
        ...lines,
        ...(before.length === 0
          ? []
          : [
              `${Plural.choose(before.length, "Order", "Orders")} ${before.join(", ")} left with ${Plural.choose(before.length, "its mark", "their marks")}. Where the goods came back, and may be sold again: --came-back`
            ]),
        ...(claims.length === 0
          ? []
          : [
              `To take the ${Plural.of(claims.length, "mark")} that ${Plural.choose(claims.length, "is", "are")} right: --right-rows`
            ])
      ].join("\n")
    )
  })

/** The answer of an import that its sheet stopped. */
const refusedAsJson = (file: string, account: string | null, problems: ReadonlyArray<object>) =>
  Output.json("orders-marks-import", { account, file, run: null, rows: [], problems })

const answering = ({ file, json }: Asked, account: string | null) =>
  json
    ? {
        answer: (problems: ReadonlyArray<MarkFile.SheetProblem>) =>
          refusedAsJson(
            file,
            account,
            problems.map(({ name: _, ...one }) => one)
          )
      }
    : {}

/** Marks of one kind that the sheet gives one order. */
interface Item {
  readonly orderId: OrderId
  readonly kind: Mark.MarkKind
  readonly claims: ReadonlyArray<MarkSheet.SheetClaim>
  readonly whole: ReadonlyArray<string>
  readonly fingerprint: string
}

const itemsOf = (claims: ReadonlyArray<MarkSheet.SheetClaim>): ReadonlyArray<Item> => {
  const groups = new Map<string, ReadonlyArray<MarkSheet.SheetClaim>>()
  for (const claim of claims) {
    const key = `${claim.orderId} ${claim.mark.kind}`
    groups.set(key, [...(groups.get(key) ?? []), claim])
  }
  return [...groups.values()].flatMap((own) => {
    const [first] = own
    if (first === undefined) return []
    const whole = own.map(({ mark }) => Mark.Mark.whole(mark))
    const { mark, orderId } = first
    return [{ orderId, kind: mark.kind, claims: own, whole, fingerprint: OrderMark.fingerprint(whole) }]
  })
}

/** `set` now, `kept` for the turn that assembles its order, `there` already, or neither, with a sentence. */
type Judged = Item & { readonly fate: "set" | "kept" | "there" | "no"; readonly why: string }

/** What becomes of each by the state of its order: a refusal costs ten requests. */
const judged = (items: ReadonlyArray<Item>) =>
  Effect.gen(function* () {
    const client = yield* MarketplaceClient
    const ids = [...new Set(items.map(({ orderId }) => orderId))]
    const statuses = yield* Orders.make(client).statuses(ids)
    const statusOf = new Map(statuses.values.map((one) => [one.orderId, one]))
    const packed = ids.filter((id) => State.textOf(statusOf.get(id)?.supplier ?? unknown) === "confirm")
    const labels =
      packed.length === 0 ? { values: [], failures: [] } : yield* Labels.make(client).read(packed)
    const labelsOf = new Map(labels.values.map((one) => [one.orderId, one.labels]))
    const failed = new Map(
      [...statuses.failures, ...labels.failures].flatMap(({ error, keys }) =>
        keys.map((id) => [id, error.message] as const)
      )
    )
    return items.map((item): Judged => {
      const status = statusOf.get(item.orderId)
      const no = (why: string): Judged => ({ ...item, fate: "no", why })
      if (status === undefined)
        return no(failed.get(item.orderId) ?? "the marketplace does not know the order")
      const supplier = State.textOf(status.supplier) ?? "unknown"
      const end = OrderRecords.endOf(status)
      if (end !== undefined) return no(`the order is not to be assembled any more (${end})`)
      if (supplier === "new")
        return {
          ...item,
          fate: "kept",
          why: "kept; it is set by the turn after its order came into assembly"
        }
      if (supplier !== "confirm") return no(`marks are set in assembly only, and the order is ${supplier}`)
      const own = labelsOf.get(item.orderId)
      if (own === undefined) return no(failed.get(item.orderId) ?? "the order's marks were not answered")
      const ofKind = own.filter(({ key }) => key === item.kind)
      if (ofKind.length === 0) return no(`the order takes no ${OrderMark.called[item.kind]}`)
      const now = OrderMark.fingerprint(ofKind.flatMap(KeptMarks.marksOf).map(Mark.Mark.whole))
      return now === item.fingerprint
        ? { ...item, fate: "there", why: "it has it already" }
        : { ...item, fate: "set", why: "" }
    })
  })

const unknown = State.reader([])("unknown")

/**
 * Marks that orders have: those of open supplies, as the marketplace has them, and what is kept here of others, which wait, may have it
 * still to be set, or, `gone`, were handed over since. It may be of yesterday, and an order in a supply be cancelled: whoever is in the
 * way is asked about.
 */
const takenMarks = ({ cameBack }: Asked, chosen: Account.Chosen) =>
  Effect.gen(function* () {
    const client = yield* MarketplaceClient
    const waiting = new Set((yield* Orders.make(client).new).map(({ orderId }) => orderId))
    const inside = (yield* Moving.openSupplies).flatMap(({ orders }) => orders)
    const { failures, values: answered } =
      inside.length === 0 ? { failures: [], values: [] } : yield* Labels.make(client).read(inside)
    const [failed] = failures
    // A mark that nobody read would count as free.
    if (failed !== undefined)
      return yield* ofCall(
        failed.error,
        `which marks the orders of open supplies have was not read: ${failed.error.message}`
      )
    const assembled = new Set(inside)
    const [others, own] = Arr.partition(yield* KeptMarks.read(chosen, new Set()), ([, { orderId }]) =>
      assembled.has(orderId)
    )
    const there = answered.flatMap(
      ({ labels, orderId }): KeptMarks.Holders =>
        labels
          .flatMap(KeptMarks.marksOf)
          .map((mark) => [Mark.identity(mark), { orderId, kind: mark.kind, isLast: true }] as const)
    )
    return {
      taken: [
        ...others.filter(([, { orderId }]) => !cameBack || waiting.has(orderId)),
        ...(yield* notRemoved(chosen, own)),
        ...there
      ] satisfies KeptMarks.Holders,
      /** Of `taken` what the marketplace shows. */
      there: new Set(there),
      gone: new Set(others.flatMap(([, { orderId }]) => (waiting.has(orderId) ? [] : [orderId])))
    }
  })

/** Without marks that were seen on their orders once: if one is not there by now, somebody took it off. */
const notRemoved = (
  chosen: Account.Chosen,
  kept: ReadonlyArray<readonly [mark: string, holder: KeptMarks.Given]>
) =>
  Effect.gen(function* () {
    const slots = kept.map(([, { kind, orderId }]) => OrderMark.slot({ orderId }, kind))
    const rows = kept.length === 0 ? [] : yield* (yield* ChangeLog).ofSlots(chosen.name, [...new Set(slots)])
    const seen = new Set(
      rows.filter(({ state }) => state === "applied").map(({ change, slot }) => `${slot} ${change.after}`)
    )
    return kept.filter(([, { fingerprint }], at) => !seen.has(`${slots[at]} ${fingerprint}`))
  })

const imported = (asked: Asked, chosen: Account.Chosen, first: Looked, rules: RuleFiles.RulesRead) =>
  Effect.gen(function* () {
    const vault = yield* MarkVault
    // What is there by the last look: after a yes by another one.
    let now = first
    const having = (...fates: ReadonlyArray<Judged["fate"]>) =>
      now.items.filter(({ fate }) => fates.includes(fate))
    const agreed = Effect.suspend(() => vault.keep(chosen.name, having("set", "kept").map(kept)))
    const still = Effect.map(look(asked, chosen), (looked) => {
      now = looked
      return having("set").map(wanted)
    })
    const question = `Set ${Plural.of(having("set").length, "mark")} of ${chosen.name}, and keep ${having("kept").length} for orders that wait?`
    const rows = new Map<string, JournalRow>()
    let run: ReturnType<typeof PersonPlan.asJson> | undefined
    if (having("set").length > 0) {
      const carried = yield* PersonPlan.carry(
        chosen,
        {
          operation: OrderMark.operationOf[having("set")[0]?.kind ?? "sgtin"],
          wanted: having("set").map(wanted),
          question,
          again: { rules, wanted: still },
          agreed
        },
        asked,
        notTaken(first)
      )
      if (carried._tag === "Done") {
        run = PersonPlan.asJson(carried.report)
        for (const row of carried.report.rows) rows.set(row.slot, row)
        if (!asked.json) yield* PersonPlan.tell(carried)
      }
    } else if (!asked.plan && having("kept").length > 0) {
      yield* PersonPlan.consent(question, asked)
      yield* agreed
    }
    const { items, sheet } = now
    const told = items.flatMap((item) => toldOf(item, rows, asked.plan))
    // The answer of a plan is that plan, with what is left.
    const isAnswered = asked.json && asked.plan && having("set").length > 0
    if (!isAnswered)
      yield* asked.json
        ? Output.json("orders-marks-import", {
            account: chosen.name,
            file: asked.file,
            run: run ?? null,
            rows: told.map(({ claim: { at, mark, orderId }, fate, why }) => ({
              row: at.line,
              column: at.column + 1,
              orderId,
              kind: mark.kind,
              mark,
              fate,
              why
            })),
            problems: problemsAsJson(sheet)
          })
        : Output.text(text(sheet, told).map(cleanLine).join("\n"))
    const bad = told.filter(({ fate }) => fate === "no" || fate === "failed").length + sheet.problems.length
    if (bad > 0)
      return yield* stop(
        4,
        asked.json && !isAnswered
          ? ""
          : `${Plural.of(bad, "row")} of ${cleanLine(asked.file)} ${Plural.choose(bad, "was", "were")} not taken; ${isAnswered ? "left" : "the list"} says why`
      )
  })

/** Rows of the sheet that a plan leaves out, for a program; the text has them in its list. */
const notTaken = ({ items, sheet }: Looked) =>
  [
    ...problemsAsJson(sheet).map(({ code: _, ...row }) => row),
    ...items.flatMap(({ claims, fate, kind, orderId, why }) =>
      fate === "no"
        ? claims.map(({ at }) => ({ row: at.line, column: at.column + 1, orderId, kind, message: why }))
        : []
    )
  ]
    .map((row) => ({ ...row, why: "not_taken" }) satisfies LeftWords.Asked)
    .toSorted((a, b) => a.row - b.row || a.column - b.column)

const problemsAsJson = ({ problems }: MarkSheet.ReadSheet) =>
  problems.map(({ at, kind, orderId, problem }) => ({
    row: at.line,
    column: at.column + 1,
    orderId: orderId ?? null,
    kind: kind ?? null,
    code: problem.code,
    message: MarkWords.ofCell(problem, kind)
  }))

const kept = ({ fingerprint, kind, orderId, whole }: Judged): Marks => ({
  orderId,
  key: kind,
  fingerprint,
  marks: Redacted.make(whole)
})

const wanted = ({ claims, fingerprint, kind, orderId }: Judged): Wanted => ({
  kind: OrderMark.name,
  operation: OrderMark.operationOf[kind],
  action: "set_mark",
  subject: { orderId },
  details: { key: kind, masked: claims.map(({ mark }) => String(mark)).join(", ") },
  after: () => fingerprint
})

interface Told {
  readonly claim: MarkSheet.SheetClaim
  readonly fate: Judged["fate"] | "failed" | "planned"
  readonly why: string
}

const toldOf = (
  item: Judged,
  rows: ReadonlyMap<string, JournalRow>,
  isPlan: boolean
): ReadonlyArray<Told> => {
  const { claims, fate, kind, orderId, why } = item
  const row = rows.get(OrderMark.slot({ orderId }, kind))
  const end = ((): Omit<Told, "claim"> => {
    if (fate !== "set") return { fate, why }
    if (isPlan) return { fate: "planned", why: "would be set" }
    // Another run set it meanwhile.
    if (row === undefined) return { fate: "there", why: "it has it already" }
    return row.state === "applied" || row.state === "accepted"
      ? { fate, why: row.state === "applied" ? "set and read back" : "accepted, not visible yet" }
      : { fate: "failed", why: Reasons.ofRow(row) ?? row.state }
  })()
  return claims.map((claim) => ({ claim, ...end }))
}

const text = (sheet: MarkSheet.ReadSheet, told: ReadonlyArray<Told>): ReadonlyArray<string> => [
  ...told
    .toSorted((a, b) => a.claim.at.line - b.claim.at.line || a.claim.at.column - b.claim.at.column)
    .map(
      ({ claim: { at, mark, orderId }, fate, why }) =>
        `${MarkWords.placeText(at)}, order ${orderId}, ${OrderMark.called[mark.kind]} ${mark}: ${fate === "no" ? "NOT TAKEN: " : ""}${why}`
    ),
  ...sheet.problems.map(
    ({ at, kind, orderId, problem }) =>
      `${MarkWords.placeText(at)}${orderId === undefined ? "" : `, order ${orderId}`}: NOT TAKEN: ${MarkWords.ofCell(problem, kind)}.`
  )
]
