/** What the tests of faults share: one rule per write class, and what the marketplace accepted afterwards. */
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import * as Shop from "../cli/Shop.js"

/** What the marketplace accepted, and how often each operation was asked. */
export interface Ledger {
  readonly entries: ReadonlyArray<{
    readonly operation: string
    readonly slot: string
    readonly target: Readonly<Record<string, unknown>>
    readonly before: unknown
    readonly after: unknown
  }>
  readonly counters: Readonly<Record<string, { readonly requests: number }>>
}

const rule = (name: string, ...lines: ReadonlyArray<string>): readonly [string, string] => [
  `rules/${name}.yaml`,
  [
    "version: 1",
    `name: ${name}`,
    "mode: apply",
    "schedule: {every: 5m, tz: Europe/Moscow}",
    ...lines,
    ""
  ].join("\n")
]

/** Rules whose every change is made once and is then content; reading what they need takes few calls. */
export const rules = {
  bids: rule(
    "bids",
    "each: campaign_item",
    "where:",
    '  - campaign.name matches "Поиск*"',
    "  - campaign.payment = cpm",
    "when: campaign.status = active",
    "do:",
    "  set_bid: {to: 180 ₽, cap: 180 ₽}"
  ),
  status: rule(
    "status",
    "each: campaign",
    'where: campaign.name matches "Распродажа*"',
    "when: campaign.status = active",
    "do: pause"
  ),
  minus: rule(
    "minus",
    "each: cluster",
    "where:",
    '  - campaign.name matches "Поиск*"',
    "  - not cluster.in_minus",
    '  - query contains any ["ж"]',
    "when: campaign.status = active",
    "do: add_minus"
  ),
  deposit: rule(
    "deposit",
    "each: campaign",
    'where: campaign.name matches "*основная"',
    "when: budget < 1000000 ₽",
    "do:",
    "  deposit: {amount: 1000 ₽, from: balance}",
    "limits: {money_per_day: 1000 ₽}"
  )
} as const

/** A shop with these rules and no others. */
export const open = async (
  chosen: ReadonlyArray<keyof typeof rules>,
  options: Shop.Options = {}
): Promise<Shop.Shop> => {
  const shop = await Shop.Shop.open(options)
  for (const name of readdirSync(join(shop.folder, "rules")))
    rmSync(join(shop.folder, "rules", name), { recursive: true })
  for (const name of chosen) if (name !== "deposit") shop.write(...rules[name])
  if (chosen.includes("deposit")) await addDeposit(shop)
  return shop
}

/** Adds the rule that deposits, and a person's word for it, which the store of that moment keeps. */
export const addDeposit = async (shop: Shop.Shop): Promise<void> => {
  shop.write(...rules.deposit)
  await shop.allowDeposits()
}

export const ledgerOf = async (shop: Shop.Shop): Promise<Ledger> =>
  (await (await fetch(`${shop.url}/_sandbox/ledger`)).json()) as Ledger

export const requests = async (shop: Shop.Shop, operation: string): Promise<number> =>
  (await ledgerOf(shop)).counters[operation]?.requests ?? 0

/** Each value was accepted once: no two entries say the same of the same thing. Answers the entries. */
export const nothingTwice = async (shop: Shop.Shop): Promise<Ledger["entries"]> => {
  const { entries } = await ledgerOf(shop)
  const said = entries.map(({ after, slot, target }) =>
    JSON.stringify(slot === "campaign" || slot === "supply" ? [slot, after] : [slot, target])
  )
  expect([...said].sort()).toEqual([...new Set(said)].sort())
  return entries
}

/**
 * Runs to its end; again when the machine was so busy that the lock ran out, which on the sandbox's fast clock takes two
 * seconds: nothing more was sent then. What all tries said on stderr comes with the last one's answer.
 */
export const run = async (shop: Shop.Shop, command: ReadonlyArray<string>): Promise<Shop.Ended> => {
  let said = ""
  for (let tries = 10; ; tries--) {
    const ended = await shop.run(...command)
    said += ended.stderr
    if (tries === 0 || !/lock was lost|is running \(/.test(ended.stdout + ended.stderr))
      return { ...ended, stderr: said }
  }
}
