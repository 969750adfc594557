/** Marks as the store keeps them, by the fingerprint that stands for them in changes. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Mark, ofLabel } from "../../engine/fulfilment/marks/Mark.js"
import type { Of } from "../../engine/kinds/Change.js"
import * as OrderMark from "../../engine/kinds/fulfilment/OrderMark.js"
import * as Labels from "../../services/areas/labels/Labels.js"
import type { Client } from "../../services/MarketplaceClient.js"
import type { Marks, MarkVault } from "../../services/ports/MarkVault.js"

type Change = Of<typeof OrderMark.name>

/** The marks that a change sets; undefined where they are not kept, or cannot be read. */
export const of = (
  account: string,
  vault: typeof MarkVault.Service,
  change: Change
): Effect.Effect<ReadonlyArray<string> | undefined> =>
  Effect.orElseSucceed(byFingerprint(account, vault, change, change.after), () => undefined)

/**
 * Keeps the marks that a change replaces, as the marketplace has them, where nobody gave them from here: without them nothing
 * takes the change back. What cannot be read or kept stops no mark.
 */
export const keepFormer = (client: Client, vault: typeof MarkVault.Service, change: Change) =>
  Effect.gen(function* () {
    const { before, details, subject } = change
    if (before === "" || (yield* byFingerprint(client.account, vault, change, before)) !== undefined) return
    const { values } = yield* Labels.make(client).read([subject.orderId])
    const there = values
      .flatMap(({ labels }) => labels)
      .flatMap(({ key, value }) => (key === details.key ? ofLabel(key, value).map(Mark.whole) : []))
    if (OrderMark.fingerprint(there) === before)
      yield* vault.keepSeen(client.account, [marks(subject.orderId, details.key, there)])
  }).pipe(Effect.ignore)

/** Marks as the store keeps them. */
export const marks = (orderId: number, key: string, texts: ReadonlyArray<string>): Marks => ({
  orderId,
  key,
  fingerprint: OrderMark.fingerprint(texts),
  marks: Redacted.make(texts)
})

const byFingerprint = (
  account: string,
  vault: typeof MarkVault.Service,
  { details: { key }, subject: { orderId } }: Change,
  fingerprint: Change["after"]
) =>
  Effect.map(vault.of(account, [orderId]), (all) => {
    const one = all.find((kept) => kept.key === key && kept.fingerprint === fingerprint)
    return one === undefined ? undefined : Redacted.value(one.marks)
  })
