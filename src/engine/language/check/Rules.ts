/** What a policy does: a plain `when:` and `do:`, or the list of `rules:` of which the first that matches a row acts. */
import * as FactRefs from "../../facts/FactRefs.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import type { Clause, Rule } from "../Policy.js"
import type { Problems } from "../problems/Diagnostic.js"
import * as Suggest from "../problems/Suggest.js"
import * as Keys from "../shape/Keys.js"
import * as Schema from "../shape/Schema.js"
import * as Shape from "../shape/Shape.js"
import type { Node } from "../yaml/Node.js"
import { entry, get, isEmpty, scalars } from "../yaml/Node.js"
import * as Source from "../yaml/Source.js"
import * as Actions from "./Actions.js"
import * as Clauses from "./Clauses.js"
import * as Payment from "./Payment.js"
import type { Setting } from "./Scope.js"

export interface Where {
  readonly clauses: ReadonlyArray<Clause>
  /** Every condition of `where:` could be read. */
  readonly complete: boolean
  /** For the conditions of the rules. */
  readonly setting: Setting
  readonly hasCooldown: boolean
}

export interface Read {
  /** Those that could be read; the others have been reported. */
  readonly rules: ReadonlyArray<Rule>
  /** What the conditions of all rules together leave open for the limits. */
  readonly setting: Setting
}

/** True when the file means to have `rules:`, even if it spells the key wrongly. */
export const isList = (root: Node): boolean =>
  root._tag === "Map" &&
  root.entries.some(({ key }) => (Suggest.nearest(key, Keys.policyTop) ?? key) === "rules")

export const read = (root: Node, where: Where, problems: Problems): Read => {
  const found = (isList(root) ? items(root, problems) : [root]).map((node) => one(node, where, problems))
  repeats(found, where, problems)
  const [first] = found
  const agreed = found.every(({ setting }) => setting.payment === first?.setting.payment)
  const { payment: _, ...open } = where.setting
  return {
    rules: [
      ...found.flatMap(({ rule }) => (rule === undefined ? [] : [rule])),
      ...(isList(root) ? [] : reverting(root, where, problems))
    ],
    setting: first !== undefined && agreed ? first.setting : { ...open, paymentUnsure: first === undefined }
  }
}

/** `revert_when:` as the last rule: it has its turn where the rule itself does not hold. */
const reverting = (root: Node, where: Where, problems: Problems): ReadonlyArray<Rule> => {
  const found = entry(root, "revert_when")
  if (found === undefined) return []
  const when = Clauses.read(found.value, where.setting, problems)
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
  const when = Clauses.read(get(node, "when"), where.setting, problems)
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
    const message = "No statistic here: the bid would move again in each run. Add cooldown:"
    problems.error("S01", entry(node, "do")!.keyRange, message, "cooldown: 6h")
  }
}
