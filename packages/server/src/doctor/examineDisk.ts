/** Examines the disk of the embedded database. */
import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { freeBytes, leastFreeBytes } from "@sibyl/sql"
import { type Finding, finding } from "./finding.ts"

const mebibyte = 1_048_576

/** Of a disk with so many bytes free, NaN where the file system does not say. */
export const diskFinding = (free: number): Finding => {
  const check = "disk"
  if (Number.isNaN(free)) return finding(check, "skipped", "the file system does not say what is free")
  return free < leastFreeBytes
    ? finding(
        check,
        "failed",
        `${free} bytes are free, of the ${leastFreeBytes} that a server wants: it is not ready, and with none it stores nothing`
      )
    : finding(check, "ok", `${Math.floor(free / mebibyte)} MiB are free`)
}

/** What is there of a path. A file or folder that is not there yet comes onto the disk of the folder that is. */
export const presentOf = (path: string): string => {
  const above = dirname(path)
  return above === path || existsSync(path) ? path : presentOf(above)
}

/** None for PostgreSQL, which has disks of its own. The file need not be there yet. */
export const diskFindings = (file: string | undefined): ReadonlyArray<Finding> =>
  file === undefined ? [] : [diskFinding(freeBytes(presentOf(file)))]
