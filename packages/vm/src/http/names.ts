/** Where the addresses of names come from: the operator's resolver, the hosts file, the name servers. */
import { lookup } from "node:dns/promises"
import { dnsResolve, type ResolvedName } from "./dnsResolve.ts"
import { hostsFile, systemHostsPath } from "./hostsFile.ts"
import { NameCache } from "./nameCache.ts"
import type { OutboundOptions, Resolve } from "./outboundOptions.ts"

/** The resolver of a request: a stand-in's (`trusted`) name is the operator's, any other one a program's. */
export type Names = (projectId: string, trusted: boolean) => Resolve

/** How long the address of a stand-in is kept: the system's resolver does not say. */
const standInSeconds = 10

/** The system's own resolver, with its search lists and other sources. It takes threads, so only stand-ins use it. */
const systemResolve = async (hostname: string): Promise<ResolvedName> => ({
  addresses: (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address),
  ttlSeconds: standInSeconds
})

const loopback = ["127.0.0.1", "::1"]

/** Opens the caches. A name of the hosts file is not asked for anywhere else, and localhost is what it always is. */
export const openNames = ({ dnsServers, resolve }: OutboundOptions): Names => {
  if (resolve !== undefined) return () => resolve
  const inHostsFile = hostsFile(systemHostsPath)
  const standIns = new NameCache(systemResolve)
  const others = new NameCache((hostname) => dnsResolve(hostname, dnsServers))
  return (projectId, trusted) => async (hostname) => {
    if (trusted) return standIns.addresses(hostname, projectId)
    const name = hostname.toLowerCase()
    if (name === "localhost" || name.endsWith(".localhost")) return loopback
    const local = inHostsFile(name)
    return local.length > 0 ? local : others.addresses(name, projectId)
  }
}
