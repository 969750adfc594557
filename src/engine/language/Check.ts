/** One policy file: tree → checked policy, or its problems. */
import { PolicyId } from "../../domain/Ids.js"
import type { Kopecks } from "../../domain/Money.js"
import * as Window from "../../domain/Window.js"
import * as FactRefs from "../facts/FactRefs.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import * as Actions from "./Actions.js"
import * as Amounts from "./Amounts.js"
import * as Clauses from "./Clauses.js"
import type { Problems } from "./Diagnostic.js"
import * as Meaning from "./Meaning.js"
import type { Node } from "./Node.js"
import { entry, get, isEmpty, scalars } from "./Node.js"
import * as Payment from "./Payment.js"
import type { Clause, Each, Policy, PolicyLimits } from "./Policy.js"
import * as Schedules from "./Schedules.js"
import * as Schema from "./Schema.js"
import type { Setting } from "./Scope.js"
import * as Shape from "./Shape.js"
import * as Suggest from "./Suggest.js"
import * as Windows from "./Windows.js"

const minuteMs = 60_000
const dayMs = 86_400_000

/** The policy, or undefined when the file has an error; every problem is in `problems`. */
export const policy = (root: Node, file: string, problems: Problems): Policy | undefined => {
  const before = problems.count
  Shape.check(Schema.Policy, root, { key: "This file", range: root.range }, problems, ["do", "window"])
  const window = readWindow(root, problems)
  const cooldownMs = Amounts.milliseconds(Amounts.keyed(root, "cooldown"), minuteMs, 90 * dayMs, problems)
  const schedule = Schedules.read(get(root, "schedule"), problems)
  const rows = readRows(root, window, problems)
  const action = Actions.read(entry(root, "do"), rows.setting, problems)
  const limits = readLimits(get(root, "limits"), rows.setting, problems)
  if (action !== undefined && rows.complete) repeats(root, action._tag, rows.when, problems)
  if (problems.count > before || action === undefined) return undefined
  const made = {
    id: PolicyId(stem(file)),
    file,
    name: text(root, "name") ?? stem(file),
    mode: (text(root, "mode") ?? "preview") as Policy["mode"],
    ...(schedule === undefined ? {} : { schedule }),
    each: rows.setting.each,
    where: rows.where,
    when: rows.when,
    action,
    ...(cooldownMs === undefined ? {} : { cooldownMs }),
    limits
  }
  return { ...made, hash: Meaning.ofPolicy(made) }
}

interface Rows {
  readonly where: ReadonlyArray<Clause>
  readonly when: ReadonlyArray<Clause>
  /** What the conditions leave open for the action. */
  readonly setting: Setting
  /** Every condition could be read. */
  readonly complete: boolean
}

const readRows = (root: Node, window: Setting["window"], problems: Problems): Rows => {
  const base: Setting = {
    each: readEach(root),
    allowed: "everything",
    ...(window === undefined ? {} : { window })
  }
  const where = Clauses.read(get(root, "where"), { ...base, allowed: "lasting" }, problems)
  const decided = Payment.decided(where)
  const when = Clauses.read(get(root, "when"), withPayment(base, decided), problems)
  const written = scalars(get(root, "where")).length + scalars(get(root, "when")).length
  const complete = where.length + when.length === written
  const setting = withPayment(base, decided ?? Payment.decided([...where, ...when]))
  return { where, when, complete, setting: complete ? setting : { ...setting, paymentUnsure: true } }
}

/** The rows, or a guess where `each:` is wrong (and reported), so that the conditions can still be checked. */
const readEach = (root: Node): Each => {
  const written = text(root, "each") ?? ""
  const near = Suggest.nearest(written, levels)
  const given = levels.find((each) => each === written) ?? levels.find((each) => each === near)
  const action = get(root, "do")
  const key = action?._tag === "Map" ? action.entries[0]?.key : text(root, "do")
  return given ?? (key === "pause" || key === "start" ? "campaign" : "cluster")
}

const levels = ["campaign", "campaign_item", "cluster"] as const

