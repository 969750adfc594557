/** Texts of the commands by which a person answers the rules or stops them; a part of `Commands.ts`. */

export const personCommands = {
  approvals: {
    name: "approvals",
    usage: "approvals [ID]",
    about: "changes of rules in mode approve that wait for a person",
    more: ["With an ID: exactly the changes of that request, why each waits, and the conditions behind it."],
    examples: [
      { run: "bidhelm approvals", does: "what waits, and until when" },
      { run: "bidhelm approvals ID", does: "the preview of one request" }
    ]
  },
  approve: {
    name: "approve",
    usage: "approve ID [--only CHANGES] [--why TEXT]",
    about: "makes exactly the changes of a request",
    more: [
      "The plan of the request is held against today's rules, limits and holds first; a change that they do not allow any more is refused, one whose value moved is left alone. A request can be approved for 24 hours."
    ],
    examples: [
      { run: "bidhelm approve ID", does: "all of it" },
      {
        run: "bidhelm approve ID --only 1a2b3c4d,5e6f7a8b --why 'asked the buyer'",
        does: "two of its changes"
      }
    ]
  },
  reject: {
    name: "reject",
    usage: "reject ID [--why TEXT]",
    about: "says no to a request; the same is not asked again for a day",
    more: [],
    examples: [{ run: "bidhelm reject ID --why 'sale is over'", does: "nothing of it is made" }]
  },
  hold: {
    name: "hold",
    usage: "hold [--policy ID] [--target TARGET] [--for 3d] [--why TEXT]",
    about: "the rules leave an account, a policy or a target alone",
    more: [
      "Changes are planned and shown, not made. Looked at again before every request, so a run that is under way stops too.",
      "TARGET is CAMPAIGN, CAMPAIGN/ITEM, CAMPAIGN/ITEM/CLUSTER or item/ITEM; everything below it is held."
    ],
    examples: [
      { run: "bidhelm hold --target 777 --for 3d --why 'photo shoot'", does: "a campaign, for three days" },
      { run: "bidhelm hold --policy 01-raise", does: "a policy, until resume" },
      { run: "bidhelm hold", does: "the whole account" }
    ]
  },
  kill: {
    name: "kill",
    usage: "kill [--why TEXT]",
    about: "nothing more is sent for the account, within one request",
    more: ["Holds for every process that uses this store, undo included, until bidhelm resume --kill."],
    examples: [{ run: "bidhelm kill --why 'bids look wrong'", does: "stops everything" }]
  },
  resume: {
    name: "resume",
    usage: "resume [--policy ID] [--target TARGET] [--kill]",
    about: "lifts a hold, the kill switch, or what a person's edit holds",
    more: [],
    examples: [
      { run: "bidhelm resume --policy 01-raise", does: "lets a policy act again" },
      { run: "bidhelm resume --target 777", does: "also gives back what somebody changed there" },
      { run: "bidhelm resume --kill", does: "lifts the kill switch" }
    ]
  },
  holds: {
    name: "holds",
    usage: "holds [--all]",
    about: "everything that is left alone now: since when, until when, by whom, why",
    more: [
      "Values that somebody else set are counted by campaign, reason and last day; --all and --json show each."
    ],
    examples: [
      { run: "bidhelm holds", does: "holds, and values that somebody else set" },
      { run: "bidhelm holds --all", does: "a line for each of these values" }
    ]
  },
  account: {
    name: "account",
    usage: "account rebind NAME [--leave-overlays] | account retry NAME | account deposits NAME [--allow]",
    about:
      "binds an account to its present token's seller, asks again what the marketplace refused, or allows deposits on a store's first day",
    more: [
      "An account belongs to the seller of its first token: the token of another one, and a second account of one seller, are refused. A new token of the same seller needs nothing.",
      "After 402 or 403 an operation is not asked again with the same token: a write for a day, a read for a quarter of an hour at first and a day at most; retry ends that at once. bidhelm doctor shows both. Sends nothing.",
      "A store that does not know an account for a day yet (a new one, one that was restored, one whose serial file was gone) cannot tell what was deposited today: the rules make no deposit until a day is over, or a person has looked and allows them."
    ],
    examples: [
      { run: "bidhelm account rebind main", does: "main belongs to the seller of its token from now on" },
      { run: "bidhelm account retry main", does: "after a missing service was ordered or paid" },
      {
        run: "bidhelm account deposits main",
        does: "top-ups and charges of two days, and what this store deposited"
      },
      {
        run: "bidhelm account deposits main --allow",
        does: "the same, and the rules may deposit from now on"
      }
    ]
  }
} as const
