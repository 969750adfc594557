/**
 * Whoever assembles, on one day, by the commands of `docs/fulfilment/first-day.md` alone: looks every few minutes, gives the
 * marks, agrees to what waits, prints labels, takes along what stands on the dock, and hands over what turns do not. A command
 * that fails is told, and tried again at the next look.
 */
import type * as Shop from "../cli/Shop.js"
import * as Script from "../fulfilment/day/DayScript.js"

export interface Desk {
  /** Runs a command of the program to its end. */
  readonly run: (...words: ReadonlyArray<string>) => Promise<Shop.Ended>
  readonly write: (path: string, text: string) => void
  /** The sandbox's clock, epoch milliseconds. */
  readonly now: () => Promise<number>
  /** Notes what somebody may want to know of a day that went wrong. */
  readonly tell: (line: string) => void
}

/** An order of `orders --json`. */
export interface Entry {
  readonly orderId: number
  readonly warehouseId: number
  readonly cargo: string | null
  readonly crossBorder: boolean | null
  readonly supplyId: string | null
  readonly wave: string | null
  readonly deadline: string | null
  readonly goesInto: string | null
  readonly marks: ReadonlyArray<{ readonly key: string; readonly is: string }> | null
  readonly why: { readonly code: string; readonly message: string } | null
}

interface Approval {
  readonly id: string
  readonly state: string
  readonly asked: ReadonlyArray<{ readonly id: string; readonly slot: string }>
}

interface Supply {
  readonly supplyId: string
  readonly name: string
  readonly state: string
  readonly orders: number | null
  readonly wave: string | null
  readonly handOverBy: string | null
}

interface Checked {
  readonly reasons: ReadonlyArray<{ readonly code: string }>
  readonly moveOut: ReadonlyArray<number>
  readonly waitFor: ReadonlyArray<number>
  readonly takeOut: ReadonlyArray<number>
  readonly restCanGo: boolean
}

/** So long before the car leaves a person does by hand what turns have not done. */
const byHandMs = 30 * Script.minuteMs
/** So long before a cut-off the labels of what is there are printed. */
const printsBeforeMs = 30 * Script.minuteMs
/** So long after somebody agreed a supply may still be open. */
const underWayMs = 10 * Script.minuteMs

export class Person {
  /** When somebody agreed to the hand-over of a supply, by its id, epoch milliseconds. */
  readonly agreed = new Map<string, number>()
  /** When a mark was given, by order and kind. */
  private readonly given = new Map<string, number>()
  /** How many orders of a supply had their labels when it was printed last. */
  private readonly printed = new Map<string, { readonly orders: number; readonly missing: number }>()
  /** How often each command was given. */
  readonly counts: Record<string, number> = {}

  constructor(private readonly desk: Desk) {}

  /** One look at everything, and what follows from it. */
  async looks(): Promise<void> {
    const board = await this.json<{ readonly orders: ReadonlyArray<Entry> }>("orders")
    if (board !== undefined) {
      await this.givesMarks(board.orders)
      await this.takesAlong(board.orders)
    }
    await this.agrees()
    const listed = await this.json<{ readonly supplies: ReadonlyArray<Supply> }>("supplies")
    const now = await this.desk.now()
    const open = (listed?.supplies ?? []).filter(
      ({ orders, state }) => state === "open" && orders !== null && orders > 0
    )
    const closesBy = (ms: number) =>
      open.filter(({ handOverBy }) => handOverBy === null || isPacked(handOverBy, ms))
    const before = this.counts["labels print"] ?? 0
    for (const supply of closesBy(now + printsBeforeMs)) await this.prints(supply, now)
    const packed = closesBy(now)
    if (packed.length > 0 && (this.counts["labels print"] ?? 0) > before) await this.agrees()
    for (const supply of packed) await this.handsOver(supply)
  }

  private async run(...words: ReadonlyArray<string>): Promise<Shop.Ended> {
    const name = words
      .filter((word) => /^[a-z-]+$/.test(word) && !word.startsWith("-"))
      .slice(0, 3)
      .join(" ")
    this.counts[name] = (this.counts[name] ?? 0) + 1
    const ended = await this.desk.run(...words)
    if (ended.code !== 0)
      this.desk.tell(
        `${words.join(" ").slice(0, 200)}: ${ended.code ?? "killed"} ${ended.stderr.trim().slice(0, 600)}`
      )
    return ended
  }

  /** The answer of a command; undefined where it had none. */
  private async json<A>(...words: ReadonlyArray<string>): Promise<A | undefined> {
    const { stdout } = await this.run(...words, "--json")
    try {
      return JSON.parse(stdout) as A
    } catch {
      return undefined
    }
  }

