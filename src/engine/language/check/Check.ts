/** One policy file: tree → checked policy, or its problems. */

import * as Days from "../../../domain/Days.js"
import { PolicyId } from "../../../domain/Ids.js"
import type { Kopecks } from "../../../domain/Money.js"
import * as Plural from "../../../domain/Plural.js"
import * as Window from "../../../domain/Window.js"
import * as FactRefs from "../../facts/FactRefs.js"
import * as Level from "../../facts/Level.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import * as Analyse from "../analysis/Analyse.js"
import * as Meaning from "../Meaning.js"
import {
  type Clause,
  longestAfterMs,
  longestCooldownMs,
  type Policy,
  type PolicyLimits,
  type Rule,
  type Watch
} from "../Policy.js"
import { Problems } from "../problems/Diagnostic.js"
import * as Suggest from "../problems/Suggest.js"
import * as Keys from "../shape/Keys.js"
import * as Schema from "../shape/Schema.js"
import * as Shape from "../shape/Shape.js"
import { entry, get, isEmpty, type Node, scalars, textAt } from "../yaml/Node.js"
import * as Source from "../yaml/Source.js"
import * as Actions from "./Actions.js"
import * as Amounts from "./Amounts.js"
import * as AutoApprove from "./AutoApprove.js"
import * as CampaignActions from "./CampaignActions.js"
import * as Clauses from "./Clauses.js"
import * as Enrol from "./Enrol.js"
import * as Messages from "./Messages.js"
import * as Optimise from "./Optimise.js"
import * as Overlays from "./Overlays.js"
import * as Payment from "./Payment.js"
import * as Schedules from "./Schedules.js"
import type { Setting } from "./Scope.js"
import * as Windows from "./Windows.js"

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
  const plain = Overlays.needsNoWhen(root) ? Schema.OverlayPolicy : Schema.PlainPolicy
  const shape = isRuleList(root) ? Schema.Policy : plain
  Shape.check(shape, root, { key: "This file", range: root.range }, problems, ["do", "rules", "window"])
  const beforeWindow = problems.count
  const window = Optimise.checkWindow(root, readWindow(root, problems), problems)
  const isWindowRead = problems.count === beforeWindow
  const cooldownMs = Amounts.milliseconds(
    Amounts.keyed(root, "cooldown"),
    Days.minuteMs,
    longestCooldownMs,
    problems
  )
  const schedule = Schedules.read(get(root, "schedule"), problems)
  const where = readWhere(root, window, { own, suits }, problems)
  const { asked, rules, setting } = readRules(root, where, problems)
  const during = Overlays.during(root, problems)
  Overlays.checkRevert(root, rules, problems)
  CampaignActions.checkDeposits(root, where.clauses, rules, problems)
  Messages.checkCooldown(root, rules, problems)
  const watch = readWatches(root, setting, rules, problems)
  const limits = readLimits(get(root, "limits"), setting, problems)
  CampaignActions.checkAmounts(root, limits, rules, problems)
  Enrol.checkSets(root, rules, problems)
  Optimise.checkHold(root, rules, problems)
  Optimise.checkBudgets(root, rules, problems)
  checkExcess(root, rules, problems)
  const maxUnknown = Amounts.basisPoints(Amounts.keyed(root, "max_unknown"), 0, 10_000, problems)
  const holdForRuns = Amounts.runs(Amounts.keyed(root, "hold_for"), 1, 30, problems)
  const mode = (textAt(root, "mode") ?? "preview") as Policy["mode"]
  const auto = AutoApprove.read(root, mode, problems)
  const accepted = AutoApprove.irreversible(root, mode, rules, problems)
  if (problems.count > before) {
    // Without a policy nothing is analysed, and what was read can contradict itself all the same.
    if (isWindowRead)
      for (const clauses of asked) Analyse.contradictions(clauses).forEach(problems.place, problems)
    return undefined
  }
  if (rules.length === 0) return undefined
  const made = {
    id: PolicyId(stem(file)),
    file,
    name: textAt(root, "name") ?? stem(file),
    mode,
    ...auto,
    ...accepted,
    ...(schedule === undefined ? {} : { schedule }),
    ...(during === undefined ? {} : { during }),
    each: where.setting.each,
    where: where.clauses,
    tier: (textAt(root, "tier") ?? "normal") as Policy["tier"],
    rules,
    ifUnknown: (textAt(root, "if_unknown") ?? "skip") as Policy["ifUnknown"],
    maxUnknownBasisPoints: maxUnknown ?? usualMaxUnknown,
    ...(holdForRuns === undefined ? {} : { holdForRuns }),
    ...(cooldownMs === undefined ? {} : { cooldownMs }),
    ...(watch === undefined ? {} : { watch }),
    ...(textAt(root, "partial") === "rotate" ? { partial: "rotate" as const } : {}),
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
): Where => {
  const tz = get(get(root, "schedule"), "tz")
  const base: Setting = {
    ...readEach(root),
    allowed: "everything",
    ...shared,
    ...(tz?._tag !== "Scalar" ? {} : { zone: tz.text.trim() }),
    ...(window === undefined ? {} : { window })
  }
  const clauses = Clauses.readAll(entry(root, "where")?.value, { ...base, allowed: "lasting" }, problems)
  const payment = Payment.decided(clauses)
  return {
    clauses,
    complete: clauses.length === scalars(get(root, "where")).length,
    setting: payment === undefined ? base : { ...base, payment },
    hasCooldown: entry(root, "cooldown") !== undefined
  }
}

