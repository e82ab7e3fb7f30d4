/** The user that PostgreSQL runs as: it refuses to run as root. */
import { readFileSync } from "node:fs"

/** The options by which `spawn` starts a program as another user. */
export interface UserIds {
  readonly uid: number
  readonly gid: number
}

/** Users without other files, first the one that PostgreSQL's package creates. */
const candidates = ["postgres", "nobody"]

/** A line of the accounts file: name, password, user id, group id, and more (passwd(5)). */
const idsIn = (accounts: string, name: string): UserIds | undefined => {
  const [, , uid, gid] =
    accounts
      .split("\n")
      .find((line) => line.startsWith(`${name}:`))
      ?.split(":") ?? []
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

/** The user to run as; `undefined` if this process may run it itself. */
export const unprivilegedUser = (): UserIds | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const accounts = readFileSync("/etc/passwd", "utf8")
  return candidates.map((name) => idsIn(accounts, name)).find((ids) => ids !== undefined)
}
