/** One file of `kind: fulfilment`: tree → checked policy, or its problems. */

import * as Days from "../../../domain/Days.js"
import { marketZone } from "../../../domain/Days.js"
import { PolicyId } from "../../../domain/Ids.js"
import * as PassForm from "../../../domain/PassForm.js"
import { clock, type Schedule, week } from "../../../domain/Schedule.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import type { FulfilmentPolicy, Passes } from "../Fulfilment.js"
import * as Fulfilment from "../Fulfilment.js"
import * as Meaning from "../Meaning.js"
import type { Mode } from "../Mode.js"
import type { Diagnostic } from "../problems/Diagnostic.js"
import { Problems } from "../problems/Diagnostic.js"
import * as Suggest from "../problems/Suggest.js"
import * as Schema from "../shape/Schema.js"
import * as Shape from "../shape/Shape.js"
import type { Node, ScalarNode } from "../yaml/Node.js"
import { entry, get, rangeIn, scalars } from "../yaml/Node.js"
import type { Range } from "../yaml/Source.js"
import * as Source from "../yaml/Source.js"
import * as Amounts from "./Amounts.js"
import * as Check from "./Check.js"
import * as Schedules from "./Schedules.js"

/** A policy, and where each of its warehouses stands. */
export interface Read {
  readonly policy: FulfilmentPolicy
  readonly source: Source.Source
  readonly claims: ReadonlyMap<number, Range>
}

const usual = {
  schedule: { every: 2 * Days.minuteMs, tz: "UTC" },
  confirmAfterMs: Days.hourMs,
  nameTemplate: "{warehouse} {date} {wave} {cargo}",
  maxOrders: 300,
  bookBeforeMs: 12 * Days.hourMs
}

/** The policy, or undefined when the file has an error; every problem is in `problems`. */
export const read = (root: Node, problems: Problems): Read | undefined => {
  const before = problems.count
  const { file } = problems.source
  Shape.check(Schema.FulfilmentPolicy, root, { key: "This file", range: root.range }, problems)
  const schedule = scheduleOf(root, problems)
  const claims = warehousesOf(root, problems)
  const waves = wavesOf(get(root, "waves"), marketZone, problems)
  const confirmAfterMs = confirmAfter(root, problems)
  const supply = supplyOf(root, [...claims.keys()], waves, problems)
  const passes = passesOf(get(root, "passes"), problems)
  if (problems.count > before) return undefined
  const policy = Meaning.namedFulfilment({
    id: PolicyId(Check.stem(file)),
    file,
    name: word(root, "name") ?? Check.stem(file),
    mode: (word(root, "mode") ?? "approve") as Mode,
    schedule: schedule ?? usual.schedule,
    warehouseIds: [...claims.keys()],
    waves,
    confirmAfterMs: confirmAfterMs ?? usual.confirmAfterMs,
    supply,
    labels: labelsOf(get(root, "labels")),
    ...(passes === undefined ? {} : { passes }),
    deliver: word(root, "deliver") === "apply" ? "apply" : "approve"
  })
  return { policy, source: problems.source, claims }
}

/** K41: warehouses that several policies claim, told at the later one with the place of the first. */
export const claimedTwice = (all: ReadonlyArray<Read>): ReadonlyArray<Diagnostic> => {
  const first = new Map<number, { readonly id: string; readonly related: Source.Related }>()
  return all.flatMap(({ claims, policy, source }) =>
    [...claims].flatMap(([warehouse, range]) => {
      const other = first.get(warehouse)
      if (other === undefined) {
        const span = Source.span(source, range)
        first.set(warehouse, { id: policy.id, related: { span, message: "claimed here first" } })
        return []
      }
      const problems = new Problems(source)
      problems.error(
        "K41",
        range,
        `Warehouse ${warehouse} is in ${other.id} already, and two policies would both assemble its orders. Take it out of one, or set one to mode: disabled.`
      )
      return problems.list().map((one) => ({ ...one, related: [other.related] }))
    })
  )
}

const word = (root: Node | undefined, key: string): string | undefined =>
  Amounts.keyed(root, key)?.node.text.trim()

/** Orders come all day, so it is every so many minutes, never at times of the day. */
const scheduleOf = (root: Node, problems: Problems): Schedule | undefined => {
  const node = get(root, "schedule")
  const at = entry(node, "at")
  if (at !== undefined) {
    problems.error("K16", at.keyRange, "Orders come all day: write every: 2m, from 1m to 60m.", "every: 2m")
    return undefined
  }
  const schedule = Schedules.read(node, problems)
  const every = Amounts.keyed(node, "every")
  if (schedule?.every !== undefined) Amounts.milliseconds(every, Days.minuteMs, Days.hourMs, problems)
  return schedule
}

/** In the order they are written. */
const warehousesOf = (root: Node, problems: Problems): ReadonlyMap<number, Range> => {
  const found = new Map<number, Range>()
  for (const node of scalars(get(root, "warehouses"))) {
    const id = Amounts.whole({ key: "A warehouse", node }, 1, Number.MAX_SAFE_INTEGER, problems)
    if (id === undefined) continue
    if (found.has(id)) problems.error("K41", node.range, `Warehouse ${id} stands here twice. Take one out.`)
    found.set(id, node.range)
  }
  return found
}

