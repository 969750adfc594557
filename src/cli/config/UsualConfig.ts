/** The configuration of a command that names none. */
export const usualConfig = "bidhelm.yaml"
