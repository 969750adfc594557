/** Tests that kill processes and break machines under them: `npm run test:faults`, one file after another. */
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const bundle = fileURLToPath(new URL(`node_modules/.cache/faults-${process.pid}`, import.meta.url))

export default defineConfig({
  test: {
    include: ["test/faults/**/*.test.ts", "test/**/*.processes.test.ts"],
    // The program is bundled once, for all files (`test/cli/Shop.ts`).
    globalSetup: ["test/faults/Build.ts"],
    // Here every command is a process of its own.
    env: { BIDHELM_TEST_BUNDLE: bundle, BIDHELM_TEST_PROCESSES: "1" },
    // Ceilings for a machine that is busy with other things, not what a test takes.
    testTimeout: 600_000,
    hookTimeout: 300_000,
    pool: "forks",
    fileParallelism: false,
    // Most of a fault test is waiting for a process or for the sandbox's clock, so that more than there are cores may wait at once.
    maxConcurrency: 3
  }
})
