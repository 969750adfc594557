/**
 * Tests that need a process of their own, since they choose something for all its modules: the tests of the store once more, on
 * PostgreSQL, and kinds of change that only tests know: one comes with a second copy of the program.
 */
import { defineConfig } from "vitest/config"
import { nodeFlags } from "./test/NodeFlags.js"

export default defineConfig({
  test: {
    include: ["test/store/**/OnPostgres.test.ts", "test/kinds/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    // By itself it takes one core less than there are; these tests wait for their server.
    poolOptions: { forks: { maxForks: 3, execArgv: nodeFlags } }
  }
})