/** The rows, or a guess where `each:` is wrong (and reported), so that the conditions can still be checked. */
const readEach = (root: Node): Pick<Setting, "each" | "isLevelUnsure"> => {
  const written = textAt(root, "each") ?? ""
  const near = () => Suggest.nearest(written, Level.order)
  const given = Level.order.find((each) => each === written) ?? Level.order.find((each) => each === near())
  if (given !== undefined) return { each: given }
  const list = get(root, "rules")
  const action = get(list?._tag === "List" ? list.items[0] : root, "do")
  const key =
    action?._tag === "Map"
      ? action.entries[0]?.key
      : action?._tag === "Scalar"
        ? action.text.trim()
        : undefined
  const each =
    key === "enrol"
      ? "promotion_item"
      : /^(pause|start|deposit|placements)$/.test(key ?? "")
        ? "campaign"
        : "cluster"
  return { each, isLevelUnsure: true }
}

/** File name without folder and ending: the id of the policy. */
export const stem = (file: string): string => (file.split(/[\\/]/).at(-1) ?? file).replace(/\.ya?ml$/i, "")

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

/** K47: over its share a part goes only of what makes nothing dearer, for half of that is better than nothing of it. */
const checkExcess = (root: Node, rules: ReadonlyArray<Rule>, problems: Problems): void => {
  const found = entry(get(root, "limits"), "excess")
  if (found?.value._tag !== "Scalar" || found.value.text.trim() !== "worst_first") return
  const other = rules.find(({ action }) => !/^(AddMinus|LowerBid|Revert)$/.test(action._tag))
  if (other === undefined) return
  const message =
    "worst_first is for add_minus and lower_bid: of what makes something dearer, or stops it, a part is no decision."
  problems.error("K47", found.value.range, message, "hold")
}

const readLimits = (node: Node | undefined, setting: Setting, problems: Problems): PolicyLimits => {
  const single = Amounts.keyed(node, "max_bid")
  const excess = textAt(node, "excess") === "worst_first" ? { excess: "worst_first" as const } : {}
  const shared = { ...bounds(node, problems), ...moneyBounds(node, problems), ...excess }
  if (single === undefined) return { ...shared, ...maxBid(get(node, "max_bid"), problems) }
  const most = Amounts.kopecks(single, problems)
  if (most !== undefined) Actions.paymentOpen(single.node, setting, problems)
  const { payment } = setting
  const both = most === undefined || payment === undefined ? {} : { maxBidKopecks: { [payment]: most } }
  return { ...shared, ...both }
}

