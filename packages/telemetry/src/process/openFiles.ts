/** The open files of this process, which its connections are too. */
import { readdirSync, readFileSync, statSync } from "node:fs"

/** How many are open; absent where the system does not tell. */
export const openFiles = (): number | undefined => {
  try {
    // Since Linux 6.2 the size of the folder is their number, and to read it takes no descriptor, of which there may be none.
    return statSync("/proc/self/fd").size || readdirSync("/proc/self/fd").length
  } catch {
    return undefined
  }
}

/** The bound in the text of `/proc/self/limits`; absent if it has none. */
export const boundIn = (limits: string): number | undefined => {
  const digits = /^Max open files +(\d+)/m.exec(limits)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** How many may be open at once; absent where the system does not tell, or has no bound. Node and Bun raise it to the hard limit as they start. */
export const mostOpenFiles = (): number | undefined => {
  try {
    return boundIn(readFileSync("/proc/self/limits", "latin1"))
  } catch {
    return undefined
  }
}
