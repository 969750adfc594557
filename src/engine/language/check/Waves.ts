/** `waves:` of a policy of `kind: fulfilment`: their times, and that no order can be in two of them. */
import { clock, week } from "../../../domain/Schedule.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import type { Wave } from "../Fulfilment.js"
import type { Problems } from "../problems/Diagnostic.js"
import type { Node } from "../yaml/Node.js"
import { get, scalars } from "../yaml/Node.js"
import type { Range } from "../yaml/Source.js"
import * as Amounts from "./Amounts.js"
import * as Schedules from "./Schedules.js"

/** Those that could be read, sorted by their cut-off; every problem is in `problems`. */
export const read = (node: Node | undefined, usualZone: string, problems: Problems): ReadonlyArray<Wave> => {
  const items = node?._tag === "List" ? node.items : []
  const found = items.flatMap((item) => one(item, usualZone, problems) ?? [])
  sameNames(found, problems)
  sameZone(found, problems)
  for (const [at, later] of found.entries())
    for (const earlier of found.slice(0, at)) pair(earlier, later, problems)
  return found
    .map(({ wave }) => wave)
    .sort((a, b) => a.collectUntilMinutes - b.collectUntilMinutes || TextOrder.compare(a.name, b.name))
}

interface Found {
  readonly wave: Wave
  readonly item: Node
}

const one = (item: Node, usualZone: string, problems: Problems): Found | undefined => {
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
      placeOf(item, "hand_over_by"),
      `hand_over_by: is not after collect_until: ${clock(collectUntilMinutes)}. A wave is gathered and handed over on one day.`
    )
  if (name === undefined || zone === undefined || days.length === 0) return undefined
  return { wave: { name, collectUntilMinutes, handOverByMinutes, days, zone }, item }
}

const sameNames = (found: ReadonlyArray<Found>, problems: Problems): void => {
  const known = new Set<string>()
  for (const { item, wave } of found) {
    const name = wave.name.toLowerCase()
    if (known.has(name))
      problems.error("K42", placeOf(item, "name"), `Another wave is called ${wave.name}. Names must differ.`)
    known.add(name)
  }
}

/** Days and times of two zones cannot be held against each other. */
const sameZone = (found: ReadonlyArray<Found>, problems: Problems): void => {
  const [first] = found
  for (const { item, wave } of found)
    if (first !== undefined && wave.zone !== first.wave.zone)
      problems.error(
        "K42",
        placeOf(item, "tz"),
        `${first.wave.name} is in ${first.wave.zone}, this one in ${wave.zone}. Waves of a policy are in one zone: give warehouses of another one a policy of their own.`
      )
}

/** Of two waves of one day the one that closes first leaves first, and they never close together. */
const pair = (a: Found, b: Found, problems: Problems): void => {
  const day = a.wave.days.find((one) => b.wave.days.includes(one))
  if (day === undefined) return
  const close = a.wave.collectUntilMinutes - b.wave.collectUntilMinutes
  const leave = a.wave.handOverByMinutes - b.wave.handOverByMinutes
  if (close === 0)
    problems.error(
      "K42",
      placeOf(b.item, "collect_until"),
      `${a.wave.name} collects until ${clock(a.wave.collectUntilMinutes)} on ${day} as well: an order would be in two waves. Give them different times or days.`
    )
  else if (close * leave < 0)
    problems.error(
      "K42",
      placeOf(b.item, "hand_over_by"),
      `On ${day} ${close < 0 ? "this wave" : a.wave.name} closes later than ${close < 0 ? a.wave.name : "this one"} and leaves earlier. The one that closes first leaves first.`
    )
}

const placeOf = (item: Node, key: string): Range => (get(item, key) ?? item).range
