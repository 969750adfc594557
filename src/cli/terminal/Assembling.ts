/** What is said of the commands of whoever assembles orders; a part of the table of `Commands`. */

export const commands = {
  orders: {
    usage:
      "orders [--watch [--every DURATION]] | orders history ID | orders cancel ID... [--plan] | orders marks check FILE | orders marks import FILE [--came-back] [--plan]",
    about: "the board of orders and their deadlines, one order's way, cancelling, and sheets of marks",
    more: [
      "Alone: every order that waits for a supply or is in an open one, the nearest deadline first: the hand-over of its wave by the fulfilment policies, age, warehouse, cargo, supply, marks that are missing, why it is in no supply, and which are late or at risk. With --watch it is shown anew every 30 seconds, by --json as one line a look.",
      "history tells what happened to one order: labels printed, changes with their outcome, its status and marks at the marketplace, and its way abroad. cancel cancels orders for good; the marketplace is asked first which may be, and one that may not stops all.",
      "marks check looks at a sheet of marks, needs no account and sends nothing. The first row names the columns, in English or Russian: order, kind and value, or order and a column for each kind: sgtin, uin, imei, gtin, expiration, customs declaration. Several marking codes of one order stand in rows, columns or lines of a cell. Check digits, lengths and group separators are looked at, a Russian keyboard layout and digits that a spreadsheet lost are told, and no two orders may have one mark. What can only have been meant one way is taken so, and listed. Ends with 3 when something is wrong.",
      "marks import checks all rows so, and against the marks of orders that wait or are in open supplies and of those that were given one from here before and were handed over, before anything is sent; a mark of goods that came back goes on again with --came-back. Then it sets the marks of orders in assembly and reads them back. Marks of orders that wait for a supply are kept, and set by a later turn. Every row is told; it ends with 4 when one was not taken. Marks print masked.",
      "What writes shows its plan and asks; --yes answers, --plan only shows."
    ],
    examples: {
      "bidhelm orders": "the board",
      "bidhelm orders --watch --every 1m": "on a screen in the warehouse",
      "bidhelm orders history 4000000001": "what happened to one",
      "bidhelm orders cancel 4000000001 4000000002 --plan": "what would be sent",
      "bidhelm orders marks check marks.xlsx": "every problem at once, without an account",
      "bidhelm orders marks import marks.csv --yes": "sets and keeps marks",
      "bidhelm orders marks check marks.csv --json": "for a program; marks are masked there too"
    }
  },
  supplies: {
    usage:
      "supplies | supplies assemble [--plan] | supplies check SUPPLY | supplies deliver SUPPLY [--move-out NAME] [--taken-out] [--all-packed] | supplies move ORDER... --to SUPPLY | supplies pick-list SUPPLY | supplies packing-list SUPPLY",
    about: "supplies: which are open, made, checked, filled and handed over; and their lists",
    more: [
      "Alone: open supplies and those closed in the last three days, with orders, wave and state.",
      "assemble is a turn of the orders' lane now: orders whose time has come go into the supplies of their waves. Your yes stands for the approval; policies in mode preview only show.",
      "check reads everything that a hand-over may fail for and lists every reason with its remedy; ends with 4 when there is one. deliver hands over, for good, what check finds nothing against. With --move-out orders that cannot go are moved to another open supply, or a new one of that name; then the rest is checked anew and goes; one that was packed is moved only with --taken-out. A cancelled order, or one that left the supply after it was packed, stops it until you say with --taken-out that its goods are out of the parcel; so does a supply of which a packing table scanned some orders and left others, until you say with --all-packed that all is packed.",
      "move puts orders into an open supply, from another one or from none. Orders of another warehouse, cargo or border are told before anything is sent.",
      "pick-list shows what is to be fetched from where, with the numbers of the labels it is for, and totals by article. packing-list shows each order under its article, or the orders of one buyer's basket together. Both follow the stored order of the supply, as its labels do: it is made when the first list or label is asked for, by cell, article and size; orders that come later stand at its end, and one that leaves keeps its number. What was cancelled in the supply is left out of both, and said.",
      "Names, sizes, colours and cells come from rules/_shared/goods.csv (or .xlsx), a table with a column barcode, article or item and any of name, size, colour and cell; a name that is not there from the stock report. What nobody tells is left out and said. With --out a PDF on A4 with a box to tick in every row.",
      "What writes shows its plan and asks; --yes answers, --plan only shows."
    ],
    examples: {
      "bidhelm supplies": "what is open, and until when",
      "bidhelm supplies assemble --plan": "what would go into which supply",
      "bidhelm supplies assemble": "shows it, asks, does it",
      "bidhelm supplies check 1234567": "what stops the hand-over, and what to do",
      "bidhelm supplies deliver 1234567": "hands it over, once you agree",
      "bidhelm supplies deliver 1234567 --move-out tomorrow":
        "moves what cannot go to a supply called tomorrow, hands over the rest",
      "bidhelm supplies move 4000000001 --to 1234567": "takes an order along",
      "bidhelm supplies pick-list 1234567": "in the terminal, by cell",
      "bidhelm supplies pick-list PLATFORM-GI-1234567 --by article --out pick.pdf": "on paper",
      "bidhelm supplies packing-list 1234567 --by basket --out pack.pdf": "orders of one buyer together",
      "bidhelm supplies pick-list 1234567 --json": "for a program"
    }
  },
  reshipments: {
    usage: "reshipments",
    about: "orders that a closed supply left unscanned, and that must be shipped again",
    more: [
      "A turn of a fulfilment policy puts them into the supply of its next wave; bidhelm supplies move does it at once."
    ],
    examples: {
      "bidhelm reshipments": "which, and which supply left them"
    }
  },
  units: {
    usage: "units SUPPLY | units add SUPPLY N [--plan]",
    about: "shipping units of a supply to a pickup point",
    more: [
      "Alone: the units there are, and how many its orders allow: half of their number. add makes N more; what the marketplace would refuse is told before anything is sent.",
      "It shows its plan and asks; --yes answers, --plan only shows."
    ],
    examples: {
      "bidhelm units 1234567": "which there are, and how many there may be",
      "bidhelm units add 1234567 2": "two more, once you agree"
    }
  },
  passes: {
    usage: "passes | passes book [--policy ID] [--office N] [--plan]",
    about: "passes of cars: which admit until when, what the waves need, and booking one",
    more: [
      "Alone: passes that admit now, what the fulfilment policies still need for the hand-overs of the next days, hand-overs within six hours without one, and when the next can be made: one in ten minutes, each for 48 hours.",
      "book makes one, of a policy's driver, car and office, or of --first-name, --last-name, --car, --number and --office. Everything is checked first, since a refused try may block the next one.",
      "It shows its plan and asks; --yes answers, --plan only shows."
    ],
    examples: {
      "bidhelm passes": "what there is, and what is needed",
      "bidhelm passes book --policy 13-fulfilment": "the pass of a policy, once you agree",
      "bidhelm passes book --first-name Пётр --last-name Андреев --car ГАЗель --number А123ВС777 --office 15 --yes":
        "another car, without asking"
    }
  },
  labels: {
    usage:
      "labels print SUPPLY [--size 58x40|40x30] [--format pdf|zpl|zplh|svg|png] [--missing] [--order ID]",
    about: "the labels of a supply for the printer, in the order of its pick list",
    more: [
      "Each order has the marketplace's sticker, and in a PDF a page of ours behind it: article, name, size, colour, the last four digits large, its number of the supply, and its mark as a DataMatrix. --no-own-page leaves that page out, --separators puts a page between goods that differ. Of a supply that a policy made, size, order, separators and our page are as its labels: says, where no flag does. A PDF holds five hundred labels; more are further files.",
      "What came is held against what was asked: an order without a label is listed with its reason, an empty or torn file is never printed, and the command ends with 4. Track numbers of cross-border orders are waited for, for two minutes or what --wait says; --missing prints later what was not printed before.",
      "Changes nothing at the marketplace. The files hold whole marks: keep them as you keep the goods."
    ],
    examples: {
      "bidhelm labels print 1234567": "PLATFORM-GI-1234567-labels.pdf, 58 mm by 40 mm",
      "bidhelm labels print 1234567 --size 40x30 --separators --out labels.pdf": "small ones",
      "bidhelm labels print 1234567 --missing --wait 15m": "what was not there before",
      "bidhelm labels print 1234567 --order 4000000001": "one label again",
      "bidhelm labels print 1234567 --format zpl --out labels.zpl": "for a label printer"
    }
  },
  pack: {
    usage:
      'pack SUPPLY [--labels FOLDER | --print "COMMAND"] [--size 58x40|40x30] [--format pdf|zpl|zplh|png]',
    about: "scan to pack: goods, marks, label, order by order; what does not fit is loud",
    more: [
      "A scanner is a keyboard that ends with Enter. Scan goods: the next order of the stored list that wants them is shown, and its label printed, if you say where to. Then each mark that the order needs, then its label: packed. A label that was printed before may come first.",
      "Wrong goods, a mark of another order or of other goods, and a cancelled order stand between empty lines, red and with a bell in a terminal, and change nothing. Statuses are asked every minute.",
      "Marks are kept in the store and set at the marketplace meanwhile, several at once, as changes that history shows; what their checks came to is told when it comes, and an order whose mark is refused is packed once more. Marks are shown masked.",
      "Words may be typed, or scanned from a card: put back, left, finish. Ctrl-C and the end of the input keep what was done; the same command goes on. Reads lines from a pipe as well. Ends with 0 when the supply is packed, with 4 when something is left."
    ],
    examples: {
      "bidhelm pack 1234567": "with labels that were printed before",
      'bidhelm pack 1234567 --print "lp -d zebra" --format zpl': "a label for each order",
      "bidhelm pack 1234567 --labels labels": "the labels as files",
      "bidhelm pack 1234567 --json < scans.txt": "for a program: one line for each event"
    }
  }
}
