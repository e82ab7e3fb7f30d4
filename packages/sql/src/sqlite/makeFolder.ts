/** Makes a folder with everything above it, or says why not. */
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { foundAt } from "./foundAt.ts"
import { faultCode, notMade } from "./whyNotMade.ts"

const ownerOnly = 0o700

const isFolder = (path: string): boolean => {
  const found = foundAt(path)
  if (found !== undefined && !found.isDirectory()) throw new Error(`${path} is a file, not a folder`)
  return found !== undefined
}

/**
 * What is made can be entered by its owner only. Folder by folder, because the runtime's own way (`recursive`) tries for
 * ever where a file system has a place for a folder and takes none, such as `/proc`. Throws an `Error` for people.
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
