/** Makes a folder with its parents, or reports why it cannot. */
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { foundAt } from "./foundAt.ts"
import { faultCode, notMade } from "./fileFault.ts"

const ownerOnly = 0o700

const isFolder = (path: string): boolean => {
  const found = foundAt(path)
  if (found !== undefined && !found.isDirectory()) throw new Error(`${path} is a file, not a folder`)
  return found !== undefined
}

/**
 * New folders are accessible to their owner only. They are made one by one, because the runtime's `recursive` retries forever where a file
 * system refuses new folders, such as `/proc`. Throws an `Error` with a message for operators.
 */
export const makeFolder = (folder: string): void => {
  const missing: Array<string> = []
  for (let path = folder; !isFolder(path) && dirname(path) !== path; path = dirname(path)) missing.unshift(path)
  for (const path of missing) {
    try {
      mkdirSync(path, { mode: ownerOnly })
    } catch (cause) {
      // Another process makes the same folder.
      if (faultCode(cause) !== "EEXIST") throw notMade(`the folder ${path}`, cause)
    }
  }
}
