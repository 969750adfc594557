/** `npm run test:deep`: the suite with every case, every planted bug, and every command as a process of its own. */
import { defineConfig, mergeConfig } from "vitest/config"
import usual from "./vitest.config.js"

export default mergeConfig(
  usual,
  defineConfig({
    test: {
      env: { BIDHELM_TEST_DEEP: "1", BIDHELM_TEST_PROCESSES: "1" },
      testTimeout: 240_000,
      hookTimeout: 240_000
    }
  })
)
