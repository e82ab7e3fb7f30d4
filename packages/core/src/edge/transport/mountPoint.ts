/** The path prefix of a service, for adapters whose runtime does not strip it. */

/** Where a service is mounted. */
export interface MountPoint {
  /** For example `/oracle`; absent or empty for the root. */
  readonly prefix?: string | undefined
}

/** The part of a request target (path and query) below the mount point; `undefined` when the target is elsewhere. */
export const belowMountPoint = (target: string, { prefix = "" }: MountPoint): string | undefined => {
  const base = prefix.endsWith("/") ? prefix.slice(0, -1) : prefix
  if (!target.startsWith(base)) return undefined
  const rest = target.slice(base.length)
  if (rest === "" || rest.startsWith("?")) return `/${rest}`
  return rest.startsWith("/") ? rest : undefined
}
