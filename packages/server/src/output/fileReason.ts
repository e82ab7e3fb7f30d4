/** Why a file that an operator names can be neither read nor written, for people: the runtime has `ENOENT`. */
import { FileTooLong } from "./readWithin.ts"

const reasons: Readonly<Record<string, string>> = {
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is a file, not a folder",
  EEXIST: "it is there already",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left",
  EDQUOT: "no space is left",
  ERR_FS_FILE_TOO_LARGE: "it is too large",
  ERR_STRING_TOO_LONG: "it is too large"
}

/** The runtime's short name of a fault; what else was thrown as a text. */
export const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : String(cause)

/** Whether there is nothing at the path. */
export const isNoFile = (cause: unknown): boolean => codeOf(cause) === "ENOENT"

/** The reason, with the runtime's name of it. */
export const fileReason = (cause: unknown): string => {
  if (cause instanceof FileTooLong) return cause.message
  const code = codeOf(cause)
  const reason = reasons[code]
  return reason === undefined ? code : `${reason} (${code})`
}

/** Why it is not read, with its path. */
export const notRead = (path: string, cause: unknown): string =>
  isNoFile(cause) ? `there is no file ${path}` : `${path} cannot be read: ${fileReason(cause)}`
