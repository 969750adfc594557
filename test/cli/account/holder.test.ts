/** Names of lock holders: who is dead, and who only looks like it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { hostname } from "node:os"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Holder from "../../../src/cli/account/Holder.js"
import { Journal } from "../../../src/engine/door/Journal.js"
import * as Lease from "../../../src/engine/door/Lease.js"
import * as Scenario from "../../scenario/Scenario.js"

const [, place = "", begun = ""] = /\((\w*)-(\w*)\)$/.exec(Holder.name()) ?? []

it("names process and machine, for people", () => {
  expect(Holder.name()).toContain(`pid ${process.pid} on ${hostname()}`)
})

it("does not take a living process for a dead one", () => {
  expect(Holder.abandoned(Holder.name())).toBe(false)
  expect(Holder.abandoned(`${Holder.name()}, call-1`)).toBe(false)
})

it("lets two commands of one process never have an account's lock at once", () =>
  Scenario.run({}, ({ journal }) =>
    Effect.scoped(
      Effect.gen(function* () {
        const hold = () => Lease.hold({ account: "x", lane: "ads" }, Holder.once("settle"), Holder.abandoned)
        yield* hold()
        expect(yield* Effect.flip(hold())).toMatchObject({ _tag: "ApplyBusy" })
      })
    ).pipe(Effect.provideService(Journal, journal))
  ))

it("knows that a process of this machine has ended", async () => {
  const child = spawn(process.execPath, ["-e", ""])
  await once(child, "exit")
  expect(Holder.abandoned(`pid ${child.pid} on ${hostname()} (${place}-${begun})`)).toBe(true)
})

it("says nothing about processes elsewhere, even if the machine has the same name", () => {
  expect(Holder.abandoned("pid 999999 on another-desk (00000000-1)")).toBe(false)
  expect(Holder.abandoned(`pid 999999 on ${hostname()} (00000000-1)`)).toBe(false)
})

it.runIf(process.platform === "linux")("tells processes with one number apart by when they began", () => {
  // A container's program is always process 1: after a restart it is another one.
  expect(Holder.abandoned(`pid ${process.pid} on ${hostname()} (${place}-1)`)).toBe(true)
})
