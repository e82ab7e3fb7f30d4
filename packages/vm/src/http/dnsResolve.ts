/** Asks the name servers for a name's addresses, without using the few threads of the system's own resolver. */
import { Resolver } from "node:dns/promises"

/** The answer of the name servers: the addresses and their TTL in seconds. No addresses: the name has none. */
export interface ResolvedName {
  readonly addresses: ReadonlyArray<string>
  readonly ttlSeconds: number
}

/** The time limits of one attempt and of a whole look-up, in ms. */
const attemptMs = 1_000
const deadlineMs = 4_000

/** More addresses of one name are not needed. */
const maxAddresses = 32

const none: ResolvedName = { addresses: [], ttlSeconds: 0 }

/**
 * Asks for both families at once; `servers` are `address` or `address:port`, by default the system's. It never rejects: if a name server
 * does not answer, there are no addresses. Every look-up has its own resolver, so that cancelling one does not affect another, and a
 * changed configuration of the system is read.
 */
export const dnsResolve = async (hostname: string, servers?: ReadonlyArray<string>): Promise<ResolvedName> => {
  const resolver = new Resolver({ timeout: attemptMs, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  const timer = setTimeout(() => resolver.cancel(), deadlineMs)
  try {
    const answers = await Promise.all([
      resolver.resolve4(hostname, { ttl: true }).catch(() => []),
      resolver.resolve6(hostname, { ttl: true }).catch(() => [])
    ])
    const records = answers.flat()
    if (records.length === 0) return none
    return {
      addresses: records.map(({ address }) => address).slice(0, maxAddresses),
      ttlSeconds: Math.min(...records.map(({ ttl }) => ttl))
    }
  } finally {
    clearTimeout(timer)
  }
}
