/**
 * Two worker threads, each with its half of the rows, against one thread with all of them. The program itself does not
 * split evaluation: fetching the facts takes minutes, answering them a second. This only shows that it could.
 */
import { once } from "node:events"
import { availableParallelism } from "node:os"
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import * as Sift from "../../src/engine/facts/kernels/Sift.js"
import * as Load from "../../src/engine/language/Load.js"
import { median, type Verdict } from "./Figures.js"
import * as Rows from "./Rows.js"
import * as Rules from "./Rules.js"

const size = 1_000_000
const count = 50
const rounds = 25

export const isWorker = !isMainThread

interface Half {
  readonly part: number
  readonly of: number
}

/** Answers every message with how many rows matched. */
export const work = (): void => {
  const { of, part }: Half = workerData
  const ask = asking(part, of)
  parentPort?.on("message", () => parentPort?.postMessage(ask()))
  parentPort?.postMessage("ready")
}

const asking = (part: number, of: number): (() => number) => {
  const rows = Rows.slice(Rows.make(size, true), (size / of) * part, (size / of) * (part + 1))
  const table = Rows.table(rows)
  const { ruleSet } = Load.check(Rules.files(Rules.rules(count)))
  const asks = ruleSet!.policies.map((one) => [...one.where, ...one.rules[0]!.when])
  return () => Sift.all(asks, table).reduce((sum, { holds }) => sum + holds.length, 0)
}

/** `program` is the file that calls `work` in a worker. */
export const run = async (program: string): Promise<ReadonlyArray<Verdict>> => {
  const one = await team(program, 1)
  const two = await team(program, 2)
  const times: Readonly<Record<"alone" | "together", Array<number>>> = { alone: [], together: [] }
  for (let round = -3; round < rounds; round++) {
    const alone = await warm(one)
    const together = await warm(two)
    if (alone.matched !== together.matched) throw new Error("one worker and two disagree")
    if (round < 0) continue
    times.alone.push(alone.took)
    times.together.push(together.took)
  }
  await Promise.all([...one, ...two].map((worker) => worker.terminate()))
  const gain = median(times.alone) / median(times.together)
  const cores = availableParallelism()
  return [{ name: `two workers, ${cores} cores`, value: gain, goal: "≥ 1.4", holds: gain >= 1.4 }]
}

const team = (program: string, of: number): Promise<ReadonlyArray<Worker>> =>
  Promise.all(
    Array.from({ length: of }, async (_, part) => {
      const half: Half = { part, of }
      const worker = new Worker(program, { workerData: half })
      await message(worker)
      return worker
    })
  )

const message = async (worker: Worker): Promise<unknown> => (await once(worker, "message"))[0]

/** Asked twice, the second time counts: the others' turn has left nothing of theirs in the processor's caches. */
const warm = async (workers: ReadonlyArray<Worker>) => {
  await timed(workers)
  return timed(workers)
}

const timed = async (workers: ReadonlyArray<Worker>) => {
  const before = performance.now()
  const answers = workers.map(message)
  for (const worker of workers) worker.postMessage("go")
  const matched = (await Promise.all(answers)).reduce<number>((sum, one) => sum + Number(one), 0)
  return { took: performance.now() - before, matched }
}