// What a policy does: a plain `when:` and `do:`, or the list of `rules:` of which the first that matches a row acts.

interface Where {
  readonly clauses: ReadonlyArray<Clause>
  /** Every condition of `where:` could be read. */
  readonly complete: boolean
  /** For the conditions of the rules. */
  readonly setting: Setting
  readonly hasCooldown: boolean
}

interface Read {
  /** Those that could be read; the others have been reported. */
  readonly rules: ReadonlyArray<Rule>
  /** The conditions that could be read, by rule. */
  readonly asked: ReadonlyArray<ReadonlyArray<Clause>>
  /** What the conditions of all rules together leave open for the limits. */
  readonly setting: Setting
}

/** True when the file means to have `rules:`, even if it spells the key wrongly. */
const isRuleList = (root: Node): boolean =>
  root._tag === "Map" &&
  root.entries.some(({ key }) => (Suggest.nearest(key, Keys.policyTop) ?? key) === "rules")

const readRules = (root: Node, where: Where, problems: Problems): Read => {
  const found = (isRuleList(root) ? items(root, problems) : [root]).map((node) => one(node, where, problems))
  repeats(found, where, problems)
  const [first] = found
  const agreed = found.every(({ setting }) => setting.payment === first?.setting.payment)
  const { payment: _, ...open } = where.setting
  return {
    rules: [
      ...found.flatMap(({ rule }) => (rule === undefined ? [] : [rule])),
      ...(isRuleList(root) ? [] : reverting(root, where, problems))
    ],
    asked: found.map(({ when }) => [...where.clauses, ...when]),
    setting: first !== undefined && agreed ? first.setting : { ...open, paymentUnsure: first === undefined }
  }
}

/** `revert_when:` as the last rule: it has its turn where the rule itself does not hold. */
const reverting = (root: Node, where: Where, problems: Problems): ReadonlyArray<Rule> => {
  const found = entry(root, "revert_when")
  if (found === undefined) return []
  const when = Clauses.readAll(found.value, where.setting, problems)
  if (when.length === 0) return []
  return [
    {
      name: "revert_when",
      when,
      action: { _tag: "Revert", span: Source.span(problems.source, found.keyRange) }
    }
  ]
}

/** The entries of `rules:`, each of which is a rule, as far as its keys go. */
const items = (root: Node, problems: Problems): ReadonlyArray<Node> => {
  const beside = entry(root, "when") ?? entry(root, "do")
  if (beside !== undefined) {
    const message = `${beside.key}: cannot stand beside rules:. Move it into the list, or remove rules:.`
    problems.error("K20", beside.keyRange, message)
  }
  const found = entry(root, "rules")
  if (found === undefined) return []
  const { keyRange, value } = found
  if (isEmpty(value)) {
    problems.error("K16", keyRange, "rules: has no value. Write each rule after a dash, with when: and do:.")
  } else if (value._tag !== "List") {
    problems.error("K16", value.range, "rules: holds rules, each after a dash, with when: and do:.")
  } else if (value.items.length === 0) {
    problems.error(
      "K16",
      value.range,
      "rules: is an empty list. Write each rule after a dash, with when: and do:."
    )
  }
  if (value._tag !== "List") return []
  for (const item of value.items) {
    Shape.check(Schema.Rule, item, { key: "rules", range: item.range }, problems, ["do"])
  }
  return value.items.filter((item) => item._tag === "Map")
}

interface One {
  readonly node: Node
  readonly rule: Rule | undefined
  readonly when: ReadonlyArray<Clause>
  readonly complete: boolean
  readonly setting: Setting
}

