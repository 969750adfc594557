/** `docs/configuration.md`: every key of `bidhelm.yaml`, what it means and what holds without it. */
import type { Fields } from "../config/ConfigFields.js"

interface KeyText {
  readonly means: string
  readonly without: string
}

/** In the order of the page. A new key of the configuration does not compile without its line here. */
const keys = {
  version: { means: "of this file", without: "1, required" },
  accounts: {
    means: "list of `name`, `token: {env: NAME}` or `{file: PATH}`, `token_kind`, `sandbox: true`",
    without: "required"
  },
  hosts: {
    means: "base addresses `advert` and `calendar`; `marketplace` for orders, `analytics` for reports",
    without: "the first two are required"
  },
  header: {
    means: "`name` and `scheme` of the header that carries the token",
    without: "`Authorization`, `Bearer`"
  },
  word: {
    means: "what the operator writes where its documentation says `platform`",
    without: "`platform`"
  },
  time_zone: { means: "of reports and days", without: "`Europe/Moscow`" },
  currency: { means: "of the account", without: "`RUB`" },
  store: {
    means: "`sqlite:` and a path, or `postgres://user@host:5432/database` ([which](operations/store.md))",
    without: "`sqlite:.bidhelm/bidhelm.sqlite`"
  },
  store_password: { means: "of PostgreSQL: `{env: NAME}` or `{file: PATH}`", without: "none" },
  runner: {
    means: "of `bidhelm run`: [running](operations/running.md), [scaling](operations/scaling.md)",
    without: "none"
  },
  telemetry: { means: "of `bidhelm run`: [monitoring](operations/monitoring.md)", without: "none" },
  machine_folder: {
    means: "beside PostgreSQL: the folder for lock, socket and `STOP` of this machine",
    without: "`.bidhelm`"
  },
  keep: {
    means:
      "for how many days things are kept: [`plans_days`, `journal_days`, `reports_days`](operations/backup.md#what-is-kept)",
    without: "90, 400, 30"
  },
  rules: { means: "folder of the rules", without: "`./rules`" },
  max_wait: {
    means: "longest wait for a call limit, such as `10m`",
    without: "no bound; a scheduled cycle asks for ten minutes of recommendations"
  },
  snapshot_days: {
    means: "how long the facts of past days are kept for `backtest`; 0 keeps none",
    without: "90"
  },
  bid_step: {
    means: "`cpm` and `cpc` steps of bids, instead of those the marketplace reports",
    without: "reported"
  }
} as const satisfies Readonly<Record<keyof Fields, KeyText>>

export const page = (): string =>
  [
    "# Configuration",
    "",
    "`bidhelm.yaml`; `bidhelm init` writes one. Paths are relative to the file. A token never stands in it: the file says only where it is.",
    '`token_kind` is one of `personal`, `service`, `base_with_secret`, `base`; it is read from the token, and only "base with secret" must be said.',
    "",
    "| key | means | default |",
    "|---|---|---|",
    ...Object.entries(keys).map(([key, { means, without }]) => `| \`${key}\` | ${means} | ${without} |`),
    ""
  ].join("\n")
