/** What is at a path. */
import { type Stats, statSync } from "node:fs"

/** `undefined` when nothing is, also where something above it is no folder. */
export const foundAt = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOTDIR") return undefined
    throw cause
  }
}
