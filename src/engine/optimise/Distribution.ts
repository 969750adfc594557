/**
 * The few functions of probability that the estimates need: ln Γ, the beta distribution and its quantiles, the normal one. Own code,
 * for they are short, must give the same bytes everywhere, and no library is needed for them. Formulas: Abramowitz & Stegun, Handbook
 * of Mathematical Functions, 6.1.40 (Stirling's series), 26.5.8 (continued fraction of the incomplete beta), 26.2.17 (normal).
 */

/** ln Γ(x), x > 0, to about 1e-12: Stirling's series above 9, the recurrence below. */
export const lnGamma = (x: number): number => {
  let factor = 1
  let at = x
  while (at < 9) {
    factor *= at
    at += 1
  }
  const inverse = 1 / at
  const square = inverse * inverse
  const series =
    inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188))))
  return (at - 0.5) * Math.log(at) - at + halfLnTwoPi + series - (factor === 1 ? 0 : Math.log(factor))
}
const halfLnTwoPi = 0.5 * Math.log(2 * Math.PI)

export const lnBeta = (a: number, b: number): number => lnGamma(a) + lnGamma(b) - lnGamma(a + b)

/** P(X ≤ x) of X ~ Beta(a, b). */
export const betaBelow = (x: number, a: number, b: number): number => {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) - lnBeta(a, b))
  return x < (a + 1) / (a + b + 2) ? (front * fraction(x, a, b)) / a : 1 - (front * fraction(1 - x, b, a)) / b
}

/** Lentz's way through the continued fraction. */
const fraction = (x: number, a: number, b: number): number => {
  const tiny = 1e-300
  let c = 1
  let d = 1 / away(1 - ((a + b) * x) / (a + 1), tiny)
  let product = d
  for (let m = 1; m <= 300; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / away(1 + even * d, tiny)
    c = away(1 + even / c, tiny)
    product *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / away(1 + odd * d, tiny)
    c = away(1 + odd / c, tiny)
    const step = d * c
    product *= step
    if (Math.abs(step - 1) < 1e-12) break
  }
  return product
}

const away = (value: number, tiny: number): number => (Math.abs(value) < tiny ? tiny : value)

/** Density of the standard normal. */
export const normalDensity = (z: number): number => Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI)

/** P(Z ≤ z) of the standard normal, to 1e-7. */
export const normalBelow = (z: number): number => {
  const t = 1 / (1 + 0.2316419 * Math.abs(z))
  const poly =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  const tail = normalDensity(z) * poly
  return z > 0 ? 1 - tail : tail
}

/** Half the width of a 90% interval in standard errors. */
export const z90 = 1.6448536269514722
