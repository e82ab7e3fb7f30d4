/** Why a file that was named on the command line can be neither read nor written, for people: the runtime has `ENOENT`. */

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is a file, not a folder",
  EEXIST: "it is a file, not a folder",
  EACCES: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left"
}

/** The reason, and what else was thrown by its own words. */
export const fileReason = (cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  return reasons[code] ?? (cause instanceof Error ? cause.message : String(cause))
}
