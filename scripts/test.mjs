/**
 * Runs the tests on Node and, beside them, on Bun: most of them wait as long as they compute, and one suite computes while the other waits.
 * What Node says is printed as it comes, what Bun says when both have ended.
 */
import { spawn } from "node:child_process"

/** Processes for the tests on Bun; with the three for those on Node they keep two processors busy. */
const bunForks = 2

const seconds = (sinceMs) => `${((performance.now() - sinceMs) / 1_000).toFixed(0)} s`

/** Runs one of package.json's scripts; resolves to whether it succeeded, how long it took, and what it said unless that was printed. */
const suite = (name, { args = [], shown }) =>
  new Promise((resolve) => {
    const startedMs = performance.now()
    const out = shown ? "inherit" : "pipe"
    const child = spawn("npm", ["run", "--silent", name, "--", ...args], { stdio: ["ignore", out, out] })
    const said = []
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => said.push(chunk))
    child.on("close", (code) => resolve({ name, passed: code === 0, took: seconds(startedMs), said: Buffer.concat(said) }))
  })

const forks = ["minForks", "maxForks"].map((bound) => `--poolOptions.forks.${bound}=${bunForks}`)
const ended = await Promise.all([suite("test:node", { shown: true }), suite("test:bun", { args: forks, shown: false })])
for (const { said } of ended) process.stdout.write(said)
for (const { name, passed, took } of ended) process.stdout.write(`${passed ? "passed" : "FAILED"}: ${name}, ${took}\n`)
if (ended.some(({ passed }) => !passed)) process.exitCode = 1
