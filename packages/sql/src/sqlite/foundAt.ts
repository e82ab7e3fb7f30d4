/** Looks up what is at a path. */
import { type Stats, statSync } from "node:fs"
import { faultCode, notLookedFor } from "./fileFault.ts"

/** `undefined` if there is nothing, also if a parent is not a folder. Throws an `Error` with a message for operators where one may not look. */
export const foundAt = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (cause) {
    if (faultCode(cause) === "ENOTDIR") return undefined
    throw notLookedFor(path, cause)
  }
}
