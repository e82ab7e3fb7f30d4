/** The user of worker processes where the server is root: nobody, if that one can read the code. */
import { readFileSync, statSync } from "node:fs"
import { dirname } from "node:path"

/** A user and a group. */
export interface Ids {
  readonly uid: number
  readonly gid: number
}

/** Nobody, and no group: on Linux these own nothing. */
const nobody: Ids = { uid: 65_534, gid: 65_534 }

/** Linux capabilities that it takes: to end processes of others, and to change group and user. */
const neededCapabilities = [5n, 6n, 7n]

/** Whether a process with this `/proc/self/status` has all of them. */
export const mayChangeUser = (status: string): boolean => {
  const [, hex] = /^CapEff:\s*([0-9a-f]+)$/m.exec(status) ?? []
  return hex !== undefined && neededCapabilities.every((bit) => ((BigInt(`0x${hex}`) >> bit) & 1n) === 1n)
}

/** Whether an id is one of the user namespace whose `/proc/self/uid_map` or `gid_map` this is: containers without root may have only one. */
export const isMapped = (map: string, id: number): boolean =>
  map
    .trim()
    .split("\n")
    .some((line) => {
      const [first = Number.NaN, , count = Number.NaN] = line.trim().split(/\s+/).map(Number)
      return id >= first && id < first + count
    })

/** Whether this process may become nobody. */
const mayBecomeNobody = (): boolean => {
  const own = (name: string): string => readFileSync(`/proc/self/${name}`, "utf8")
  return mayChangeUser(own("status")) && isMapped(own("uid_map"), nobody.uid) && isMapped(own("gid_map"), nobody.gid)
}

const readableByOthers = 0o004
const passableByOthers = 0o001

const isOpenTo = (path: string, others: number): boolean => {
  const { mode } = statSync(path)
  if ((mode & others) !== others) return false
  const folder = dirname(path)
  return folder === path || isOpenTo(folder, passableByOthers)
}

/** Nobody, if this process is root and may become somebody else, who could start this command and read its file; otherwise undefined. */
export const unprivilegedIds = (command: string, file: string): Ids | undefined => {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return undefined
  try {
    const isOpen = isOpenTo(command, readableByOthers | passableByOthers) && isOpenTo(file, readableByOthers)
    return isOpen && mayBecomeNobody() ? nobody : undefined
  } catch {
    return undefined
  }
}
