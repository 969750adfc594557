/** How big a marketplace is. `campaigns=10000,items=10,clusters=50` on the command line. */
import * as Either from "effect/Either"

export interface Scale {
  readonly campaigns: number
  /** Items of each campaign. */
  readonly items: number
  /** Search clusters of each item. */
  readonly clusters: number
}

export const demo: Scale = { campaigns: 6, items: 4, clusters: 12 }

const bounds: Readonly<Record<keyof Scale, number>> = { campaigns: 100_000, items: 50, clusters: 1_000 }

/** Reads `name=number` pairs; names not given keep the demo's size. The left side says what to mend. */
export const parse = (text: string): Either.Either<Scale, string> => {
  const scale: Record<keyof Scale, number> = { ...demo }
  for (const part of text.split(",").filter((p) => p.trim() !== "")) {
    const match = /^\s*(campaigns|items|clusters)\s*=\s*(\d+)\s*$/.exec(part)
    if (match === null)
      return Either.left(`"${part.trim()}" is not a scale; write campaigns=100,items=10,clusters=50`)
    const name = match[1] as keyof Scale
    const value = Number(match[2])
    if (value < 1 || value > bounds[name])
      return Either.left(`${name} must be between 1 and ${bounds[name]}, not ${match[2]}`)
    scale[name] = value
  }
  return Either.right(scale)
}
