/**
 * What a runner does for the accounts it has: the cluster knows accounts, policies and due times, and nothing of rules
 * or of a marketplace.
 */
import * as Context from "effect/Context"
import type { Turns } from "../engine/run/AccountTurn.js"

/** Runs due times of accounts in this process; asked by the account's entity alone. */
export class AccountWork extends Context.Tag("bidhelm/AccountWork")<AccountWork, Turns>() {}
