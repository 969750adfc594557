/** Texts of the commands that work on rule files and need no account; a part of `Commands.ts`. */

export const ruleCommands = {
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
  }
} as const
