import { configDefaults, defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [
      ...configDefaults.exclude,
      // Slow by nature: `npm run test:faults`.
      "test/faults/**",
      "test/**/*.processes.test.ts",
      // Has a process of its own: `vitest.postgres.config.ts`.
      "test/store/OnPostgres.test.ts"
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    // The files of a worker share their modules: loading them anew for each file takes longer than most files' tests.
    poolOptions: { forks: { maxForks: 2, isolate: false } }
  }
})
