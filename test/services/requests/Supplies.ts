import type { Inputs } from "./Inputs.js"

export const inputs: Inputs = {}
