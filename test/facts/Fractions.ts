/** Fractions of whole numbers, never rounded: the reference that figures are held against. */
export interface Fraction {
  readonly above: bigint
  /** Above zero. */
  readonly below: bigint
}

export const of = (above: bigint, below: bigint): Fraction =>
  below < 0n ? { above: -above, below: -below } : { above, below }

export const plus = (a: Fraction, b: Fraction): Fraction =>
  of(a.above * b.below + b.above * a.below, a.below * b.below)

export const minus = (a: Fraction, b: Fraction): Fraction => plus(a, of(-b.above, b.below))

export const times = (a: Fraction, b: Fraction): Fraction => of(a.above * b.above, a.below * b.below)

export const over = (a: Fraction, b: Fraction): Fraction => of(a.above * b.below, a.below * b.above)

export const sum = (all: ReadonlyArray<Fraction>): Fraction => all.reduce(plus, of(0n, 1n))

export const isBelow = (a: Fraction, b: Fraction): boolean => a.above * b.below < b.above * a.below
