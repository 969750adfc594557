/** One policy file: tree → checked policy, or its problems. */
import { PolicyId } from "../../../domain/Ids.js"
import type { Kopecks } from "../../../domain/Money.js"
import * as Window from "../../../domain/Window.js"
import * as Meaning from "../Meaning.js"
import type { Each, Policy } from "../Policy.js"
import { Problems } from "../problems/Diagnostic.js"
import * as Suggest from "../problems/Suggest.js"
import * as Schema from "../shape/Schema.js"
import * as Shape from "../shape/Shape.js"
import { longestCooldownMs } from "../Timing.js"
import type { Node } from "../yaml/Node.js"
import { entry, get, isEmpty, scalars } from "../yaml/Node.js"
import * as Actions from "./Actions.js"
import * as Amounts from "./Amounts.js"
import * as AutoApprove from "./AutoApprove.js"
import * as CampaignActions from "./CampaignActions.js"
import * as Clauses from "./Clauses.js"
import type { PolicyLimits } from "./Limits.js"
import * as Messages from "./Messages.js"
import * as Overlays from "./Overlays.js"
import * as Payment from "./Payment.js"
import * as Rules from "./Rules.js"
import * as Schedules from "./Schedules.js"
import type { Setting } from "./Scope.js"
import * as Watches from "./Watches.js"
import * as Windows from "./Windows.js"

const minuteMs = 60_000
/** Of `max_unknown`: 20%. */
const usualMaxUnknown = 2_000

/** The policy, or undefined when the file has an error; every problem is in `problems`. */
export const policy = (
  root: Node,
  file: string,
  problems: Problems,
  own: NonNullable<Setting["own"]> = new Map(),
  suits: Setting["suits"] = betterRows(root, file, problems, own)
): Policy | undefined => {
  const before = problems.count
  const plain = Overlays.isOverlay(root) ? Schema.OverlayPolicy : Schema.PlainPolicy
  const shape = Rules.isList(root) ? Schema.Policy : plain
  Shape.check(shape, root, { key: "This file", range: root.range }, problems, ["do", "rules", "window"])
  const window = readWindow(root, problems)
  const cooldownMs = Amounts.milliseconds(
    Amounts.keyed(root, "cooldown"),
    minuteMs,
    longestCooldownMs,
    problems
  )
  const schedule = Schedules.read(get(root, "schedule"), problems)
  const where = readWhere(root, window, { own, suits }, problems)
  const { rules, setting } = Rules.read(root, where, problems)
  const during = Overlays.during(root, problems)
  Overlays.checkRevert(root, rules, problems)
  CampaignActions.checkDeposits(root, where.clauses, rules, problems)
  Messages.checkCooldown(root, rules, problems)
  const watch = Watches.read(root, setting, rules, problems)
  const limits = readLimits(get(root, "limits"), setting, problems)
  CampaignActions.checkAmounts(root, limits, rules, problems)
  const maxUnknown = Amounts.basisPoints(Amounts.keyed(root, "max_unknown"), 0, 10_000, problems)
  const holdForRuns = Amounts.runs(Amounts.keyed(root, "hold_for"), 1, 30, problems)
  const mode = (text(root, "mode") ?? "preview") as Policy["mode"]
  const auto = AutoApprove.read(root, mode, problems)
  if (problems.count > before || rules.length === 0) return undefined
  const made = {
    id: PolicyId(stem(file)),
    file,
    name: text(root, "name") ?? stem(file),
    mode,
    ...auto,
    ...(schedule === undefined ? {} : { schedule }),
    ...(during === undefined ? {} : { during }),
    each: where.setting.each,
    where: where.clauses,
    tier: (text(root, "tier") ?? "normal") as Policy["tier"],
    rules,
    ifUnknown: (text(root, "if_unknown") ?? "skip") as Policy["ifUnknown"],
    maxUnknownBasisPoints: maxUnknown ?? usualMaxUnknown,
    ...(holdForRuns === undefined ? {} : { holdForRuns }),
    ...(cooldownMs === undefined ? {} : { cooldownMs }),
    ...(watch === undefined ? {} : { watch }),
    ...(text(root, "partial") === "rotate" ? { partial: "rotate" as const } : {}),
    limits
  }
  return Meaning.named(made)
}

