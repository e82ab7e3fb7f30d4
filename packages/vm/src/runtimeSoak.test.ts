/** Many runs of mixed programs leave nothing behind: memory, threads and handles stay as they were after the first of them. */
import { fileURLToPath } from "node:url"
import { soakCount } from "@sibyl/testing/soak"
import { expect, it } from "vitest"
import { runWatched } from "./testdata/watchedProcess.ts"

const runs = soakCount({ everyday: 3_000, full: 100_000 })

interface Sample {
  readonly rssMib: number
  readonly heapMib: number
  readonly threads: number
  readonly handles: number
}

interface Soaked {
  /** How many runs of each kind ended with each exit code. */
  readonly ends: Readonly<Record<string, number>>
  readonly seen: ReadonlyArray<Sample>
}

const least = (samples: ReadonlyArray<Sample>, part: keyof Sample): number => Math.min(...samples.map((sample) => sample[part]))

it(`keeps memory, threads and handles flat over ${runs} runs`, async () => {
  const script = fileURLToPath(new URL("testdata/soakedRuntime.mjs", import.meta.url))
  const { exitCode, output, peakMib } = await runWatched(script, [String(runs)], { maxMib: 1_024, maxMs: 60_000 + runs * 20 })
  expect(exitCode, output).toBe(0)
  const { ends, seen } = JSON.parse(output) as Soaked
  process.stdout.write(`${runs} runs, at most ${Math.round(peakMib)} MiB\n${seen.map((sample) => JSON.stringify(sample)).join("\n")}\n`)
  expect(Object.keys(ends).toSorted()).toEqual(["fetching 0", "growing 0", "invalid 1", "late 1", "plain 0", "short 1", "trapping 1"])
  // The first samples are warm-up: caches fill, and engines compile what is called often.
  const [early, late] = [seen.slice(1, 4), seen.slice(-3)]
  expect(least(late, "handles")).toBeLessThanOrEqual(least(early, "handles"))
  // Engines start and end threads that compile and collect: two more were seen. One thread left by each lost worker would be six.
  expect(least(late, "threads")).toBeLessThanOrEqual(least(early, "threads") + 3)
  expect(least(late, "heapMib")).toBeLessThanOrEqual(least(early, "heapMib") + 4)
  expect(least(late, "rssMib")).toBeLessThanOrEqual(least(early, "rssMib") * 1.15 + 16)
}, 3_600_000)
