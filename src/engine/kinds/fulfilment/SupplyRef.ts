/** How changes name a supply: by its id, or by the name it is to be made under. */

import { OrderId } from "../../../domain/Ids.js"
import type { OrderTarget, PassTarget, SupplyRef, SupplyTarget } from "../../../domain/Target.js"

const unmade = "new:"

/** The reference of a supply that is not made yet; its name holds a marker (field note O29). */
export const ofName = (name: string): SupplyRef => `${unmade}${name}`

/** The name of a supply that is not made yet; undefined where the reference is an id. */
export const nameOf = (ref: SupplyRef): string | undefined =>
  ref.startsWith(unmade) ? ref.slice(unmade.length) : undefined

/** The end of a name that tells the supply, whoever renamed the rest of it; undefined in a name without one. */
export const markerOf = (name: string): string | undefined =>
  name.includes("#") ? name.slice(name.lastIndexOf("#")) : undefined

/** `supply PLATFORM-GI-1`, `the new supply "507 2026-11-25 #a1b2c3"`; "" is no supply. */
export const text = (ref: SupplyRef): string => {
  const name = nameOf(ref)
  if (name !== undefined) return `the new supply "${name}"`
  return ref === "" ? "in no supply" : `supply ${ref}`
}

// Subjects as the keys of slots write them, and back.

/** `5001` */
export const orderOf = (rest: string): OrderTarget | undefined =>
  /^\d+$/.test(rest) ? { orderId: OrderId.make(Number(rest)) } : undefined

/** `5001/sgtin` */
export const markedOrderOf = (rest: string): OrderTarget | undefined => orderOf(rest.replace(/\/[^/]*$/, ""))

/** `PLATFORM-GI-1`, `new:507 2026-11-25 #a1b2c3` */
export const supplyOf = (rest: string): SupplyTarget | undefined =>
  rest === "" ? undefined : { supply: rest }

/** `507/А123ВС777` */
export const passOf = (rest: string): PassTarget | undefined =>
  /^\d+\/./.test(rest) ? { pass: rest } : undefined