/** Of the rows given the first on which the whole file has fewer errors than as it stands, if there are such rows. */
const betterRows =
  (root: Node, file: string, { source }: Problems, own: NonNullable<Setting["own"]>): Setting["suits"] =>
  (possible) => {
    const each = get(root, "each")
    if (each?._tag !== "Scalar" || root._tag !== "Map") return undefined
    const errorsOn = (text: string): number => {
      const entries = root.entries.map((one) =>
        one.value === each ? { ...one, value: { ...each, text } } : one
      )
      const problems = new Problems(source)
      policy({ ...root, entries }, file, problems, own, () => undefined)
      return problems.count
    }
    const now = errorsOn(each.text)
    return possible.find((level) => errorsOn(level) < now)
  }

const readWhere = (
  root: Node,
  window: Setting["window"],
  shared: Pick<Setting, "own" | "suits">,
  problems: Problems
): Rules.Where => {
  const tz = get(get(root, "schedule"), "tz")
  const base: Setting = {
    each: readEach(root),
    allowed: "everything",
    ...shared,
    ...(tz?._tag !== "Scalar" ? {} : { zone: tz.text.trim() }),
    ...(window === undefined ? {} : { window })
  }
  const clauses = Clauses.read(get(root, "where"), { ...base, allowed: "lasting" }, problems)
  const payment = Payment.decided(clauses)
  return {
    clauses,
    complete: clauses.length === scalars(get(root, "where")).length,
    setting: payment === undefined ? base : { ...base, payment },
    hasCooldown: entry(root, "cooldown") !== undefined
  }
}

/** The rows, or a guess where `each:` is wrong (and reported), so that the conditions can still be checked. */
const readEach = (root: Node): Each => {
  const written = text(root, "each") ?? ""
  const near = () => Suggest.nearest(written, levels)
  const given = levels.find((each) => each === written) ?? levels.find((each) => each === near())
  const list = get(root, "rules")
  const action = get(list?._tag === "List" ? list.items[0] : root, "do")
  const key =
    action?._tag === "Map"
      ? action.entries[0]?.key
      : action?._tag === "Scalar"
        ? action.text.trim()
        : undefined
  return given ?? (/^(pause|start|deposit|placements)$/.test(key ?? "") ? "campaign" : "cluster")
}

const levels = ["account", "campaign", "item", "campaign_item", "cluster"] as const

/** File name without folder and ending: the id of the policy. */
export const stem = (file: string): string => (file.split(/[\\/]/).at(-1) ?? file).replace(/\.ya?ml$/i, "")

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

/** `money_per_day` and the like. */
const moneyBounds = (node: Node | undefined, problems: Problems) => {
  const perCampaign = Amounts.kopecks(Amounts.keyed(node, "money_per_day"), problems)
  const ofPolicy = Amounts.kopecks(Amounts.keyed(node, "policy_money_per_day"), problems)
  return {
    ...(perCampaign === undefined ? {} : { moneyPerDayKopecks: perCampaign }),
    ...(ofPolicy === undefined ? {} : { policyMoneyPerDayKopecks: ofPolicy })
  }
}

const readLimits = (node: Node | undefined, setting: Setting, problems: Problems): PolicyLimits => {
  const single = Amounts.keyed(node, "max_bid")
  const shared = { ...bounds(node, problems), ...moneyBounds(node, problems) }
  if (single === undefined) return { ...shared, ...maxBid(get(node, "max_bid"), problems) }
  const most = Amounts.kopecks(single, problems)
  if (most !== undefined) Actions.paymentOpen(single.node, setting, problems)
  const { payment } = setting
  const both = most === undefined || payment === undefined ? {} : { maxBidKopecks: { [payment]: most } }
  return { ...shared, ...both }
}
