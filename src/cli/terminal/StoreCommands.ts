/** Texts of the commands that look after the store; a part of `Commands.ts`. */

export const storeCommands = {
  backup: {
    name: "backup",
    usage: "backup FILE",
    about: "the whole store in one new file, with its checksum beside it",
    more: [
      "Others go on working meanwhile. Never replaces a file. The same file restores into SQLite and into PostgreSQL."
    ],
    examples: [{ run: "bidhelm backup backup.gz", does: "writes backup.gz and backup.gz.sha256" }]
  },
  restore: {
    name: "restore",
    usage: "restore FILE",
    about: "a backup takes the place of the store, which is kept beside it",
    more: [
      "Refuses while a run uses the store, and a file that is not as it was written. Afterwards plan works and apply sends nothing until bidhelm reconcile."
    ],
    examples: [{ run: "bidhelm restore backup.gz", does: "then: bidhelm reconcile" }]
  },
  reconcile: {
    name: "reconcile",
    usage: "reconcile [--accept-unread]",
    about: "after a restore: reads back what is open, compares, and lets apply send again",
    more: [
      "Sends nothing. Lists slots that show another value than the one applied last, and top-ups that the journal does not know. Policies that pay deposits are put on hold: what they paid meanwhile cannot be seen."
    ],
    examples: [
      { run: "bidhelm reconcile", does: "once for each account" },
      {
        run: "bidhelm reconcile --accept-unread",
        does: "although something is gone for good, such as a deleted campaign"
      }
    ]
  },
  store: {
    name: "store",
    usage: "store purge [--dry-run]",
    about: "forgets what is older than keep: of the configuration says",
    more: [
      "Never forgets open changes, nor the latest applied change of a slot. The audit chain can still be verified."
    ],
    examples: [
      { run: "bidhelm store purge --dry-run", does: "counts what would be forgotten" },
      { run: "bidhelm store purge", does: "forgets it" }
    ]
  }
} as const
