/**
 * How much one runner carries and how soon another takes over, with the built program as real processes on real
 * databases. `node dist/bench/scale.js` runs all parts; `accounts`, `takeover` and `queue` one:
 *
 *   accounts --accounts 100,300,1000 --every 10 --rounds 2
 *   takeover --times 5 --lock-seconds 35 --fault kill
 *   queue --messages 2000
 *
 * `--speed 30` lets the marketplace's time pass faster, to try the benchmark out; its figures mean nothing then.
 * Ends with 1 when a goal was missed. `/proc` is read, so it needs Linux.
 */
import { parseArgs } from "node:util"
import * as Accounts from "./Accounts.js"
import * as Queue from "./Queue.js"
import * as Spread from "./Spread.js"
import * as Takeover from "./Takeover.js"

/** An account counts as kept up with while 95 of 100 cycles begin within this, seconds; 30 of them are spread on purpose. */
const boundSeconds = 120

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    accounts: { type: "string", default: "100,300,1000" },
    every: { type: "string", default: "10" },
    rounds: { type: "string", default: "2" },
    times: { type: "string", default: "5" },
    "lock-seconds": { type: "string", default: "35" },
    fault: { type: "string" },
    speed: { type: "string", default: "1" },
    messages: { type: "string", default: "2000" }
  }
})

const speed = Number(values.speed)

const say = (line: string) => void process.stdout.write(`${line}\n`)

const goal = (isMet: boolean, words: string) => {
  say(`${isMet ? "ok  " : "MISS"} ${words}`)
  if (!isMet) process.exitCode = 1
}

const accounts = async () => {
  for (const count of values.accounts.split(",").map(Number)) {
    const load = { accounts: count, everyMinutes: Number(values.every), rounds: Number(values.rounds), speed }
    const measured = await Accounts.measure(load)
    for (const line of Accounts.text(load, measured)) say(line)
    const p95 = Spread.at(measured.beginMs, 0.95)
    say(`  p95 ${p95 <= boundSeconds * 1000 ? "within" : "beyond"} the bound of ${boundSeconds} s`)
    goal(
      measured.missed === 0 && measured.twice === 0,
      `${count} accounts: every due time has its cycle, nothing is written twice`
    )
  }
}

const takeover = async () => {
  const lockSeconds = Number(values["lock-seconds"])
  for (const fault of Takeover.faults.filter((one) => values.fault === undefined || one === values.fault)) {
    const { all, first } = await Takeover.measure({
      fault,
      lockSeconds,
      speed,
      times: Number(values.times)
    })
    say(`after ${fault}, lock_seconds ${lockSeconds}: first account ${Spread.range(first)}`)
    say(`  the last of its accounts: ${Spread.range(all)}`)
    // Signs of life are looked for every third of the time; then assignments, and the poll.
    const limit = lockSeconds * 1.4 + 15
    goal(Math.max(...all) <= limit * 1000, `after ${fault}: all accounts elsewhere within ${limit} s`)
  }
}

const queue = async () => {
  for (const database of Queue.databases) {
    const { cpuMs, handled, perSecond, storedPerSecond } = await Queue.measure(
      database,
      Number(values.messages)
    )
    say(
      `${database}: ${handled} messages, ${storedPerSecond.toFixed(0)} a second stored, ${perSecond.toFixed(0)} a second stored and handled; ${cpuMs.toFixed(2)} ms of processor each`
    )
    goal(handled === Number(values.messages), `${database}: every message handled once`)
  }
}

const parts = { accounts, takeover, queue }
const wanted = positionals.length === 0 ? Object.keys(parts) : positionals
for (const [name, part] of Object.entries(parts)) if (wanted.includes(name)) await part()
