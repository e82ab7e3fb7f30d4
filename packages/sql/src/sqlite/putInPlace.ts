/** Gives a complete file its name, atomically and without replacing another file. */
import { linkSync, renameSync } from "node:fs"
import { faultCode } from "./fileFault.ts"

const withoutLinks: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"])

/** Returns whether the name was free. If the file system has no links, an existing file is replaced. */
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
