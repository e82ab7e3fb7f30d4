/** Looks up what is at a path. */
import { type Stats, statSync } from "node:fs"

/** `undefined` if there is nothing, also if a parent is not a folder. */
export const foundAt = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOTDIR") return undefined
    throw cause
  }
}
