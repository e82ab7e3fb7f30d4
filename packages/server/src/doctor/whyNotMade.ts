/** Whether a database that is not there yet can be made, as far as it shows without making anything. */
import { accessSync, constants, statfsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { presentOf } from "./examineDisk.ts"

const reasons: Readonly<Record<string, string>> = { EROFS: "the file system is read-only" }

/** The types of `/proc` and `/sys`, where the superuser may write and can make nothing. */
const takesNothing: ReadonlySet<number> = new Set([0x9f_a0, 0x62_65_65_72])

/** Why this file and its folders cannot be made; `undefined` if nothing speaks against it. */
export const whyNotMade = (file: string): string | undefined => {
  const present = presentOf(dirname(file))
  if (!statSync(present).isDirectory()) return `${present} is a file, not a folder`
  if (takesNothing.has(statfsSync(present).type)) return `in ${present}: this file system takes no files`
  try {
    accessSync(present, constants.W_OK | constants.X_OK)
    return undefined
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
    return `in ${present}: ${reasons[code] ?? "permission denied"} (${code})`
  }
}
