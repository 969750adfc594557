/** The version of package.json, put in by the build; from sources it says so. */
declare const BIDHELM_VERSION: string | undefined

export const version: string = typeof BIDHELM_VERSION === "string" ? BIDHELM_VERSION : "0.0.0-source"
