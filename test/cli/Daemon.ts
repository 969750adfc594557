/** A real `bidhelm run` of a test: what it says, and waiting for it. */
import type { ChildProcess } from "node:child_process"
import { until } from "../faults/Waiting.js"
import * as Shop from "./Shop.js"

/** A line of a cycle that ran to its end, whatever it found to do. */
export const ranCycle = /: (applied|nothing (to|applied)|only looked).* \[/

export class Daemon {
  said = ""
  readonly end: Promise<Shop.Ended>

  constructor(readonly child: ChildProcess) {
    this.end = Shop.ended(child)
    for (const stream of [child.stderr, child.stdout]) {
      stream?.on("data", (part: string) => {
        this.said += part
      })
    }
  }

  get isOver(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null
  }

  /** Waits for words of it; fails when it ends before. */
  until(pattern: RegExp): Promise<void> {
    return until(() => {
      if (pattern.test(this.said)) return true
      if (this.isOver) throw new Error(`it ended before it said ${pattern}: ${this.said}`)
      return false
    })
  }

  /** Asks it to end. */
  async stop(): Promise<Shop.Ended> {
    this.child.kill("SIGTERM")
    return this.end
  }
}

/** Runs a rule every five minutes in this mode. */
export const often = (shop: Shop.Shop, id: string, mode: string): void => {
  const path = `rules/${id}.yaml`
  const schedule = "schedule: {every: 5m, tz: Europe/Moscow}"
  shop.write(
    path,
    shop
      .read(path)
      .replace(/^schedule: .*$/m, schedule)
      .replace(/^mode: .*$/m, `mode: ${mode}`)
  )
}
