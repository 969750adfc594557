/** The policy that a misspelt or shortened name means: names are long, and people write their beginnings. */
import * as Suggest from "../language/problems/Suggest.js"

/** `01-rase` means `01-raise-to-reach-max`. */
export const of = (wanted: string, ids: ReadonlyArray<string>): string | undefined => {
  const beginnings = new Map<string, string>()
  for (const id of ids) {
    const words = id.split("-")
    for (let count = words.length; count > 0; count--) {
      const beginning = words.slice(0, count).join("_").toLowerCase()
      if (!beginnings.has(beginning)) beginnings.set(beginning, id)
    }
  }
  const near = Suggest.nearest(wanted.replace(/\.ya?ml$/, ""), [...beginnings.keys()])
  return near === undefined ? undefined : beginnings.get(near)
}
