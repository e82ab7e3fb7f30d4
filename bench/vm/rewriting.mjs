/** A process that times the rewriter on a large module, warmed up, and prints the milliseconds per megabyte as JSON. */
import { readFileSync } from "node:fs"
import { meterProgram } from "../../packages/vm/dist/pass/prepare.js"

const [, , ...files] = process.argv
const bytes = files.map((file) => new Uint8Array(readFileSync(file)))
const size = bytes.reduce((total, { length }) => total + length, 0)
const metered = () => bytes.reduce((total, module) => total + meterProgram(module, "exec", 160).value.metered.length, 0)

const times = []
let written = 0
for (let round = -400; round < 400; round += 1) {
  const startedAt = performance.now()
  written = metered()
  if (round >= 0) times.push(performance.now() - startedAt)
}
const ms = Math.min(...times)
process.stdout.write(JSON.stringify({ msPerMb: (ms / size) * 1_000_000, growth: written / size }))
