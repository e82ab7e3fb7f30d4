/** The sources of addresses for names: the operator's resolver, the hosts file, the name servers. */
import { lookup } from "node:dns/promises"
import { dnsResolve, type ResolvedName } from "./dnsResolve.ts"
import { hostsFile, systemHostsPath } from "./hostsFile.ts"
import { NameCache } from "./nameCache.ts"
import type { OutboundOptions, Resolve } from "./outboundOptions.ts"

/** The resolver of a request: the name of an override (`trusted`) is the operator's, any other one a program's. */
export type Names = (projectId: string, trusted: boolean, isAhead?: boolean) => Resolve

/** How long the address of an override is kept, because the system's resolver gives no TTL. */
const overrideSeconds = 10

/** The system's own resolver, with its search lists and other sources. It uses threads, so it is only for overrides. */
const systemResolve = async (hostname: string): Promise<ResolvedName> => ({
  addresses: (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address),
  ttlSeconds: overrideSeconds
})

const loopback = ["127.0.0.1", "::1"]

/** Opens the caches. Names in the hosts file are not looked up elsewhere, and localhost is always loopback. */
export const openNames = ({ dnsServers, resolve }: OutboundOptions): Names => {
  if (resolve !== undefined) return () => resolve
  const inHostsFile = hostsFile(systemHostsPath)
  const overrides = new NameCache(systemResolve)
  const others = new NameCache((hostname) => dnsResolve(hostname, dnsServers))
  return (projectId, trusted, isAhead) => async (hostname) => {
    if (trusted) return overrides.addresses(hostname, projectId, isAhead)
    const name = hostname.toLowerCase()
    if (name === "localhost" || name.endsWith(".localhost")) return loopback
    const local = inHostsFile(name)
    return local.length > 0 ? local : others.addresses(name, projectId, isAhead)
  }
}
