/** The test configuration in which one guard is taken out: that of the mutant which SIBYL_MUTANT names. */
import { fileURLToPath } from "node:url"
import { mutated } from "./bundleSimulation.mjs"
import { mutants } from "./mutantList.mjs"

const root = fileURLToPath(new URL("../..", import.meta.url))
const mutant = mutants.find(({ id }) => id === process.env["SIBYL_MUTANT"])
if (mutant === undefined) throw new Error("SIBYL_MUTANT names no mutant")

const takenOut = {
  name: "taken-out",
  enforce: "pre",
  transform: (code, id) => (id.split("?")[0] === root + mutant.file ? mutated(code, mutant) : undefined)
}

// oxlint-disable-next-line import/no-default-export -- the test runner wants one
export default {
  root,
  plugins: [takenOut],
  ssr: { resolve: { conditions: ["@sibyl/source", "node"] } },
  resolve: { conditions: ["@sibyl/source", "node"] },
  test: { include: ["packages/*/src/**/*.test.ts"], pool: "forks", testTimeout: 60_000, hookTimeout: 60_000, watch: false }
}
