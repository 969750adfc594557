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
