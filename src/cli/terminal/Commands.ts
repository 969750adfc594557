/**
 * What is said of the commands, by name: one table for the top-level help, for `bidhelm NAME --help` and for
 * docs/commands.md. It imports next to nothing, because the top-level help (`TopHelp`) is printed before anything heavier is loaded.
 */

import * as Assembling from "./Assembling.js"

export interface CommandText {
  /** How it is written, after `bidhelm`. */
  readonly usage: string
  /** One line for the list. */
  readonly about: string
  /** What a reader of `bidhelm NAME --help` should know beyond the options. */
  readonly more: ReadonlyArray<string>
  /** What can be typed, and what it does. */
  readonly examples: Readonly<Record<string, string>>
}

export const commands = {
  demo: {
    usage: "demo [--all]",
    about: "a local marketplace and the shipped rules: plan, apply, second plan, next morning, history",
    more: [
      "Starts the sandbox marketplace on this machine, runs the shipped rules against it over HTTP, through an afternoon, the night and the next morning, and compares the planned changes with what the marketplace accepted: raises, minus phrases and a pause, or it ends with 1. No account is needed and nothing leaves the machine."
    ],
    examples: {
      "bidhelm demo": "takes some ten seconds, two screens",
      "bidhelm demo --all": "every change and every reason"
    }
  },
  init: {
    usage: "init [--yes]",
    about: "writes bidhelm.yaml and starter rules",
    more: ["Never overwrites a file that exists."],
    examples: {
      "bidhelm init": "asks a few questions",
      "bidhelm init --yes": "takes the defaults"
    }
  },
  check: {
    usage: "check [PATHS...] [--fix [--dry-run]] [--assume SIZES [--token KIND]]",
    about: "every problem of every rule file, with line, column and fix",
    more: [
      "Needs no account and no network. Ends with 3 when a rule has an error.",
      "--fix mends what can only have been meant one way: misspelt words, odd spaces and quotes, signs of other languages, 0.01 for 1%. It never writes an amount, a bound or a mode, and leaves a file alone when mending would show more errors than before.",
      "--assume also tells whether the calls of the rules fit the limits, for an account of that size and a kind of token: above 70% of what fits between two runs it warns, above 100% it refuses."
    ],
    examples: {
      "bidhelm check": "checks the folder of rules",
      "bidhelm check --fix --dry-run": "shows what --fix would change",
      "bidhelm check --fix": "mends what is certain, lists what is left",
      "bidhelm check --assume campaigns=100,items=10,clusters=50 --token base": "also: do the calls fit?",
      "bidhelm check --json": "for editors and pipelines; every problem with its edits"
    }
  },
  fmt: {
    usage: "fmt [PATHS...] [--check]",
    about: "rewrites rule files in one style; comments, quotes and meaning stay",
    more: [
      "Two spaces of indentation, one space after colons and around operators, = for ==, >= for ≥, ₽ for rub, long conditions one per line. A file that cannot be read is left alone and named.",
      "Ends with 3 when a file could not be read; with --check ends with 1 when a file would change."
    ],
    examples: {
      "bidhelm fmt": "rewrites the folder of rules",
      "bidhelm fmt rules/01-raise-to-reach-max.yaml": "one file",
      "bidhelm fmt --check": "for pipelines: lists the files that would change"
    }
  },
  test: {
    usage: "test [PATHS...] [--junit FILE] [--coverage-min N]",
    about: "runs the tests of the rules; needs no account and no network",
    more: [
      "Tests are files named *.test.yaml in the folder tests of the rules: rows of facts, an instant, and what is expected of every row. Each case is run twice and fails when the second run changes something again.",
      "Ends with 1 when a test fails, with 3 when a test file has an error or there are no tests. The table shows which rules never acted, and which conditions were never the one that decided."
    ],
    examples: {
      "bidhelm test": "all tests of the folder of rules",
      "bidhelm test rules/tests/01-raise-to-reach-max.test.yaml": "one file",
      "bidhelm test --junit results.xml --coverage-min 90": "for build servers"
    }
  },
  backtest: {
    usage: "backtest [RULES] [--from DAY] [--to DAY] [--policy ID] [--all]",
    about: "the rules over the recorded facts of past days: what would have fired, and why",
    more: [
      "plan and apply keep what they read, one snapshot per day, for 90 days (snapshot_days in the configuration). Each day is answered from its own snapshot alone: rules in mode preview count too, disabled ones do not. Makes no call.",
      "What the rules would have changed is remembered for cooldown, hold_for and move_per_day of the following days, but the recorded facts do not answer to it. Nothing is said about what would have been earned."
    ],
    examples: {
      "bidhelm backtest": "the configured rules over every recorded day",
      "bidhelm backtest new-rules --from 2026-11-01 --to 2026-11-20":
        "other rules, before they are switched on",
      "bidhelm backtest --policy 02-minus-low-ctr --all": "every change of one rule"
    }
  },
  plan: {
    usage:
      "plan [--lane ads|orders|promotions] [--out FILE] [--format text|json|markdown|html] [--all | --top N]",
    about: "dry run: every change with its reason and money; sends nothing that writes",
    more: [
      "A saved plan can be applied exactly, within 24 hours.",
      "Of more than 40 changes the text shows the totals by rule and campaign and the 20 largest by money; --all, --top, --group and --sort ask for more or other ones. A page of --format html has all of them, and sorts and filters."
    ],
    examples: {
      "bidhelm plan": "shows what the rules would change",
      "bidhelm plan --top 50 --group rule": "the 50 largest changes, under their rules",
      "bidhelm plan --out plan.json": "keeps it for apply",
      "bidhelm plan --lane promotions": "which items rules of promotions would enrol",
      "bidhelm plan --format html > plan.html": "for a colleague without a terminal",
      "bidhelm plan --detailed-exitcode": "ends with 2 when there are changes"
    }
  },
  show: {
    usage: "show PLAN.json [--format text|json|markdown|html] [--all | --top N]",
    about: "a saved plan to read, whole or its largest changes; needs no account and no network",
    more: [
      "What plan --out has written, as plan would have printed it. Whether it may still be applied, apply says."
    ],
    examples: {
      "bidhelm show plan.json": "totals and the largest changes",
      "bidhelm show plan.json --all --sort change": "every change, the farthest moves first",
      "bidhelm show plan.json --format html > plan.html": "a page that sorts and filters"
    }
  },
  apply: {
    usage: "apply [PLAN.json] [--lane ads|orders|promotions] [--yes] [--made-elsewhere]",
    about: "applies a saved plan exactly, or plans, shows and asks",
    more: [
      "Every change is journaled before it is sent and read back afterwards. A value that moved since the plan is left alone and listed.",
      "It asks before it sends; where nobody can answer it needs --yes. A saved plan that this store did not make only chooses: with --made-elsewhere a new plan is made, and what both have in exactly the same way is applied."
    ],
    examples: {
      "bidhelm apply plan.json": "exactly what was reviewed, once you agree",
      "bidhelm apply plan.json --yes": "the same without asking",
      "bidhelm apply": "plans, shows, asks",
      "bidhelm apply --yes": "for timetables: plans and applies without asking"
    }
  },
  run: {
    usage: "run [--once] [--account NAME]",
    about: "runs the rules by their timetable, until it is asked to end",
    more: [
      "One line per cycle on stderr; with --json one line of JSON on stdout. Changed rule files are taken up by the next cycle; a file with an error leaves the rules of before in force. Other commands go through the running program, so that one process has the store.",
      "SIGTERM, Ctrl-C or a terminal that is closed (SIGHUP, also under nohup) ends it within 30 seconds: a request in the air is answered, none follows. A second SIGTERM or Ctrl-C ends it at once. docs/operations/running.md tells how to run it for months."
    ],
    examples: {
      "bidhelm run": "all accounts of the configuration",
      "bidhelm run --once": "what is due now, then ends",
      "bidhelm run --json": "for log collectors"
    }
  },
  status: {
    usage: "status",
    about: "what the running bidhelm run does: accounts, next due times, what is stopped and why",
    more: ["Ends with 1 when none is running here."],
    examples: {
      "bidhelm status": "one or two lines per account"
    }
  },
  economics: {
    usage: "economics [template [--out FILE.xlsx|FILE.csv]]",
    about: "what your items cost and earn: what is known, what is missing, and the thinnest margins",
    more: [
      "Alone: how much of the economics table (rules/_shared/economics.csv or .xlsx) is filled in for the items of the account, what is missing and for which, and the items that earn least. It reads stocks, orders, campaigns and their statistics, and writes nothing.",
      "template writes a table with every item of the account, the columns by their names, and what your table says today filled in. A cell that is left empty is unknown, never zero; the row * holds for every item that does not say otherwise."
    ],
    examples: {
      "bidhelm economics": "what is known and what is missing",
      "bidhelm economics template --out rules/_shared/economics.xlsx":
        "a table to fill in, for a spreadsheet",
      "bidhelm economics --json": "for a program"
    }
  },
  promos: {
    usage: "promos [preview [ID] | status [ID] | exit-sheet ID [--out FILE.xlsx|FILE.csv]]",
    about: "promotions: the calendar, what of yours is in, and the prices to restore afterwards",
    more: [
      "Alone: promotions of the next 45 days, with days left, type, and the boost now and next. It asks for the list and the details, a hundred promotions a call; all calls of the calendar share one limit, which is one an hour for a Base token. Items of automatic promotions cannot be read.",
      "preview shows of each promotion that can be joined the boost now and next, and the items that may join, the smallest fall of the price first: price, plan price, what is known of their earnings, and what is missing to compute it. Two more calls for each promotion: with a Base token name one.",
      "status holds what bidhelm filed against the promotions' own lists: what is in, what is not in yet and since when, what did not enter though the promotion has begun, and what is in that bidhelm did not put there. One more call for each promotion that has items of yours. Ends with 4 when something filed is not in a promotion that has begun.",
      "exit-sheet lists every item that is in a promotion, or that bidhelm filed, with its price and discount before it joined: what a person sets again when the promotion is over. With --out a workbook, or CSV with semicolons and decimal commas, as spreadsheet programs in Russia open it."
    ],
    examples: {
      "bidhelm promos": "what is ahead, by its start",
      "bidhelm promos preview 1005": "what may join, at what price",
      "bidhelm promos status": "what was filed, what is in, what did not enter",
      "bidhelm promos exit-sheet 1005 --out prices.xlsx": "the prices before, for a spreadsheet",
      "bidhelm promos status --json": "for a program",
      "bidhelm plan --lane promotions": "which items the rules would enrol"
    }
  },
  ...Assembling.commands,
  approvals: {
    usage: "approvals [ID]",
    about: "changes of rules in mode approve that wait for a person",
    more: ["With an ID: exactly the changes of that request, why each waits, and the conditions behind it."],
    examples: {
      "bidhelm approvals": "what waits, and until when",
      "bidhelm approvals ID": "the preview of one request"
    }
  },
  approve: {
    usage: "approve ID [--only CHANGES] [--why TEXT]",
    about: "makes exactly the changes of a request",
    more: [
      "The plan of the request is held against today's rules, limits and holds first; a change that they do not allow any more is refused, one whose value moved is left alone. A request can be approved for 24 hours."
    ],
    examples: {
      "bidhelm approve ID": "all of it",
      "bidhelm approve ID --only 1a2b3c4d,5e6f7a8b --why 'asked the buyer'": "two of its changes"
    }
  },
  reject: {
    usage: "reject ID [--why TEXT]",
    about: "says no to a request; the same is not asked again for a day",
    more: [],
    examples: {
      "bidhelm reject ID --why 'sale is over'": "nothing of it is made"
    }
  },
  hold: {
    usage: "hold [--policy ID] [--target TARGET] [--for 3d] [--why TEXT]",
    about: "the rules leave an account, a policy or a target alone",
    more: [
      "Changes are planned and shown, not made. Looked at again before every request, so a run that is under way stops too.",
      "TARGET is CAMPAIGN, CAMPAIGN/ITEM, CAMPAIGN/ITEM/CLUSTER, item/ITEM, order/ORDER, supply/SUPPLY, promotion/PROMOTION or promotion/PROMOTION/ITEM; everything below it is held."
    ],
    examples: {
      "bidhelm hold --target 777 --for 3d --why 'photo shoot'": "a campaign, for three days",
      "bidhelm hold --policy 01-raise-to-reach-max": "a policy, until resume",
      "bidhelm hold": "the whole account"
    }
  },
  kill: {
    usage: "kill [--why TEXT]",
    about: "nothing more is sent for the account, within one request",
    more: ["Holds for every process that uses this store, undo included, until bidhelm resume --kill."],
    examples: {
      "bidhelm kill --why 'bids look wrong'": "stops everything"
    }
  },
  resume: {
    usage: "resume [--policy ID] [--target TARGET] [--kill]",
    about: "lifts a hold, the kill switch, or what a person's edit or missed forecasts hold",
    more: [],
    examples: {
      "bidhelm resume --policy 01-raise-to-reach-max": "lets a policy act again",
      "bidhelm resume --target 777": "also gives back what somebody changed there",
      "bidhelm resume --kill": "lifts the kill switch"
    }
  },
  holds: {
    usage: "holds [--all]",
    about: "everything that is left alone now: since when, until when, by whom, why",
    more: [
      "Values that somebody else set are counted by campaign, reason and last day; --all and --json show each."
    ],
    examples: {
      "bidhelm holds": "holds, and values that somebody else set",
      "bidhelm holds --all": "a line for each of these values"
    }
  },
  account: {
    usage: "account rebind NAME [--leave-overlays] | account retry NAME | account deposits NAME [--allow]",
    about:
      "binds an account to its present token's seller, asks again what the marketplace refused, or allows deposits on a store's first day",
    more: [
      "An account belongs to the seller of its first token: the token of another one, and a second account of one seller, are refused. A new token of the same seller needs nothing.",
      "After 402 or 403 an operation is not asked again with the same token: a write for a day, a read for a quarter of an hour at first and a day at most; retry ends that at once. bidhelm doctor shows both. Sends nothing.",
      "A store that does not know an account for a day yet (a new one, one that was restored or reconciled, one whose serial file was gone) cannot tell what was deposited today: the rules make no deposit until a day is over, or a person has looked and allows them."
    ],
    examples: {
      "bidhelm account rebind main": "main belongs to the seller of its token from now on",
      "bidhelm account retry main": "after a missing service was ordered or paid",
      "bidhelm account deposits main": "top-ups and charges of two days, and what this store deposited",
      "bidhelm account deposits main --allow": "the same, and the rules may deposit from now on"
    }
  },
  explain: {
    usage: "explain TARGET",
    about: "why each rule did, or did not, act on a target",
    more: [
      "TARGET is CAMPAIGN, CAMPAIGN/ITEM, CAMPAIGN/ITEM/CLUSTER, item/ITEM or account.",
      "Shows each condition with its value and its source, how a new value came about and when it may move next, or the values with which the rule would act."
    ],
    examples: {
      "bidhelm explain 777": "a campaign",
      "bidhelm explain '777/1001/женские кеды'": "one search cluster of one item",
      "bidhelm explain item/1001": "an item wherever it is advertised"
    }
  },
  forecast: {
    usage: "forecast POLICY [--budget CAMPAIGN] [--last 14d]",
    about: "what a rule with optimise expected of each day, and what came",
    more: [
      "Every run keeps what the rule expects of the day: spend and orders of each budget, with the range in which nine of ten days should lie. The next runs hold it against the statistics that they read anyway; what was only shown counts with the bids as they stood. A day is not judged when bids were changed beside the rule, by hand or by another one, when a rule stopped the campaign for more than half an hour, or while its statistics may still come.",
      "Where too many days lie outside for chance, the rule goes on planning for that budget and sends nothing; three days inside in a row, or bidhelm resume, end that. Makes no call."
    ],
    examples: {
      "bidhelm forecast 10-optimise": "the last two weeks of each budget",
      "bidhelm forecast 10-optimise --budget 1000001 --last 30d": "a month of one campaign",
      "bidhelm forecast 10-optimise --json": "for tables and monitoring"
    }
  },
  history: {
    usage:
      "history [RUN | --campaign ID --policy NAME --state STATE --day DAY] [--limit N] [--before PLACE] [--verify | --export FILE]",
    about: "runs and their changes, or the changes of a campaign, a policy, a state or a day",
    more: [
      "--campaign, --policy, --state and --day list changes instead of runs, of all runs and accounts, the latest first; several together list what fits all of them. A change is of the day on which its run began, in the time_zone of the configuration. Below a full page stands the command for the next one: --before RUN/CHANGE goes on behind that change, whatever became of it meanwhile, --before RUN behind that whole run.",
      "What bidhelm store purge has forgotten is gone here too; the last page says since when everything is kept.",
      "--verify walks the audit chain and holds the journal against it: rows that were edited, removed or inserted are named, and the command ends with 1.",
      "--export writes runs, changes and audit rows as lines of JSON with stable names. With a file it says on stdout how many, with --json for a program."
    ],
    examples: {
      "bidhelm history": "the latest runs",
      "bidhelm history --before RUN": "the runs before this one: the next page",
      "bidhelm history RUN": "every change of a run and what became of it",
      "bidhelm history --campaign 777": "what was ever changed in a campaign",
      "bidhelm history --policy 01-raise-to-reach-max --day 2026-09-01": "what a rule did on a day",
      "bidhelm history --state parked": "deposits that wait for a person",
      "bidhelm history --verify": "was anything changed behind the journal?",
      "bidhelm history --export history.ndjson": "for other programs"
    }
  },
  undo: {
    usage: "undo RUN|CHANGE [--yes] [--dry-run] [--only policy=ID] [--out FILE]",
    about: "takes a run or a change back: shows what it would do and what stays, asks, applies",
    more: [
      "Only values that are still the ones we wrote are taken back; what somebody changed since is left alone and listed, like deposits, which nobody can take back. The undo is a run of its own and can be undone.",
      "The rules leave what a person took back alone for as long as human_edit_hold in _shared/limits.yaml says, three days unless it does; sooner with bidhelm resume --target. Ends with 4 when something stays."
    ],
    examples: {
      "bidhelm undo RUN --dry-run": "shows the way back from a run",
      "bidhelm undo RUN": "shows it, asks, takes it",
      "bidhelm undo RUN --only policy=01-raise-to-reach-max --yes": "one policy's changes, without asking",
      "bidhelm undo RUN --out undo.json": "keeps the plan for apply"
    }
  },
  resolve: {
    usage: "resolve RUN CHANGE --paid|--not-paid | resolve CALL --created ID|--not-created",
    about:
      "settles a deposit that nothing can prove, or something created that nobody finds: you say which it is",
    more: [
      "Only for deposits that bidhelm history shows as parked: they left, no answer came, and the money on both sides does not tell. Until you say it, such a deposit counts as paid and its campaign gets no other one. Sends nothing; your name goes into the journal.",
      "Or for a call that created something (call createCampaign, createSupply), got no answer, and cannot be found by its name: nothing else of that name is created until it is found or you say it."
    ],
    examples: {
      "bidhelm history RUN": "shows the change's id, and this command whole",
      "bidhelm resolve RUN CHANGE --not-paid": "the top-up is not among the campaign's money",
      "bidhelm resolve CALL --created 1001": "what the call should have made is there, under that id"
    }
  },
  backup: {
    usage: "backup FILE",
    about: "the whole store in one new file, with its checksum beside it",
    more: [
      "Others go on working meanwhile. Never replaces a file. The same file restores into SQLite and into PostgreSQL."
    ],
    examples: {
      "bidhelm backup backup.gz": "writes backup.gz and backup.gz.sha256"
    }
  },
  restore: {
    usage: "restore FILE",
    about: "a backup takes the place of the store, which is kept beside it",
    more: [
      "Refuses while a run uses the store, and a file that is not as it was written. Afterwards plan works and apply sends nothing until bidhelm reconcile."
    ],
    examples: {
      "bidhelm restore backup.gz": "then: bidhelm reconcile"
    }
  },
  reconcile: {
    usage: "reconcile [--accept-unread]",
    about: "after a restore: reads back what is open, compares, and lets apply send again",
    more: [
      "Sends nothing. Lists slots that show another value than the one applied last, and top-ups that the journal does not know. Policies that pay deposits are put on hold: what they paid meanwhile cannot be seen. For a day no rule makes a deposit, or until bidhelm account deposits NAME --allow."
    ],
    examples: {
      "bidhelm reconcile": "once for each account",
      "bidhelm reconcile --accept-unread": "although something is gone for good, such as a deleted campaign"
    }
  },
  store: {
    usage: "store purge [--dry-run]",
    about: "forgets what is older than keep: of the configuration says",
    more: [
      "Never forgets open changes, nor the latest applied change of a slot. The audit chain can still be verified."
    ],
    examples: {
      "bidhelm store purge --dry-run": "counts what would be forgotten",
      "bidhelm store purge": "forgets it"
    }
  },
  limits: {
    usage: "limits [--all] [--forecast [--assume SIZES]]",
    about: "state of every call limit of the account, and what the rules will ask of them",
    more: [
      "Without options: the limits used so far, whether the marketplace has frozen one and until when, and the daily quotas. Makes no call.",
      "--forecast tells for every rule the reading calls of one run, how long the limits make it take, and how often it may run with each kind of token while other tools keep a fifth of every limit. It lists the account's campaigns first; with --assume it needs neither token nor network. The number of clusters does not matter: one call brings all clusters of an item. A rule about promotions asks for the calendar and two lists for each promotion that its where: leaves, all from one limit, one an hour with a Base token: --promotions says how many these are. --survivors says how many percent of the rows pass the cheap conditions, 5 unless given."
    ],
    examples: {
      "bidhelm limits": "what is used, and what is frozen until when",
      "bidhelm limits --all --json": "for monitoring",
      "bidhelm limits --forecast": "which rules fit, and how often",
      "bidhelm limits --forecast --assume campaigns=100,items=10,clusters=50": "before there is an account"
    }
  },
  call: {
    usage: "call OPERATION [--params JSON] [--dry-run | --yes] [--all] [--out PLACE]",
    about: "one call of any of the 90 operations, through the same limits",
    more: [
      "Writes need --yes and are journaled; most are a plan of their changes, which --dry-run shows, history tells and undo takes back where there is a way back. What takes of a daily quota needs --yes or asks. --list shows all operations, --describe OPERATION all about one: parameters with bounds, answer, errors, limits, quirks.",
      "--all follows the pages of a list. --out says where files go: a file for a download, an empty folder for stickers and codes."
    ],
    examples: {
      "bidhelm call --list": "every operation",
      "bidhelm call --describe addOrdersToSupply": "all about one",
      "bidhelm call getCampaignBudget --params '{\"id\": 777}'": "what is left of a budget",
      "bidhelm call listOrders --all --json": "every page of the last 30 days",
      'bidhelm call getOrderStickers --params \'{"type": "png", "width": 58, "height": 40, "orders": [1]}\' --out labels':
        "pictures in the folder labels"
    }
  },
  sandbox: {
    usage:
      "sandbox [--port N] [--seed N] [--speed N] [--scale ...] [--market ...] [--strict] [--test-environment] [--buyers] [--print-token]",
    about: "the local marketplace with all 90 operations, over HTTP",
    more: ["Runs until interrupted. The clock runs --speed times faster than the wall clock."],
    examples: {
      "bidhelm sandbox --port 8090 --speed 60": "an hour passes in a minute",
      "bidhelm sandbox --scale campaigns=100,items=10,clusters=50": "a larger seller",
      "bidhelm sandbox --market hard,price=second":
        "rivals, statistics and buyers that are hard to know; docs/market.md",
      "bidhelm sandbox --strict": "ends with 1 at the first request beyond a limit",
      "export BIDHELM_TOKEN=$(bidhelm sandbox --print-token)": "its token, for the shell"
    }
  },
  doctor: {
    usage: "doctor",
    about: "checks Node, store, token, clock, hosts, currency and what run needs, and says what to mend",
    more: [
      "Changes nothing in the account and takes nothing of its call limits, but for one call each time while no applied plan tells the account's currency, or it was another than currency: that asks for it. Ends with 1 at a problem."
    ],
    examples: {
      "bidhelm doctor": "one line per check"
    }
  },
  lsp: {
    usage: "lsp [--stdio]",
    about: "language server for rule files: problems, completion, hover, fixes, rename",
    more: [
      "Started by an editor, not by hand: it speaks the Language Server Protocol on stdin and stdout. Needs no account and no network. docs/rules/editor.md tells how to set up VS Code, Neovim and Helix.",
      "The folder of rules is the configured one, or rules; a file elsewhere is checked together with its neighbours."
    ],
    examples: {
      "bidhelm lsp": "what the editor runs"
    }
  },
  schema: {
    usage: "schema [policy|limits|vars|templates|facts|fulfilment|tests|plan]",
    about: "prints the JSON Schema of rule files, of their tests or of plans, for editors",
    more: [],
    examples: {
      "bidhelm schema > .schema/policy.v1.json": "completion and hover in the editor"
    }
  }
} as const satisfies Record<string, CommandText>

export type CommandName = keyof typeof commands
