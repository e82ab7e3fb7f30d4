// The test configuration: every package's tests, resolved to source, on Node, on Bun and, a few, on Deno.
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { LateReports } from "./test/lateReports.ts"
import { longest, runsOnBun, runsOnContainersNode, runsOnDeno, runsOnNode, testFiles } from "./test/runtimes.ts"

const { bun, deno } = process.versions
const onNode = process.env["SIBYL_TESTS"] === "containersNode" ? runsOnContainersNode : runsOnNode
const runsHere = deno !== undefined ? runsOnDeno : bun !== undefined ? runsOnBun : onNode

// As worker processes on Bun are told: the tests of one process have many memories, and otherwise collect garbage for each new one.
if (bun !== undefined) process.env["BUN_JSC_maxNumWasmFastMemories"] ??= "256"

/** A clean clone has no durations: the files that take longest come first by name, then the others by their recorded durations. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = longest.findIndex((path) => moduleId.endsWith(path))
      return place < 0 ? longest.length : place
    }
    return (await super.sort(files)).toSorted((one, two) => rank(one) - rank(two))
  }
}

/** Three times what the slowest tests have taken on a busy machine; a soak may take as long as requested. */
const limitMs = (process.env["SIBYL_SOAK"] ?? "") === "" ? 180_000 : 3_600_000

export default defineConfig({
  ssr: { resolve: { conditions: ["@sibyl/source", "node"] } },
  resolve: { conditions: ["@sibyl/source", "node"] },
  test: {
    include: testFiles().filter(runsHere),
    globalSetup: "./scripts/bundle.mjs",
    setupFiles: "./test/eventLoopTurn.ts",
    reporters: ["default", new LateReports()],
    sequence: { sequencer: LongestFirst },
    pool: "forks",
    // Modules are loaded once per process, not per file: no module has state that a test could leave behind.
    isolate: false,
    // Three on two processors, because many tests wait, and start processes of their own: with four, programs of a few milliseconds ran
    // into time limits of seconds. As few processes as many: the pool stumbles where it ends one because it is idle and all because they
    // are done.
    poolOptions: { forks: { minForks: 3, maxForks: 3 } },
    // The default of one second is short where other tests have the processors.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: limitMs,
    hookTimeout: limitMs
  }
})
