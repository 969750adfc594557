/** What a person can do about what PostgreSQL says. */

/** By SQLSTATE, or by its class (the first two signs). */
export const bySqlState = (code: string | undefined): string | undefined =>
  code === undefined ? undefined : (byCode[code] ?? byCode[code.slice(0, 2)])

/** By the error code of the network. Files are not there too: only what could not be connected to is a socket. */
export const bySystem = (code: string | undefined, call: string | undefined): string | undefined =>
  code === undefined || (code === "ENOENT" && call !== "connect") ? undefined : byNetwork[code]

/** By the words of the driver where it gives no code. */
export const byText = (text: string): string | undefined =>
  /connection (terminated|error|timed out|timeout)|timeout exceeded when trying to connect|not queryable|SASL|was closed/i.test(
    text
  )
    ? /SASL/.test(text)
      ? refused
      : lost
    : undefined

const lost =
  "the connection to PostgreSQL was lost or could not be made; see that the server runs, and run again, nothing was left half done"
const refused =
  "PostgreSQL refused the user or the password; check the user in store, store_password, and the server's pg_hba.conf"
const damaged =
  "PostgreSQL found its own files damaged; restore a backup, then look at the account before the next apply"

const byCode: Readonly<Record<string, string>> = {
  "08": lost,
  "25006": "this PostgreSQL server is a read-only copy; point store to the primary server",
  "25P03": "the store's transaction stood still for too long and was given up; run again",
  "28": refused,
  "3D000": "PostgreSQL has no database of this name; make it with: createdb --owner=USER NAME",
  "40001": "other programs kept changing the same rows; run again",
  "40P01": "other programs kept changing the same rows; run again",
  "42501": "the user may not do this in PostgreSQL; make it the owner of the database",
  "53100": "the disk of PostgreSQL is full; free some space and run again, nothing was left half done",
  "53200": "PostgreSQL ran out of memory; run again when it is less busy",
  "53300": "PostgreSQL has no connection left; raise max_connections or stop other programs",
  "55P03": "another program keeps the store busy; wait for it to end and run again",
  "57014": "PostgreSQL took too long; see what else it is doing and run again",
  "57P01": lost,
  "57P02": lost,
  "57P03": "PostgreSQL is just starting or stopping; run again in a moment",
  XX001: damaged,
  XX002: damaged
}

const byNetwork: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    "PostgreSQL does not answer; see that the server runs and that the host and port in store are right",
  ECONNRESET: lost,
  EHOSTUNREACH: "the host of PostgreSQL cannot be reached; check store and the network",
  ENOENT: "the socket of PostgreSQL is not there; see that the server runs and that store names its folder",
  ENOTFOUND: "the host of PostgreSQL is not known; check its name in store",
  EAI_AGAIN: "the host of PostgreSQL is not known; check its name in store and the network",
  EPIPE: lost,
  ETIMEDOUT:
    "PostgreSQL does not answer; see that the server runs and that the host and port in store are right"
}