/** `0` as well as `0m`: orders are taken at once. */
const confirmAfter = (root: Node, problems: Problems): number | undefined => {
  const of = Amounts.keyed(root, "confirm_after")
  return of?.node.text.trim() === "0" ? 0 : Amounts.milliseconds(of, 0, 24 * Days.hourMs, problems)
}

const supplyOf = (
  root: Node,
  warehouseIds: ReadonlyArray<number>,
  waves: FulfilmentPolicy["waves"],
  problems: Problems
): FulfilmentPolicy["supply"] => {
  const node = get(root, "supply")
  const maxOrders = Amounts.whole(Amounts.keyed(node, "max_orders"), 1, 1000, problems)
  const written = Amounts.keyed(node, "name")?.node
  const nameTemplate = written?.text.trim() ?? usual.nameTemplate
  const words = Fulfilment.longestWords(warehouseIds, waves)
  if (written !== undefined) checkPlaceholders(written, Object.keys(words), problems)
  const { length } = Fulfilment.nameOf(nameTemplate, words)
  const most = Fulfilment.longestName - Fulfilment.markerRoom
  const place = written?.range ?? entry(root, "waves")?.keyRange ?? root.range
  if (length > most)
    problems.error(
      "K43",
      place,
      `With the longest words a name has ${length} characters. The marketplace takes ${Fulfilment.longestName}, and ${Fulfilment.markerRoom} are kept for a mark: shorten it to ${most}.`
    )
  return { nameTemplate, maxOrders: maxOrders ?? usual.maxOrders }
}

const checkPlaceholders = (node: ScalarNode, known: ReadonlyArray<string>, problems: Problems): void => {
  for (const found of node.text.matchAll(Fulfilment.placeholder)) {
    const name = found[1]!
    if (known.includes(name)) continue
    const near = Suggest.nearest(name.trim(), known)
    const range = rangeIn(node, found.index, found.index + found[0].length)
    const all = known.map((one) => `{${one}}`).join(", ")
    const hint = near === undefined ? "" : ` Did you mean {${near}}?`
    problems.error(
      "K43",
      range,
      `${found[0]} stands for nothing.${hint} Possible: ${all}.`,
      near === undefined ? undefined : `{${near}}`
    )
  }
  const lone = /[{}]/.exec(node.text.replace(Fulfilment.placeholder, (written) => " ".repeat(written.length)))
  if (lone !== null)
    problems.error(
      "K43",
      rangeIn(node, lone.index, lone.index + 1),
      `This brace has no other half. Write a word between two, such as {${known[0]}}.`
    )
}

const labelsOf = (node: Node | undefined): FulfilmentPolicy["labels"] => {
  const sort = listed(get(node, "sort"), Fulfilment.sortKeys)
  return {
    size: word(node, "size") === "40x30" ? "40x30" : "58x40",
    sort: sort.length === 0 ? Fulfilment.sortKeys : sort,
    separators: word(node, "separators")?.toLowerCase() === "true",
    ownPage: listed(get(node, "own_page"), Fulfilment.pageFields)
  }
}

/** The words of a list, each once, in the order they are written. */
const listed = <W extends string>(node: Node | undefined, known: ReadonlyArray<W>): ReadonlyArray<W> => {
  const written = scalars(node).flatMap(({ text }) => known.filter((one) => one === text.trim()))
  return [...new Set(written)]
}

/** Undefined when there are none, or when the marketplace would refuse them, which is reported. */
const passesOf = (node: Node | undefined, problems: Problems): Passes | undefined => {
  if (node?._tag !== "Map") return undefined
  const before = problems.count
  const [driver, car] = [get(node, "driver"), get(node, "car")]
  const officeId = Amounts.whole(Amounts.keyed(node, "office"), 1, Number.MAX_SAFE_INTEGER, problems)
  const book = Amounts.milliseconds(
    Amounts.keyed(node, "book_before"),
    Days.hourMs,
    48 * Days.hourMs,
    problems
  )
  const form = {
    firstName: word(driver, "first_name"),
    lastName: word(driver, "last_name"),
    carModel: word(car, "model"),
    carNumber: word(car, "number"),
    officeId
  }
  if (!isComplete(form) || problems.count > before) return undefined
  for (const fault of PassForm.faults(form)) problems.error("K44", placeOf(node, fault), wordsOf(fault, form))
  return problems.count > before ? undefined : { ...form, bookBeforeMs: book ?? usual.bookBeforeMs }
}

const isComplete = (
  form: {
    readonly [Key in keyof PassForm.PassForm]: PassForm.PassForm[Key] | undefined
  }
): form is PassForm.PassForm => Object.values(form).every((value) => value !== undefined)

const placeOf = (passes: Node, { field }: PassForm.Fault): Range => {
  const [driver, car] = [get(passes, "driver"), get(passes, "car")]
  const found = field === "carModel" ? get(car, "model") : field === "carNumber" ? get(car, "number") : driver
  return (found ?? passes).range
}

