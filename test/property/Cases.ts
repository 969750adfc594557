/**
 * How many cases a property is asked. `CASES=100000` asks each so often, `SEED=7` makes the run repeatable; without them
 * a few, so that the suite takes seconds.
 */
import * as fc from "fast-check"

const { CASES, SEED } = process.env
const batch = 500

/**
 * Asks in batches: the runner thinks a test dead that never lets it speak. With `usualSeed` the few cases are always the
 * same ones: for a property whose exceptions are only as good as the cases it has met.
 */
export const check = async <Ts>(
  property: fc.IProperty<Ts>,
  few: number,
  usualSeed?: number
): Promise<void> => {
  const cases = Number(CASES ?? few)
  for (let done = 0; done < cases; done += batch) {
    const chosen = SEED ?? (CASES === undefined ? usualSeed : undefined)
    const seed = chosen === undefined ? {} : { seed: Number(chosen) + done }
    fc.assert(property, { numRuns: Math.min(batch, cases - done), ...seed })
    await new Promise(setImmediate)
  }
}

/** Long enough for any number of cases. */
export const timeoutMs = 7_200_000
