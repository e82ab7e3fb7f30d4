// The one test configuration: every package's tests, resolved to source, on Node and on Bun alike.
import { configDefaults, defineConfig } from "vitest/config"

/** Tests that touch nothing in which Bun differs from Node, and run on Node alone: what only computes, unless something else is said. */
const onNodeAlone = [
  "packages/core/src/contract/**",
  "packages/core/src/domain/**",
  "packages/testing/src/{clock,conformance,feeds,soak}/**",
  "test/**",
  // Programs and guest SDK in a bare engine; `machineAgrees` and others have the programs in our machine, on both runtimes.
  "packages/devkit/src/programs/{cryptoPrice,equitySession,metalsIndex,mutatedAnswers,sdk,sdkHost}.test.ts",
  "packages/server/src/commandLine/{commandHelp,documentedCommands}.test.ts",
  "packages/server/src/crash/judgeBooks.test.ts",
  "packages/server/src/input/**",
  // Each of these starts servers on Node and on Bun itself.
  "packages/server/src/serve/{serve,listen/*}.test.ts",
  // The contract runs in a machine of Ethereum's.
  "examples/evm-verifier/**"
]

/** A soak takes as long as was asked for. */
const limitMs = (process.env["SIBYL_SOAK"] ?? "") === "" ? 60_000 : 3_600_000

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
    testTimeout: limitMs,
    hookTimeout: limitMs
  }
})
