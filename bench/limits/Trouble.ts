/** What the sandbox is told to do in a measurement. */
import type * as Faults from "../../src/sandbox/Faults.js"
import type { Shape } from "./Shapes.js"

/** Status of a refusal that a measurement asks for. */
export const status = 409

/** The way there takes 1 ms and up to `jitterMs` more; `refused` of the calls are refused, the share 0 to 1. */
export const faults = (shape: Shape, jitterMs: number, refused: number): ReadonlyArray<Faults.Fault> => [
  { kind: "latency", ms: 1, jitterMs },
  ...(refused > 0 ? [{ kind: "refuse", status, probability: refused } as const] : []),
  ...(shape.page ? [{ kind: "html" } as const] : [])
]
