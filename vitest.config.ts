import { configDefaults, defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Slow by nature: `npm run test:faults`.
    exclude: [...configDefaults.exclude, "test/faults/**", "test/**/*.processes.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    poolOptions: { forks: { maxForks: 2 } }
  }
})