/** File name without folder and ending: the id of the policy. */
export const stem = (file: string): string => (file.split(/[\\/]/).at(-1) ?? file).replace(/\.ya?ml$/i, "")

const withPayment = (base: Setting, payment: Payment.PaymentType | undefined): Setting =>
  payment === undefined ? base : { ...base, payment }

const text = (root: Node, key: string): string | undefined => {
  const found = get(root, key)
  return found?._tag === "Scalar" ? found.text.trim() : undefined
}

/** The default window. One that cannot be read counts as some window, so that its statistics are not reported too. */
const readWindow = (root: Node, problems: Problems): Setting["window"] => {
  const found = entry(root, "window")
  if (found === undefined) return undefined
  const node = found.value
  const before = problems.count
  Shape.check(Schema.Window, node, { key: "window", range: found.keyRange }, problems)
  const last = node._tag === "Map" ? Amounts.keyed(node, "last")?.node : node
  const settle = Amounts.keyed(node, "settle")?.node
  if (last?._tag !== "Scalar" || isEmpty(last) || problems.count > before)
    return { value: Window.last(7), node }
  const base = Windows.read(last.text)
  const read = settle === undefined ? base : Windows.settled(base, settle.text)
  if (read._tag === "Window") return { value: read.window, node: last }
  problems.error(read.code, base._tag === "Wrong" ? last.range : settle!.range, read.message, read.fix)
  return { value: Window.last(7), node }
}

/** `changes_per_run`, `share_of_scope`, `move_per_day`: shared by policies and the account. */
export const bounds = (node: Node | undefined, problems: Problems): Omit<PolicyLimits, "maxBidKopecks"> => {
  const changesPerRun = Amounts.whole(Amounts.keyed(node, "changes_per_run"), 1, 1_000_000, problems)
  const share = Amounts.basisPoints(Amounts.keyed(node, "share_of_scope"), 1, 10_000, problems)
  const move = Amounts.basisPoints(Amounts.keyed(node, "move_per_day"), 1, 10_000, problems)
  return {
    ...(changesPerRun === undefined ? {} : { changesPerRun }),
    ...(share === undefined ? {} : { shareOfScopeBasisPoints: share }),
    ...(move === undefined ? {} : { movePerDayBasisPoints: move })
  }
}

/** `max_bid: {cpm: …, cpc: …}`. */
export const maxBid = (
  node: Node | undefined,
  problems: Problems
): { readonly maxBidKopecks?: { readonly cpm?: Kopecks; readonly cpc?: Kopecks } } => {
  const cpm = Amounts.kopecks(Amounts.keyed(node, "cpm"), problems)
  const cpc = Amounts.kopecks(Amounts.keyed(node, "cpc"), problems)
  if (cpm === undefined && cpc === undefined) return {}
  return { maxBidKopecks: { ...(cpm === undefined ? {} : { cpm }), ...(cpc === undefined ? {} : { cpc }) } }
}

const readLimits = (node: Node | undefined, setting: Setting, problems: Problems): PolicyLimits => {
  const single = Amounts.keyed(node, "max_bid")
  if (single === undefined) return { ...bounds(node, problems), ...maxBid(get(node, "max_bid"), problems) }
  const most = Amounts.kopecks(single, problems)
  if (most !== undefined) Actions.paymentOpen(single.node, setting, problems)
  const { payment } = setting
  const both = most === undefined || payment === undefined ? {} : { maxBidKopecks: { [payment]: most } }
  return { ...bounds(node, problems), ...both }
}

/** S01: a relative move without statistics and without cooldown would repeat in every run. */
const repeats = (
  root: Node,
  action: Policy["action"]["_tag"],
  when: ReadonlyArray<Clause>,
  problems: Problems
): void => {
  if ((action !== "RaiseBid" && action !== "LowerBid") || entry(root, "cooldown") !== undefined) return
  const facts = FactRefs.ofClauses(when)
  if (facts.some(({ id }) => Vocabulary.byFactId(id)?.windowed === true) || when.length === 0) return
  const message = "No statistic here: the bid would move again in each run. Add cooldown:"
  problems.error("S01", entry(root, "do")!.keyRange, message, "cooldown: 6h")
}