const one = (node: Node, where: Where, problems: Problems): One => {
  const when = Clauses.readAll(entry(node, "when")?.value, where.setting, problems)
  const complete = where.complete && when.length === scalars(get(node, "when")).length
  const payment = where.setting.payment ?? Payment.decided([...where.clauses, ...when])
  const decided = payment === undefined ? where.setting : { ...where.setting, payment }
  const setting = complete ? decided : { ...decided, paymentUnsure: true }
  const action = Actions.read(entry(node, "do"), setting, problems)
  const rule = action === undefined ? undefined : { ...named(node), when, action }
  return { node, when, complete, setting, rule }
}

/** Only the entries of a list have names of their own; a plain policy's name is the policy's. */
const named = (node: Node): Pick<Rule, "name"> => {
  const found = entry(node, "version") === undefined ? get(node, "name") : undefined
  return found?._tag === "Scalar" ? { name: found.text.trim() } : {}
}

/** S01: a relative move without statistics and without cooldown would repeat in every run. */
const repeats = (found: ReadonlyArray<One>, where: Where, problems: Problems): void => {
  let hasStatistic = false
  for (const { complete, node, rule, when } of found) {
    const facts = FactRefs.ofClauses(when)
    // Which rule acts depends on every rule before it, so their statistics are this rule's evidence too.
    hasStatistic ||= facts.some(({ id }) => Vocabulary.byFactId(id)?.windowed === true)
    const isRelative = rule?.action._tag === "RaiseBid" || rule?.action._tag === "LowerBid"
    if (!isRelative || hasStatistic || !complete || when.length === 0 || where.hasCooldown) continue
    const message = "No statistic here: the bid would move again in each run. Add cooldown:."
    problems.error("S01", entry(node, "do")!.keyRange, message + Suggest.forExample("cooldown: 6h"))
  }
}

// `watch:`: when a change is looked at again, and under which condition it is taken back.

/** Undefined when there is none, or it is wrong, which is reported. */
const readWatches = (
  root: Node,
  setting: Setting,
  rules: ReadonlyArray<Rule>,
  problems: Problems
): Watch | undefined => {
  const found = entry(root, "watch")
  if (found === undefined || found.value._tag !== "Map") return undefined
  const before = problems.count
  for (const { action } of rules) {
    const why = forGood[action._tag]
    if (why !== undefined) problems.error("K36", found.keyRange, why)
  }
  const marks = scalars(get(found.value, "after")).flatMap((node) => {
    const ms = Amounts.milliseconds({ key: "after", node }, Days.hourMs, longestAfterMs, problems)
    return ms === undefined ? [] : [ms]
  })
  const conditions = entry(found.value, "roll_back_when")
  const rollBackWhen = Clauses.readAll(conditions?.value, setting, problems)
  const afterMs = [...new Set(marks)].sort((a, b) => a - b)
  if (problems.count > before || conditions === undefined) return undefined
  if (afterMs.length === 0 || rollBackWhen.length === 0) return undefined
  reachesBack(rollBackWhen, afterMs[0]!, conditions.value, problems)
  const span = Source.span(problems.source, conditions.keyRange)
  return { afterMs, rollBackWhen, span }
}

const forGood: Readonly<Partial<Record<string, string>>> = {
  AdjustBid: "adjust_bid ends by itself when during: is over. Remove watch:",
  Deposit: "A deposit cannot be taken back. Remove watch:",
  Enrol: "No operation takes an item out of a promotion. Remove watch:",
  Notify: "A message cannot be taken back. Remove watch:",
  Optimise: "optimise compares what came with what it expected by itself. Remove watch:"
}

/** K37: days before the change would decide whether it did harm. */
const reachesBack = (
  clauses: ReadonlyArray<Clause>,
  firstMs: number,
  place: Node,
  problems: Problems
): void => {
  const longest = FactRefs.ofClauses(clauses).reduce(
    (most, { window }) => (window?._tag === "Last" ? Math.max(most, window.days + window.settleDays) : most),
    0
  )
  if (longest * Days.dayMs <= firstMs) return
  const message = `At the first mark the last ${Plural.choose(longest, "day is", `${longest} days are`)} mostly from before the change. Look later, after: ${longest}d, or over fewer days.`
  problems.warning("K37", place.range, message)
}
