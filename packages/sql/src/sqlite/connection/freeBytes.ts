/** What is free on the disk of a file. The thread that writes loads it: it needs nothing but Node. */
import { statfsSync } from "node:fs"

/** What a file system says about its space: blocks that a process without rights may still take, and their size. */
export interface Space {
  readonly bavail: number
  readonly bsize: number
}

/** The bytes of these blocks. */
export const freeBytesOf = ({ bavail, bsize }: Space): number => bavail * bsize

/** How many bytes are free now; NaN if the file system does not say. */
export const freeBytes = (filename: string): number => {
  try {
    return freeBytesOf(statfsSync(filename))
  } catch {
    return Number.NaN
  }
}
