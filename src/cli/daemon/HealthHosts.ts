/**
 * Under which names health and figures are asked for. A page in somebody's browser reaches an address of this machine
 * under a name of its own (DNS rebinding), or from a place of its own (`Origin`): neither is answered. Pure.
 */
import { isIP } from "node:net"
import type { Address } from "../config/Config.js"
import { isLoopback } from "../config/ConfigFields.js"

/** What a request says of where it is sent and where it comes from; every `Host` line of it. */
export interface Asked {
  readonly hosts: ReadonlyArray<string>
  readonly origin: string | undefined
}

/** Why a request is not answered: status and words for whoever sent it. Nothing of the request is repeated. */
export interface Refusal {
  readonly status: 403 | 421
  readonly body: string
}

/**
 * What forbids an answer; undefined when nothing does (design reliability §4). Names of this machine, the address listened
 * at and `names` are allowed, with any port. Where others reach the address, so is every IP address: probes use them, and
 * no rebound name looks like one.
 */
export const refusal = (
  { host }: Address,
  names: ReadonlyArray<string>,
  { hosts, origin }: Asked
): Refusal | undefined => {
  const [asked] = hosts
  const name = asked === undefined || hosts.length > 1 ? undefined : nameOf(asked)
  if (name === undefined || !isAllowed(host.toLowerCase(), names, name)) return unknownName
  return origin === undefined || isSame(origin, asked) ? undefined : otherOrigin
}

const unknownName: Refusal = {
  status: 421,
  body: "this name is not known here: ask by IP address, or write the name into runner: http_names\n"
}

const otherOrigin: Refusal = { status: 403, body: "pages of other origins are not answered\n" }

/** Host and perhaps a port; nothing else that a parser of addresses would put up with. */
const written = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::\d{1,5})?$/

const nameOf = (host: string): string | undefined =>
  written.exec(host.toLowerCase())?.[1]?.replace(/^\[|\]$/g, "")

const isAllowed = (own: string, names: ReadonlyArray<string>, name: string): boolean =>
  name === own ||
  isOfThisMachine(name) ||
  names.some((one) => one.toLowerCase() === name) ||
  (!isOfThisMachine(own) && isIP(name) !== 0)

const isOfThisMachine = (name: string): boolean =>
  name === "localhost" || (isIP(name) !== 0 && isLoopback(`http://${isIP(name) === 6 ? `[${name}]` : name}`))

/** The very page of this address, behind a proxy with TLS perhaps. */
const isSame = (origin: string, host: string | undefined): boolean =>
  /^https?:\/\/(.*)$/.exec(origin.toLowerCase())?.[1] === host?.toLowerCase()
