/**
 * A day in the sandbox, over HTTP, by the built program alone: `bidhelm run` and a person's commands bring every deliverable
 * order into the wave it came in time for, also where they are killed every few seconds, and with two runners on PostgreSQL.
 */
import { afterAll, describe, expect, it } from "vitest"
import * as Judge from "../fulfilment/day/DayJudge.js"
import * as Script from "../fulfilment/day/DayScript.js"
import * as Postgres from "../store/Postgres.js"
import * as Stage from "./AssemblyStage.js"

afterAll(Postgres.end)

// `DAY_ORDERS=60 DAY_SPEED=24 DAY_LOG=day.log` for a smaller day, at a speed of one's own, that can be looked at meanwhile.
const orders = Number(process.env.DAY_ORDERS ?? 500)
const given = process.env.DAY_SPEED
const speed = given === undefined ? {} : { speed: Number(given) }

/** On a machine that is busy with other things a day takes twenty minutes. */
const longestMs = 2_400_000

const wentWell = (lived: Stage.Lived): void => {
  const log = lived.log.join("\n")
  const { commands, kills, speed: at } = lived
  console.log(`${at} times as fast, ${kills.runners} runners and ${kills.commands} commands killed`, commands)
  expect(Judge.problems(lived), log).toEqual([])
  expect([lived.open, lived.seen.cancelled.size], log).toEqual([[], Script.cancellations])
  expect(Judge.closedThemselves(lived).length, log).toBeGreaterThan(0)
}

describe("every deliverable order leaves in its wave, in one supply that somebody agreed to, and no limit is hit", () => {
  it(
    "by one program, left alone",
    async () => {
      wentWell(await Stage.live({ orders, ...speed }))
    },
    longestMs
  )

  it(
    "by a program that is killed every few seconds, and commands of which some are",
    async () => {
      const lived = await Stage.live({ orders, ...speed, kills: { lives: [4_000, 12_000], commands: 0.05 } })
      wentWell(lived)
      expect(lived.kills.runners).toBeGreaterThan(10)
    },
    longestMs
  )

  it(
    "by two runners on one database, each killed now and then",
    async () => {
      const store = await (await Postgres.shared()).fresh()
      const lived = await Stage.live({
        orders,
        ...speed,
        store,
        kills: { lives: [10_000, 30_000], commands: 0 }
      })
      wentWell(lived)
      expect(lived.kills.runners).toBeGreaterThan(4)
    },
    longestMs
  )
})