const wordsOf = (fault: PassForm.Fault, { carNumber }: PassForm.PassForm): string => {
  const { longestModel, names, plate } = PassForm
  if (fault.is === "signs")
    return `"${carNumber}" has other signs than letters and digits. Leave out blanks and dashes.`
  if (fault.is !== "length") return `${fault.field} is empty.`
  switch (fault.field) {
    case "names": {
      const hint = fault.length < names.least ? " Write them out, with the patronymic if need be." : ""
      return `First and last name have ${fault.length} characters together; ${names.least} to ${names.most} are taken.${hint}`
    }
    case "carModel":
      return `The model has ${fault.length} characters; shorten it to ${longestModel}.`
    case "carNumber":
      return `The plate has ${fault.length} characters; it has ${plate.least} to ${plate.most}, with its region.`
  }
}

// `waves:` of a policy: their times, and that no order can be in two of them.

/** Those that could be read, sorted by their cut-off; every problem is in `problems`. */
const wavesOf = (
  node: Node | undefined,
  usualZone: string,
  problems: Problems
): ReadonlyArray<Fulfilment.Wave> => {
  const items = node?._tag === "List" ? node.items : []
  const found = items.flatMap((item) => waveOf(item, usualZone, problems) ?? [])
  sameWaveNames(found, problems)
  sameWaveZone(found, problems)
  for (const [at, later] of found.entries())
    for (const earlier of found.slice(0, at)) twoWaves(earlier, later, problems)
  return found
    .map(({ wave }) => wave)
    .sort((a, b) => a.collectUntilMinutes - b.collectUntilMinutes || TextOrder.compare(a.name, b.name))
}

interface FoundWave {
  readonly wave: Fulfilment.Wave
  readonly item: Node
}

const waveOf = (item: Node, usualZone: string, problems: Problems): FoundWave | undefined => {
  const time = (key: string) => {
    const found = Amounts.keyed(item, key)
    return found === undefined ? undefined : Schedules.time(found.node, problems)
  }
  const name = Amounts.keyed(item, "name")?.node.text.trim()
  const collectUntilMinutes = time("collect_until")
  const handOverByMinutes = time("hand_over_by")
  const tz = Amounts.keyed(item, "tz")?.node
  const zone = tz === undefined ? usualZone : Schedules.city(tz, problems)
  const chosen = new Set(scalars(get(item, "days")).map(({ text }) => text.trim()))
  const days = chosen.size === 0 ? week : week.filter((day) => chosen.has(day))
  if (collectUntilMinutes === undefined || handOverByMinutes === undefined) return undefined
  if (handOverByMinutes <= collectUntilMinutes)
    problems.error(
      "K42",
      rangeOf(item, "hand_over_by"),
      `hand_over_by: is not after collect_until: ${clock(collectUntilMinutes)}. A wave is gathered and handed over on one day.`
    )
  if (name === undefined || zone === undefined || days.length === 0) return undefined
  return { wave: { name, collectUntilMinutes, handOverByMinutes, days, zone }, item }
}

const sameWaveNames = (found: ReadonlyArray<FoundWave>, problems: Problems): void => {
  const known = new Set<string>()
  for (const { item, wave } of found) {
    const name = wave.name.toLowerCase()
    if (known.has(name))
      problems.error("K42", rangeOf(item, "name"), `Another wave is called ${wave.name}. Names must differ.`)
    known.add(name)
  }
}

/** Days and times of two zones cannot be held against each other. */
const sameWaveZone = (found: ReadonlyArray<FoundWave>, problems: Problems): void => {
  const [first] = found
  for (const { item, wave } of found)
    if (first !== undefined && wave.zone !== first.wave.zone)
      problems.error(
        "K42",
        rangeOf(item, "tz"),
        `${first.wave.name} is in ${first.wave.zone}, this one in ${wave.zone}. Waves of a policy are in one zone: give warehouses of another one a policy of their own.`
      )
}

/** Of two waves of one day the one that closes first leaves first, and they never close together. */
const twoWaves = (a: FoundWave, b: FoundWave, problems: Problems): void => {
  const day = a.wave.days.find((one) => b.wave.days.includes(one))
  if (day === undefined) return
  const close = a.wave.collectUntilMinutes - b.wave.collectUntilMinutes
  const leave = a.wave.handOverByMinutes - b.wave.handOverByMinutes
  if (close === 0)
    problems.error(
      "K42",
      rangeOf(b.item, "collect_until"),
      `${a.wave.name} collects until ${clock(a.wave.collectUntilMinutes)} on ${day} as well: an order would be in two waves. Give them different times or days.`
    )
  else if (close * leave < 0)
    problems.error(
      "K42",
      rangeOf(b.item, "hand_over_by"),
      `On ${day} ${close < 0 ? "this wave" : a.wave.name} closes later than ${close < 0 ? a.wave.name : "this one"} and leaves earlier. The one that closes first leaves first.`
    )
}

const rangeOf = (item: Node, key: string): Range => (get(item, key) ?? item).range
