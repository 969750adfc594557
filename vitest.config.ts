import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { configDefaults, defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { sharedFlags } from "./test/NodeFlags.js"

const bundle = fileURLToPath(new URL(`node_modules/.cache/test-${process.pid}`, import.meta.url))

/**
 * As many as there are cores: with one more, a worker that is kept busy for a minute does not hear its runner, which counts as an
 * error. All of them from the beginning to the end, for the first that had nothing left to do would end the run (tinypool).
 */
const forks = Math.max(2, availableParallelism())

/**
 * A fresh clone knows of no file how long it takes, and begins with the largest. What lives through days is short to write: the
 * longest of all would begin among the last, beside an idle core.
 */
class DaysFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const livesDays = ({ moduleId }: TestSpecification) => moduleId.includes("/test/simulation/")
    return [...sorted.filter(livesDays), ...sorted.filter((file) => !livesDays(file))]
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: DaysFirst },
    include: ["test/**/*.test.ts"],
    exclude: [
      ...configDefaults.exclude,
      // Slow by nature: `npm run test:faults`.
      "test/faults/**",
      "test/**/*.processes.test.ts",
      // Have processes of their own: `vitest.apart.config.ts`.
      "test/store/**/OnPostgres.test.ts",
      "test/kinds/**"
    ],
    // Where `test/cli/Bundle.ts` builds the program, when a test asks for a process of it.
    env: { BIDHELM_TEST_BUNDLE: bundle },
    globalSetup: ["test/RemoveBundle.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Else every word of a package in CommonJS goes through a proxy, `yaml` for each lexeme of a rule.
    deps: { interopDefault: false },
    pool: "forks",
    // The files of a worker share their modules: loading them anew for each file takes longer than most files' tests.
    poolOptions: { forks: { minForks: forks, maxForks: forks, isolate: false, execArgv: sharedFlags } }
  }
})
