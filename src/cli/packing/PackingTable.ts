/** `bidhelm pack`: a table, which is the only one at its supply, and all that comes to it: scans, looks at the marketplace, labels and marks. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import type { SupplyId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import * as Lease from "../../engine/door/Lease.js"
import * as Stopping from "../../engine/door/Stopping.js"
import type * as Packing from "../../engine/fulfilment/packing/Packing.js"
import * as Recipes from "../../marketplace/creates/Recipes.js"
import * as Writers from "../../marketplace/Writers.js"
import * as Supplies from "../../services/areas/supplies/Supplies.js"
import type { Supply } from "../../services/areas/supplies/SupplyRecords.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import { type CallError, isMissing } from "../../services/MarketplaceError.js"
import * as ProcessLock from "../../store/clients/ProcessLock.js"
import * as Account from "../account/Account.js"
import * as Holder from "../account/Holder.js"
import * as StopAt from "../account/StopAt.js"
import * as StopFile from "../account/StopFile.js"
import * as RunFolder from "../daemon/RunFolder.js"
import * as Stickers from "../labels/Stickers.js"
import * as Applying from "../plan/Applying.js"
import * as SupplyLines from "../supplies/SupplyLines.js"
import type * as Flags from "../terminal/Flags.js"
import * as Input from "../terminal/Input.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import { stop } from "../terminal/Stop.js"
import * as Known from "./Known.js"
import * as LabelPrinter from "./LabelPrinter.js"
import * as MarkSetter from "./MarkSetter.js"
import * as Screen from "./Screen.js"
import * as Session from "./Session.js"

interface Asked extends Flags.Session, LabelPrinter.Asked {
  readonly supply: string
}

/** Ends with 0 when the supply is packed, with 4 when orders or parcels are left. */
export const run = (asked: Asked) =>
  Account.run(asked, (chosen) =>
    Effect.gen(function* () {
      const supplyId = yield* SupplyLines.idOf(asked.supply, chosen.config.word)
      yield* alone(chosen, supplyId)
      // Whoever works in the lane settles what was left there, and marks wait for them.
      yield* Effect.catchTag(Applying.settle(chosen, "orders"), "ApplyBusy", () => Effect.void)
      const known = yield* ProgressBar.shown(Known.read(chosen, supplyId, asked))
      // Goods without marks are packed by whoever may send nothing.
      if (setsMarks(known)) yield* Lease.allowed(chosen.name)
      const printer = yield* LabelPrinter.make(asked, supplyId, known.look, known.told.total)
      const screen = Screen.make(asked.json, known.told)
      const left = yield* Effect.scoped(pack({ chosen, asked, supplyId, known, printer, screen }))
      if (left !== undefined) return yield* stop(4, asked.json ? "" : left)
    }).pipe(Effect.scoped, Effect.provide(layer(chosen)))
  )

const setsMarks = ({ pending, unset, work }: Known.Known): boolean =>
  pending.length + unset.length > 0 || work.orders.some(({ needs }) => needs.length > 0)

/** Two tables at one supply would each pack, and label, the same order; other machines are not seen. */
const alone = ({ config, name }: Account.Chosen, supplyId: SupplyId) =>
  ProcessLock.hold(RunFolder.packing(config, name, supplyId), Holder.once("pack")).pipe(
    Effect.catchTag("Locked", ({ holder }) =>
      stop(
        1,
        `${supplyId} is being packed at another table (${holder}), and both would pack the same orders: pack another supply here, or end the other session first`
      )
    )
  )

const layer = ({ config, name }: Account.Chosen) =>
  Layer.mergeAll(Writers.layer(), Recipes.layerWhereabouts, StopFile.guarding(config, name), StopAt.layer)

interface Table extends Session.Table {
  readonly asked: Asked
}

