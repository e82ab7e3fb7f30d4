/** Gives a finished file its name, atomically and without replacing another file. */
import { linkSync, renameSync } from "node:fs"
import { faultCode } from "./whyNotMade.ts"

const withoutLinks: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"])

/** Tells whether the name was free. Where the file system has no links, another file of the name is replaced. */
export const putInPlace = (draft: string, filename: string): boolean => {
  try {
    linkSync(draft, filename)
    return true
  } catch (cause) {
    const code = faultCode(cause)
    if (code === "EEXIST") return false
    if (!withoutLinks.has(code)) throw cause
    renameSync(draft, filename)
    return true
  }
}
