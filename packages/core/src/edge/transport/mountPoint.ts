/** Where a service hangs below a server's root, for adapters whose runtime does not strip the prefix itself. */

/** A place below a server's root. */
export interface MountPoint {
  /** `/oracle`; nothing, or an empty text, is the root. */
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