/** Answers what is left, in a sentence; undefined when all is packed. */
const pack = (table: Table) =>
  Effect.gen(function* () {
    const { chosen, screen } = table
    const inbox = yield* Mailbox.make<Session.Happening>()
    const comes = (what: Session.Happening) => Effect.sync(() => inbox.unsafeOffer(what))
    const setter = yield* MarkSetter.make(chosen, (news) => comes({ _tag: "Mark", news }))
    const broken = yield* Deferred.make<never, Effect.Effect.Error<typeof setter.run>>()
    yield* Effect.forkScoped(Effect.catchAll(setter.run, (error) => Deferred.fail(broken, error)))
    const printing = yield* labelling(table, comes)
    const session = new Session.Session(table, setter, printing)
    yield* session.begin
    yield* Effect.forkScoped(watching(table, session, comes))
    yield* Effect.forkScoped(askedToEnd(comes))
    yield* Input.listen({
      line: (text) => void inbox.unsafeOffer({ _tag: "Line", text }),
      end: () => void inbox.unsafeOffer({ _tag: "End" })
    })
    const scans = Effect.gen(function* () {
      while (!session.isOver) yield* session.happens(yield* inbox.take)
      yield* printing.finish
      yield* Effect.raceFirst(setter.finish, Effect.forever(Effect.flatMap(inbox.take, session.besides)))
      for (const what of yield* inbox.clear) yield* session.besides(what)
    })
    yield* Effect.raceFirst(scans, Deferred.await(broken))
    const [pending, waiting] = [yield* setter.pending, yield* setter.waiting]
    if (pending > 0)
      yield* screen.note(
        "Pending",
        `the marketplace still looks at ${Plural.of(pending, "mark")}; begin packing again, or look at them before the hand-over`,
        { marks: pending }
      )
    return session.left(waiting)
  })

/** Under `bidhelm run` the command ends with that program. */
const askedToEnd = (comes: (what: Session.Happening) => Effect.Effect<boolean>) =>
  Effect.flatMap(Stopping.Stopping, ({ asked, why }) =>
    Effect.flatMap(Effect.zipRight(asked, why), (said) =>
      comes({ _tag: "End", ...(said === undefined ? {} : { why: said }) })
    )
  )

const lookEvery = "60 seconds"

/** Every minute: whether the supply is still there, which orders were cancelled, went and came, and stickers that were not there. */
const watching = (
  { asked, known, supplyId }: Table,
  session: Session.Session,
  comes: (what: Session.Happening) => Effect.Effect<boolean>
) =>
  Effect.gen(function* () {
    const client = yield* MarketplaceClient
    for (;;) {
      yield* Effect.sleep(lookEvery)
      const supply = yield* Effect.either(Supplies.make(client).details(supplyId))
      const how = goneOf(supply)
      if (how !== undefined) return yield* comes({ _tag: "Gone", how })
      const cancelled = yield* Effect.either(Known.cancelledOf(client, session.watched))
      const inside = yield* Effect.either(Supplies.make(client).orderIds(supplyId))
      if (Either.isRight(cancelled))
        yield* comes({
          _tag: "Looked",
          cancelled: cancelled.right,
          inside: Either.isRight(inside) ? new Set(inside.right) : undefined
        })
      const failed = Either.isLeft(cancelled)
        ? cancelled.left
        : Either.isLeft(inside)
          ? inside.left
          : Either.isLeft(supply)
            ? supply.left
            : undefined
      if (failed !== undefined) yield* comes({ _tag: "Unread", why: failed.message })
      const lacking = session.unlabelled
      if (lacking.length === 0) continue
      const { crossBorder } = known.told
      const { stickers } = yield* Stickers.read({
        format: asked.format,
        size: known.look.size,
        orders: lacking,
        crossBorder,
        waitMs: 0
      })
      for (const [, sticker] of stickers) yield* comes({ _tag: "Sticker", sticker })
    }
  })

const goneOf = (supply: Either.Either<Supply, CallError>): Packing.Gone | undefined => {
  if (Either.isRight(supply)) return supply.right.closed === true ? "closed" : undefined
  return isMissing(supply.left) ? "deleted" : undefined
}

const labelling = ({ printer }: Table, comes: (what: Session.Happening) => Effect.Effect<boolean>) =>
  Effect.gen(function* () {
    const queue = yield* Mailbox.make<LabelPrinter.Labelled>()
    let open = 0
    if (printer !== undefined)
      yield* Effect.forkScoped(
        Effect.forever(
          Effect.gen(function* () {
            const label = yield* queue.take
            const { orderId } = label.line
            const came = yield* Effect.match(printer.print(label), {
              onSuccess: (at) => ({ at }),
              onFailure: ({ message }) => ({ why: message })
            })
            yield* comes({ _tag: "Label", orderId, ...came })
            open -= 1
          })
        )
      )
    return {
      add: (label) =>
        Effect.sync(() => {
          open += 1
          queue.unsafeOffer(label)
        }),
      drop: Effect.map(queue.clear, (labels) => {
        open -= labels.length
      }),
      finish: Effect.iterate(0, {
        while: () => open > 0,
        body: () => Effect.as(Effect.sleep("100 millis"), 0)
      })
    } satisfies Session.Labelling
  })
