import { configDefaults, defineConfig } from "vitest/config"

/** These choose a database for all modules of their process. */
const alone = ["test/store/**/*.test.ts"]
// Slow by nature: `npm run test:faults`.
const slow = ["test/faults/**", "test/**/*.processes.test.ts"]

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    poolOptions: { forks: { maxForks: 2 } },
    projects: [
      {
        extends: true,
        test: {
          name: "together",
          include: ["test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...slow, ...alone],
          // Files share the modules of their process: loading them anew for each one took half of the time.
          isolate: false
        }
      },
      {
        extends: true,
        test: { name: "alone", include: alone, exclude: [...configDefaults.exclude, ...slow] }
      }
    ]
  }
})
