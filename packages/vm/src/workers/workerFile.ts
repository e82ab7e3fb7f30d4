/** The locations of the workers' compiled code: `dist`, both for published packages and for tests that run from source. */
import { existsSync } from "node:fs"
import { createRequire } from "node:module"

const built = (name: string): string | undefined => {
  const path = createRequire(import.meta.url).resolve(`@sibyl/vm/${name}`)
  return existsSync(path) ? path : undefined
}

/** What a worker thread runs, undefined if the package has not been built. */
export const workerFile = (): string | undefined => built("worker")

/** What a worker process runs, undefined if the package has not been built. */
export const processWorkerFile = (): string | undefined => built("process-worker")
