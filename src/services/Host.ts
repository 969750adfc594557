/** The hosts of the marketplace: which addresses they have is configuration. */

/** Key of a base URL in the configuration. */
const hosts = ["marketplace", "advert", "calendar", "analytics"] as const
export type Host = (typeof hosts)[number]
