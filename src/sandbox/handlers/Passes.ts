/** Seed 000 "Passes". */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { type Refusal, refuseCode } from "../Answer.js"
import * as Call from "../Call.js"
import * as Passes from "../shop/Passes.js"
import type { Pass } from "../shop/State.js"

export const handlers: Call.Handlers<
  "listPassOffices" | "listPasses" | "createPass" | "updatePass" | "deletePass"
> = {
  listPassOffices: () => Either.right(Answer.json(Passes.offices)),

  listPasses: (call) => Either.right(Answer.json(Passes.listed(call.world, call.nowMs).map(row))),

  createPass: (call) => {
    if (Passes.office(call.payload.officeId) === undefined)
      return Either.left(refuseCode(404, "NotFound", `office ${call.payload.officeId} asks for no pass`))
    const pass = Passes.create(call.world, call.payload, call.nowMs)
    record(call, null, pass)
    return Either.right(Answer.json({ id: pass.id }, 201))
  },

  updatePass: (call) =>
    Either.flatMap(named(call, call.path.passId), (pass) => {
      if (Passes.office(call.payload.officeId) === undefined)
        return Either.left(refuseCode(400, "WarehouseNameInvalid", "the office asks for no pass"))
      record(call, pass, Passes.update(call.world, pass, call.payload))
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
  Either.fromNullable(Passes.find(call.world, id, call.nowMs), () =>
    refuseCode(404, "NotFound", `pass ${id} does not exist`)
  )

const row = ({ createdAt, ...pass }: Pass) => {
  const office = Passes.office(pass.officeId)
  return {
    ...pass,
    officeName: office?.name ?? "",
    officeAddress: office?.address ?? "",
    dateEnd: Passes.dateEnd(createdAt)
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
