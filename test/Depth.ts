/**
 * How much the tests look at that draw their cases: a part in `npm test`, all of it in `npm run test:deep`; `CASES=40000`
 * says how many instead.
 */

export const isDeep = process.env.BIDHELM_TEST_DEEP !== undefined

const { CASES } = process.env

/** How many of `all` cases are looked at; in `npm test` a quarter, or a smaller share where every case is dear. */
export const cases = (all: number, share = 1 / 4): number =>
  CASES === undefined ? Math.ceil(isDeep ? all : all * share) : Number(CASES)
