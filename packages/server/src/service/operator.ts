/** Who runs this process, as the audit trail keeps it. */
import { userInfo } from "node:os"

/** The account of the operating system, at most 255 characters; its number if it has no name, as in a container. */
export const operator = (): string => {
  try {
    return userInfo().username.slice(0, 255)
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`
  }
}
