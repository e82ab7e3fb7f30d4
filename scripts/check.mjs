/** Runs every check of the code, two at a time, and prints the result and duration of each. */
import { spawn } from "node:child_process"

/** The longest first. `api:check` and `lint` read the output of `build`. */
const checks = [
  { name: "build" },
  { name: "lint:effect" },
  { name: "types:tests" },
  { name: "api:check", after: "build" },
  { name: "lint", after: "build" },
  { name: "format:check" }
]

/** Runs one of package.json's scripts; returns whether it succeeded. Its output is printed as a whole when it has ended. */
const passes = (name) =>
  new Promise((resolve) => {
    const startedMs = performance.now()
    const child = spawn("npm", ["run", "--silent", name], { stdio: ["ignore", "pipe", "pipe"] })
    const said = []
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => said.push(chunk))
    child.on("close", (code) => {
      const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0)
      process.stdout.write(`${Buffer.concat(said)}${code === 0 ? "passed" : "FAILED"}: ${name}, ${seconds} s\n`)
      resolve(code === 0)
    })
  })

const begun = new Map()

/** Starts a check once the one that it depends on has succeeded. */
const begin = ({ after, name }) => {
  const result = (begun.get(after) ?? Promise.resolve(true)).then((isReady) => isReady && passes(name))
  begun.set(name, result)
  return result
}

const waiting = [...checks]
const takeTurns = async () => {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await begin(next)
}
await Promise.all([takeTurns(), takeTurns()])
const results = await Promise.all(begun.values())
if (results.includes(false)) process.exitCode = 1