  /** Of what waits, and of what is packed without; once more after twenty minutes when it does not come. */
  private async givesMarks(entries: ReadonlyArray<Entry>): Promise<void> {
    const now = await this.desk.now()
    const rows = entries.flatMap(({ marks, orderId }) =>
      (marks ?? [])
        .filter(({ is }) => is === "needed" || is === "missing")
        .filter(({ is, key }) => {
          const before = this.given.get(`${orderId} ${key}`)
          return before === undefined || (is === "missing" && now - before > 20 * Script.minuteMs)
        })
        .map(({ key }) => ({ orderId, key }))
    )
    if (rows.length === 0) return
    const lines = rows.map(({ key, orderId }) => `${orderId};${key};${Script.markOf(key, orderId)}`)
    this.desk.write("marks.csv", ["order;kind;value", ...lines, ""].join("\n"))
    const { code } = await this.run("orders", "marks", "import", "marks.csv", "--yes")
    if (code === 0) for (const { key, orderId } of rows) this.given.set(`${orderId} ${key}`, now)
  }

  /** What came in time and stands on the dock all the same goes into supplies of its own, by hand. */
  private async takesAlong(entries: ReadonlyArray<Entry>): Promise<void> {
    const now = await this.desk.now()
    const late = entries.filter(
      ({ deadline, goesInto, supplyId, why }) =>
        supplyId === null &&
        deadline !== null &&
        isPacked(deadline, now) &&
        (goesInto !== null || why?.code === "on_the_dock")
    )
    const groups = new Map<string, ReadonlyArray<Entry>>()
    for (const one of late) {
      const name = `${Script.byHand} ${one.wave} ${one.warehouseId} ${one.cargo} ${one.crossBorder}`
      groups.set(name, [...(groups.get(name) ?? []), one])
    }
    for (const [name, group] of groups) {
      const ids = group.map(({ orderId }) => String(orderId))
      this.desk.tell(`taken along into "${name}": ${ids.join(", ")}`)
      await this.run("supplies", "move", ...ids, "--to", name, "--yes")
    }
  }

  /** To everything that waits but hand-overs of supplies whose labels are not all printed. */
  private async agrees(): Promise<void> {
    const list = await this.json<{ readonly approvals: ReadonlyArray<Approval> }>("approvals")
    for (const { asked, id, state } of list?.approvals ?? []) {
      if (state !== "requested") continue
      const fit = asked.filter(({ slot }) => {
        const supplyId = deliveryOf(slot)
        return supplyId === undefined || this.isPrinted(supplyId)
      })
      if (fit.length === 0) continue
      const now = await this.desk.now()
      for (const { slot } of fit) {
        const supplyId = deliveryOf(slot)
        if (supplyId !== undefined && !this.agreed.has(supplyId)) this.agreed.set(supplyId, now)
      }
      const some = fit.length === asked.length ? [] : ["--only", fit.map((one) => one.id).join(",")]
      await this.run("approve", id, ...some)
    }
  }

  private isPrinted(supplyId: string): boolean {
    return this.printed.get(supplyId)?.missing === 0
  }

  /** What was not printed yet; late stickers and late orders are asked for again once their wave is packed. */
  private async prints({ handOverBy, orders, supplyId }: Supply, nowMs: number): Promise<void> {
    const before = this.printed.get(supplyId)
    if (before?.missing === 0 && before.orders === orders) return
    if (before !== undefined && handOverBy !== null && !isPacked(handOverBy, nowMs)) return
    const told = await this.json<{ readonly missing: ReadonlyArray<{ readonly reason: string }> }>(
      "labels",
      "print",
      supplyId,
      "--missing",
      "--wait",
      "1s",
      "--out",
      `${supplyId}.pdf`
    )
    if (told === undefined) return
    // A cancelled thing has no label, and is taken out.
    const missing = told.missing.filter(({ reason }) => reason !== "wrong_status").length
    this.printed.set(supplyId, { orders: orders ?? 0, missing })
  }

  /** What no turn hands over: supplies of one's own, those with cancelled orders, and in the last half hour whatever is left. */
  private async handsOver({ handOverBy, supplyId, wave }: Supply): Promise<void> {
    const now = await this.desk.now()
    const isUnderWay = now - (this.agreed.get(supplyId) ?? 0) < underWayMs
    if (!this.isPrinted(supplyId) || isUnderWay) return
    const checked = await this.json<Checked>("supplies", "check", supplyId)
    if (checked === undefined) return
    const { moveOut, reasons, restCanGo, takeOut, waitFor } = checked
    const isLast = wave === null || now > Date.parse(handOverBy ?? "") - byHandMs
    const isStopped = (reasons.length > 0 && !restCanGo) || waitFor.length + moveOut.length > 0
    if (isStopped || (takeOut.length === 0 && !isLast)) return
    if (!this.agreed.has(supplyId)) this.agreed.set(supplyId, now)
    const out = takeOut.length > 0 ? ["--taken-out"] : []
    this.desk.tell(`hands ${supplyId} over by hand ${out.join("")}`)
    await this.run("supplies", "deliver", supplyId, ...out, "--yes")
  }
}

/** Whether the wave that leaves then is packed by now. */
const isPacked = (handOverBy: string, nowMs: number): boolean => {
  const leavesMs = Date.parse(handOverBy)
  const wave = Script.waves.find((one) => Script.startMs + one.handOverBy * Script.minuteMs === leavesMs)
  return wave !== undefined && nowMs >= Script.startMs + wave.collectUntil * Script.minuteMs
}

const deliveryOf = (slot: string): string | undefined => /^supply_delivery:(.*)$/.exec(slot)?.[1]
