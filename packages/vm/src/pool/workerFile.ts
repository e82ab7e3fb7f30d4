/** The location of the worker's compiled code: `dist`, both for published packages and for tests that run from source. */
import { existsSync } from "node:fs"
import { createRequire } from "node:module"

/** The path of the worker file, undefined if the package has not been built. */
export const workerFile = (): string | undefined => {
  const path = createRequire(import.meta.url).resolve("@sibyl/vm/worker")
  return existsSync(path) ? path : undefined
}
