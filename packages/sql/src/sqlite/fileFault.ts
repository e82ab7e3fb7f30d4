/** Why a file or folder could not be made or looked for, for people. */

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left",
  EDQUOT: "no space is left",
  ENOENT: "this file system takes none"
}

/** The runtime's short name of a fault, such as `EACCES`; what else was thrown as a text. */
export const faultCode = (fault: unknown): string =>
  typeof fault === "object" && fault !== null && "code" in fault ? String(fault.code) : String(fault)

const reasonOf = (cause: unknown): string => {
  const code = faultCode(cause)
  const reason = reasons[code]
  return reason === undefined ? code : `${reason} (${code})`
}

/** The error to be told: `what` names the thing, as in `the folder /srv/sibyl`. */
export const notMade = (what: string, cause: unknown): Error => new Error(`cannot make ${what}: ${reasonOf(cause)}`, { cause })

/** The same where it is not known whether there is something at a path, as in a folder that may not be entered. */
export const notLookedFor = (path: string, cause: unknown): Error => new Error(`cannot look for ${path}: ${reasonOf(cause)}`, { cause })
