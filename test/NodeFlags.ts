/**
 * How Node runs the simulation and the tests. Most of what they make is soon forgotten; a large nursery keeps it from being
 * moved. One process per core leaves none for helpers of the collector, and code that runs once or twice is not worth
 * interpreting.
 */
export const nodeFlags = [
  "--max-semi-space-size=64",
  "--min-semi-space-size=64",
  "--single-threaded-gc",
  "--always-sparkplug"
]

/**
 * Of the tests run together. Thousands of tests call much of the program a few times each: with the usual patience a sixth of
 * the processor time went into code that was made fast for what was nearly over. Functions wait for the next file that calls them.
 * A test's world lives for longer than one filling of the usual nursery: in twice the room a tenth less is spent on moving it.
 */
export const sharedFlags = [
  ...nodeFlags,
  "--max-semi-space-size=128",
  "--min-semi-space-size=128",
  "--interrupt-budget=1000000",
  "--no-flush-bytecode"
]
