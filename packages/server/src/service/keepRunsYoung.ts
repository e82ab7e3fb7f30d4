/** Keeps finished runs out of the old generation of V8's heap, from which only full collections take them. */
import { setFlagsFromString } from "node:v8"
import { letRootsGo } from "./fiberRoots.ts"

/**
 * V8 allocates in the old generation at once what has often survived young collections when it came from the same place in the code. The
 * arrays of Effect's fibers come from one place each: those of services live as long as the process, and so those of runs were made old,
 * and kept from young collections whatever they had pointed to. Read when code is optimised, so that it may be set at any time.
 */
const flag = "--no-allocation-site-pretenuring"

/** For this process, as early as possible. The flag is set on Node only: Bun has another engine, and what Deno makes of it is not known. */
export const keepRunsYoung = (): void => {
  letRootsGo()
  if (process.versions["bun"] === undefined && process.versions["deno"] === undefined) setFlagsFromString(flag)
}
