// The one test configuration: every package's tests, resolved to source, on Node and on Bun alike.
import { defineConfig } from "vitest/config"

export default defineConfig({
  ssr: { resolve: { conditions: ["@sibyl/source", "node"] } },
  resolve: { conditions: ["@sibyl/source", "node"] },
  test: {
    include: ["packages/*/src/**/*.test.ts", "examples/**/*.test.ts", "test/**/*.test.ts"],
    pool: "forks",
    poolOptions: { forks: { minForks: 1, maxForks: 2 } },
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
