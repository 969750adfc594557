/** The tests of the store once more, on PostgreSQL: the file chooses the database for all modules of its process. */
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/store/OnPostgres.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks"
  }
})
