// The one test configuration: every package's tests, resolved to source, on Node and on Bun alike.
import { configDefaults, defineConfig } from "vitest/config"

/** Tests of what only computes: they touch nothing in which Bun differs from Node, and run on Node alone. */
const onNodeAlone = [
  "packages/core/src/contract/**",
  "packages/core/src/domain/**",
  "packages/testing/src/{clock,conformance,feeds,soak}/**",
  "test/**"
]

export default defineConfig({
  ssr: { resolve: { conditions: ["@sibyl/source", "node"] } },
  resolve: { conditions: ["@sibyl/source", "node"] },
  test: {
    include: ["packages/*/src/**/*.test.ts", "examples/**/*.test.ts", "test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(process.versions["bun"] === undefined ? [] : onNodeAlone)],
    pool: "forks",
    // Modules are loaded once for each of two processes, not for each file: no module keeps state that a test could leave behind.
    isolate: false,
    poolOptions: { forks: { minForks: 1, maxForks: 2 } },
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
