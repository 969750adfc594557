/**
 * The commands: one table for the top-level help, for the help of each command and for the README. Plain data
 * without imports, because the top-level help is printed before anything heavier is loaded.
 */

export interface CommandText {
  readonly name: string
  /** How it is written, after `bidhelm`. */
  readonly usage: string
  /** One line for the list. */
  readonly about: string
  /** What a reader of `bidhelm NAME --help` should know beyond the options. */
  readonly more: ReadonlyArray<string>
  readonly examples: ReadonlyArray<{ readonly run: string; readonly does: string }>
}

export const commands = {
  demo: {
    name: "demo",
    usage: "demo",
    about: "a local marketplace and three rules: plan, apply, second plan, history",
    more: [
      "Starts the sandbox marketplace on this machine, runs the shipped rules against it over HTTP, and compares the planned changes with what the marketplace accepted. No account is needed and nothing leaves the machine."
    ],
    examples: [{ run: "bidhelm demo", does: "takes under two minutes" }]
  },
  init: {
    name: "init",
    usage: "init [--yes]",
    about: "writes bidhelm.yaml and starter rules",
    more: ["Never overwrites a file that exists."],
    examples: [
      { run: "bidhelm init", does: "asks a few questions" },
      { run: "bidhelm init --yes", does: "takes the defaults" }
    ]
  },
  check: {
    name: "check",
    usage: "check [PATHS...] [--fix [--dry-run]] [--assume SIZES [--token KIND]]",
    about: "every problem of every rule file, with line, column and fix",
    more: [
      "Needs no account and no network. Ends with 3 when a rule has an error.",
      "--fix mends what can only have been meant one way: misspelt words, odd spaces and quotes, signs of other languages, 0.01 for 1%. It never writes an amount, a bound or a mode, and leaves a file alone when mending would show more errors than before.",
      "--assume also tells whether the calls of the rules fit the limits, for an account of that size and a kind of token: above 70% of what fits between two runs it warns, above 100% it refuses."
    ],
    examples: [
      { run: "bidhelm check", does: "checks the folder of rules" },
      { run: "bidhelm check --fix --dry-run", does: "shows what --fix would change" },
      { run: "bidhelm check --fix", does: "mends what is certain, lists what is left" },
      {
        run: "bidhelm check --assume campaigns=100,items=10,clusters=50 --token base",
        does: "also: do the calls fit?"
      },
      { run: "bidhelm check --json", does: "for editors and pipelines; every problem with its edits" }
    ]
  },
  fmt: {
    name: "fmt",
    usage: "fmt [PATHS...] [--check]",
    about: "rewrites rule files in one style; comments, quotes and meaning stay",
    more: [
      "Two spaces of indentation, one space after colons and around operators, = for ==, >= for ≥, ₽ for rub, long conditions one per line. A file that cannot be read is left alone and named.",
      "Ends with 3 when a file could not be read; with --check ends with 1 when a file would change."
    ],
    examples: [
      { run: "bidhelm fmt", does: "rewrites the folder of rules" },
      { run: "bidhelm fmt rules/01-raise.yaml", does: "one file" },
      { run: "bidhelm fmt --check", does: "for pipelines: lists the files that would change" }
    ]
  },
  test: {
    name: "test",
    usage: "test [PATHS...] [--junit FILE] [--coverage-min N]",
    about: "runs the tests of the rules; needs no account and no network",
    more: [
      "Tests are files named *.test.yaml in the folder tests of the rules: rows of facts, an instant, and what is expected of every row. Each case is run twice and fails when the second run changes something again.",
      "Ends with 1 when a test fails, with 3 when a test file has an error or there are no tests. The table shows which rules never acted, and which conditions were never the one that decided."
    ],
    examples: [
      { run: "bidhelm test", does: "all tests of the folder of rules" },
      { run: "bidhelm test rules/tests/01-raise.test.yaml", does: "one file" },
      { run: "bidhelm test --junit results.xml --coverage-min 90", does: "for build servers" }
    ]
  },
  backtest: {
    name: "backtest",
    usage: "backtest [RULES] [--from DAY] [--to DAY] [--policy ID] [--all]",
    about: "the rules over the recorded facts of past days: what would have fired, and why",
    more: [
      "plan and apply keep what they read, one snapshot per day, for 90 days (snapshot_days in the configuration). Each day is answered from its own snapshot alone: rules in mode preview count too, disabled ones do not. Makes no call.",
      "What the rules would have changed is remembered for cooldown, hold_for and move_per_day of the following days, but the recorded facts do not answer to it. Nothing is said about what would have been earned."
    ],
    examples: [
      { run: "bidhelm backtest", does: "the configured rules over every recorded day" },
      {
        run: "bidhelm backtest new-rules --from 2026-11-01 --to 2026-11-20",
        does: "other rules, before they are switched on"
      },
      { run: "bidhelm backtest --policy 02-minus-low-ctr --all", does: "every change of one rule" }
    ]
  },
  plan: {
    name: "plan",
    usage: "plan [--out FILE] [--format text|json|markdown|html]",
    about: "dry run: every change with its reason and money; sends nothing that writes",
    more: ["A saved plan can be applied exactly, within 24 hours."],
    examples: [
      { run: "bidhelm plan", does: "shows what the rules would change" },
      { run: "bidhelm plan --out plan.json", does: "keeps it for apply" },
      { run: "bidhelm plan --format html > plan.html", does: "for a colleague without a terminal" },
      { run: "bidhelm plan --detailed-exitcode", does: "ends with 2 when there are changes" }
    ]
  },
  apply: {
    name: "apply",
    usage: "apply [PLAN.json] [--yes]",
    about: "applies a saved plan exactly, or plans, shows and asks",
    more: [
      "Every change is journaled before it is sent and read back afterwards. A value that moved since the plan is left alone and listed."
    ],
    examples: [
      { run: "bidhelm apply plan.json", does: "exactly what was reviewed" },
      { run: "bidhelm apply", does: "plans, shows, asks" },
      { run: "bidhelm apply --yes", does: "for timetables: plans and applies without asking" }
    ]
  },
  explain: {
    name: "explain",
    usage: "explain TARGET",
    about: "why each rule did, or did not, act on a target",
    more: [
      "TARGET is CAMPAIGN, CAMPAIGN/ITEM, CAMPAIGN/ITEM/CLUSTER, item/ITEM or account.",
      "Shows each condition with its value and its source, how a new value came about and when it may move next, or the values with which the rule would act."
    ],
    examples: [
      { run: "bidhelm explain 777", does: "a campaign" },
      { run: "bidhelm explain '777/1001/женские кеды'", does: "one search cluster of one item" },
      { run: "bidhelm explain item/1001", does: "an item wherever it is advertised" }
    ]
  },
  history: {
    name: "history",
    usage: "history [RUN]",
    about: "runs and their changes",
    more: [],
    examples: [
      { run: "bidhelm history", does: "the latest runs" },
      { run: "bidhelm history RUN", does: "every change of a run and what became of it" }
    ]
  },
  limits: {
    name: "limits",
    usage: "limits [--all] [--forecast [--assume SIZES]]",
    about: "state of every call limit of the account, and what the rules will ask of them",
    more: [
      "Without options: the limits used so far, whether the marketplace has frozen one and until when, and the daily quotas. Makes no call.",
      "--forecast tells for every rule the reading calls of one run, how long the limits make it take, and how often it may run with each kind of token while other tools keep a fifth of every limit. It lists the account's campaigns first; with --assume it needs neither token nor network. The number of clusters does not matter: one call brings all clusters of an item."
    ],
    examples: [
      { run: "bidhelm limits", does: "what is used, and what is frozen until when" },
      { run: "bidhelm limits --all --json", does: "for monitoring" },
      { run: "bidhelm limits --forecast", does: "which rules fit, and how often" },
      {
        run: "bidhelm limits --forecast --assume campaigns=100,items=10,clusters=50",
        does: "before there is an account"
      }
    ]
  },
  call: {
    name: "call",
    usage: "call OPERATION [--params JSON] [--all] [--out PLACE]",
    about: "one raw call of any of the 90 operations, through the same limits",
    more: [
      "Writes need --yes and are journaled like every other change. --list shows all operations, --describe OPERATION all about one: parameters with bounds, answer, errors, limits, quirks.",
      "--all follows the pages of a list. --out says where files go: a file for a download, an empty folder for stickers and codes."
    ],
    examples: [
      { run: "bidhelm call --list", does: "every operation" },
      { run: "bidhelm call --describe addOrdersToSupply", does: "all about one" },
      { run: "bidhelm call getCampaignBudget --params '{\"id\": 777}'", does: "what is left of a budget" },
      { run: "bidhelm call listOrders --all --json", does: "every page of the last 30 days" },
      {
        run: 'bidhelm call getOrderStickers --params \'{"type": "png", "width": 58, "height": 40, "orders": [1]}\' --out labels',
        does: "pictures in the folder labels"
      }
    ]
  },
  sandbox: {
    name: "sandbox",
    usage: "sandbox [--port N] [--seed N] [--speed N] [--scale ...] [--strict] [--test-environment]",
    about: "the local marketplace with all 90 operations, over HTTP",
    more: ["Runs until interrupted. The clock runs --speed times faster than the wall clock."],
    examples: [
      { run: "bidhelm sandbox --port 8090 --speed 60", does: "an hour passes in a minute" },
      { run: "bidhelm sandbox --scale campaigns=100,items=10,clusters=50", does: "a larger seller" },
      { run: "bidhelm sandbox --strict", does: "ends with 1 at the first request beyond a limit" }
    ]
  },
  doctor: {
    name: "doctor",
    usage: "doctor",
    about: "checks Node, store, token, clock and hosts, and says what to mend",
    more: [],
    examples: [{ run: "bidhelm doctor", does: "one line per check" }]
  },
  lsp: {
    name: "lsp",
    usage: "lsp [--stdio]",
    about: "language server for rule files: problems, completion, hover, fixes, rename",
    more: [
      "Started by an editor, not by hand: it speaks the Language Server Protocol on stdin and stdout. Needs no account and no network. docs/rules/editor.md tells how to set up VS Code, Neovim and Helix.",
      "The folder of rules is the configured one, or rules; a file elsewhere is checked together with its neighbours."
    ],
    examples: [{ run: "bidhelm lsp", does: "what the editor runs" }]
  },
  schema: {
    name: "schema",
    usage: "schema [policy|limits|vars|templates|facts|tests|plan]",
    about: "prints the JSON Schema of rule files, of their tests or of plans, for editors",
    more: [],
    examples: [{ run: "bidhelm schema > .schema/policy.v1.json", does: "completion and hover in the editor" }]
  }
} as const satisfies Record<string, CommandText>

export type CommandName = keyof typeof commands

/** What the process ends with; part of the contract with scripts. */
export const exitCodes = [
  [0, "done"],
  [1, "error"],
  [2, "changes present (only with plan --detailed-exitcode)"],
  [3, "rule problems"],
  [4, "applied in part"],
  [5, "stopped by limits"]
] as const
