/** The path prefix of a service, for adapters whose runtime does not strip it. */
import { checkNames } from "../../domain/settings/checkNames.ts"
import { InvalidOption } from "../../domain/settings/invalidOption.ts"
import { checkedService } from "./checkedService.ts"
import type { Service } from "./seam.ts"

/** Where a service is mounted. */
export interface MountPoint {
  /** For example `/oracle`; absent or empty for the root. */
  readonly prefix?: string | undefined
}

/**
 * The same. Throws `InvalidOption` for a prefix that no target begins with, with which a service would answer nothing, for what is no
 * service, and for names that are no options of the adapter: those beside `prefix` are in `others`.
 */
export const checkedMountPoint = (mount: MountPoint, service: Service, others: Readonly<Record<string, true>> = {}): MountPoint => {
  checkedService(service)
  checkNames(mount, { prefix: true, ...others })
  const { prefix = "" } = mount
  if (typeof prefix !== "string" || (prefix !== "" && !/^\/[^?#]*$/.test(prefix)))
    throw new InvalidOption("prefix", 'must be empty, or begin with "/" and have no "?" or "#"')
  return { prefix }
}

/** The part of a request target (path and query) below the mount point; `undefined` when the target is elsewhere. */
export const belowMountPoint = (target: string, { prefix = "" }: MountPoint): string | undefined => {
  const base = prefix.endsWith("/") ? prefix.slice(0, -1) : prefix
  if (!target.startsWith(base)) return undefined
  const rest = target.slice(base.length)
  if (rest === "" || rest.startsWith("?")) return `/${rest}`
  return rest.startsWith("/") ? rest : undefined
}
