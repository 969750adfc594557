/** `bidhelm supplies`: open supplies, and those that were closed in the last days. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Plural from "../../domain/Plural.js"
import * as When from "../../domain/When.js"
import type * as SupplyWaves from "../../engine/planning/SupplyWaves.js"
import * as HandOverParts from "../../marketplace/fulfilment/HandOverParts.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as State from "../../services/areas/State.js"
import * as Supplies from "../../services/areas/supplies/Supplies.js"
import type { Supply } from "../../services/areas/supplies/SupplyRecords.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import * as Account from "../account/Account.js"
import * as MadeFor from "../fulfilment/MadeFor.js"
import type * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as ProgressBar from "../terminal/ProgressBar.js"

/** How long a closed supply is of interest. */
const recentMs = 3 * 86_400_000

type Standing = "open" | "closed" | "scanned" | "unknown"

interface Row {
  readonly supply: Supply
  readonly state: Standing
  /** Of an open one; undefined where they could not be read. */
  readonly orders: number | undefined
  readonly wave: SupplyWaves.SupplyWave | undefined
}

export const show = (asked: Flags.Session) =>
  Account.run(asked, (chosen) =>
    Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const rows = yield* ProgressBar.shown(read(chosen, nowMs))
      const zone = chosen.config.timeZone
      if (asked.json)
        return yield* Output.json("supplies", { account: chosen.name, supplies: rows.map(plain) })
      yield* Output.text(
        rows.length === 0
          ? "No supply is open, and none was closed in the last three days. Make them of what waits: bidhelm supplies assemble"
          : rows.map((row) => cleanLine(line(row, zone, nowMs))).join("\n")
      )
    })
  )

const read = (chosen: Account.Chosen, nowMs: number) =>
  Effect.gen(function* () {
    const supplies = Supplies.make(yield* MarketplaceClient)
    const listed = [...(yield* Stream.runCollect(supplies.list))].filter(
      ({ closed, closedAtMs, scannedAtMs }) =>
        closed !== true || nowMs - (closedAtMs ?? scannedAtMs ?? 0) < recentMs
    )
    const waves = yield* MadeFor.read(chosen, listed)
    const rows = yield* Effect.forEach(listed, (supply) =>
      Effect.map(
        Effect.either(supplies.orderIds(supply.supplyId)),
        (ids): Row => ({
          supply,
          state: stateOf(supply),
          orders: ids._tag === "Right" ? ids.right.length : undefined,
          wave: waves.of(HandOverParts.named(supply))
        })
      )
    )
    return rows.sort(
      (a, b) =>
        Number(a.state !== "open") - Number(b.state !== "open") ||
        (a.wave?.handOverByMs ?? Number.MAX_SAFE_INTEGER) -
          (b.wave?.handOverByMs ?? Number.MAX_SAFE_INTEGER) ||
        (a.supply.createdAtMs ?? 0) - (b.supply.createdAtMs ?? 0)
    )
  })

const stateOf = ({ closed, scannedAtMs }: Supply): Standing => {
  if (scannedAtMs !== undefined) return "scanned"
  if (closed === undefined) return "unknown"
  return closed ? "closed" : "open"
}

const words: Readonly<Record<Standing, string>> = {
  open: "open",
  closed: "handed over",
  scanned: "scanned at acceptance",
  unknown: "the marketplace does not say whether it is open"
}

const line = ({ orders, state, supply, wave }: Row, zone: string, nowMs: number): string => {
  const { closedAtMs, name = "", scannedAtMs, supplyId } = supply
  const by =
    wave === undefined
      ? "no wave"
      : `${wave.wave} by ${When.text(wave.handOverByMs, zone)}${state === "open" && orders !== 0 && wave.handOverByMs <= nowMs ? " LATE" : ""}`
  const at = scannedAtMs ?? closedAtMs
  const count = orders === undefined ? "orders not read" : Plural.of(orders, "order")
  return `${supplyId}  ${words[state]}${at === undefined ? "" : ` ${When.text(at, zone)}`}  ${count}  ${by}  ${cargoOf(supply)}  "${name}"`
}

const cargoOf = ({ b2b, cargo, crossBorder }: Supply): string =>
  [
    cargo === undefined ? "cargo unknown" : (State.textOf(cargo) ?? "cargo unknown"),
    ...(crossBorder === true ? ["cross-border"] : []),
    ...(b2b === true ? ["business"] : [])
  ].join(" ")

const plain = ({ orders, state, supply, wave }: Row) => ({
  supplyId: supply.supplyId,
  name: supply.name ?? null,
  state,
  orders: orders ?? null,
  wave: wave?.wave ?? null,
  handOverBy: When.iso(wave?.handOverByMs),
  createdAt: When.iso(supply.createdAtMs),
  closedAt: When.iso(supply.closedAtMs),
  scannedAt: When.iso(supply.scannedAtMs),
  cargo: supply.cargo === undefined ? null : (State.textOf(supply.cargo) ?? null),
  crossBorder: supply.crossBorder ?? null,
  business: supply.b2b ?? null
})
