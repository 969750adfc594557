/** Seed 000 "Passes". */
import * as Either from "effect/Either"
import * as Days from "../../domain/Days.js"
import * as Answer from "../Answer.js"
import { type Refusal, refuseCode } from "../Answer.js"
import * as Call from "../Call.js"
import * as Moscow from "../Moscow.js"
import type * as World from "../market/World.js"
import type { Pass } from "../shop/State.js"
import * as Warehouses from "../shop/Warehouses.js"

export const handlers: Call.Handlers<
  "listPassOffices" | "listPasses" | "createPass" | "updatePass" | "deletePass"
> = {
  listPassOffices: () => Either.right(Answer.json(offices)),

  listPasses: (call) => Either.right(Answer.json(listed(call.world, call.nowMs).map(row))),

  createPass: (call) => {
    if (officeOf(call.payload.officeId) === undefined)
      return Either.left(refuseCode(404, "NotFound", `office ${call.payload.officeId} asks for no pass`))
    const pass = create(call.world, call.payload, call.nowMs)
    record(call, null, pass)
    return Either.right(Answer.json({ id: pass.id }, 201))
  },

  updatePass: (call) =>
    Either.flatMap(named(call, call.path.passId), (pass) => {
      if (officeOf(call.payload.officeId) === undefined)
        return Either.left(refuseCode(400, "WarehouseNameInvalid", "the office asks for no pass"))
      record(call, pass, update(call.world, pass, call.payload))
      return Either.right(Answer.empty(204))
    }),

  deletePass: (call) =>
    Either.map(named(call, call.path.passId), (pass) => {
      call.world.shop.passes.delete(pass.id)
      record(call, pass, null)
      return Answer.empty(204)
    })
}

const named = (call: Call.Context, id: number): Either.Either<Pass, Refusal> =>
  Either.fromNullable(find(call.world, id, call.nowMs), () =>
    refuseCode(404, "NotFound", `pass ${id} does not exist`)
  )

const row = ({ createdAt, ...pass }: Pass) => {
  const office = officeOf(pass.officeId)
  return {
    ...pass,
    officeName: office?.name ?? "",
    officeAddress: office?.address ?? "",
    dateEnd: dateEnd(createdAt)
  }
}

const record = (call: Call.Context, before: Pass | null, after: Pass | null): void => {
  const id = (after ?? before)?.id
  Call.record(call, {
    slot: "pass",
    target: id === undefined ? {} : { passId: id },
    before: before === null ? null : row(before),
    after: after === null ? null : row(after),
    effectiveAt: call.nowMs
  })
}

// Passes that admit a vehicle to a warehouse, and the offices that ask for one (seed 000 "Pass", field note O24).

interface Office {
  readonly id: number
  readonly name: string
  readonly address: string
}

/** Offices that require a pass: a few, and those the seller's warehouses deliver to. */
const offices: ReadonlyArray<Office> = [
  { id: 15, name: "Склад Юг", address: "Верхнеозёрск, Промышленная ул., 4" },
  { id: 26, name: "Склад Север", address: "Новолесье, Складской проезд, 11" },
  ...Warehouses.ofOrders.map(({ officeId, officeName }) => ({
    id: officeId,
    name: officeName,
    address: `${officeName}, Индустриальная ул., ${officeId % 50}`
  }))
]

const officeOf = (id: number): Office | undefined => offices.find((o) => o.id === id)

/** How long a pass admits, and how long it is listed: a day longer. */
const validMs = 48 * Days.hourMs
const listedMs = 72 * Days.hourMs

type Details = Omit<Pass, "id" | "createdAt">

const create = (world: World.World, details: Details, nowMs: number): Pass => {
  const pass: Pass = { id: world.firstId + world.shop.nextPass++, createdAt: nowMs, ...details }
  world.shop.passes.set(pass.id, pass)
  return pass
}

/** Passes in the list, valid or lately expired, by id. */
const listed = (world: World.World, nowMs: number): ReadonlyArray<Pass> =>
  [...world.shop.passes.values()]
    .filter((pass) => nowMs < pass.createdAt + listedMs)
    .sort((a, b) => a.id - b.id)

/** A pass that is still listed. */
const find = (world: World.World, id: number, nowMs: number): Pass | undefined =>
  listed(world, nowMs).find((pass) => pass.id === id)

/** Replaces names, vehicle and office; the 48 hours still count from the creation. */
const update = (world: World.World, pass: Pass, details: Details): Pass => {
  const changed: Pass = { id: pass.id, createdAt: pass.createdAt, ...details }
  world.shop.passes.set(pass.id, changed)
  return changed
}

/** End of validity: a space where others write T, with the offset (field note O09). */
const dateEnd = (createdAt: number): string => Moscow.timeText(createdAt + validMs).replace("T", " ")
