/** Asks the name servers for a name's addresses, without the few threads that the system's own resolver would occupy. */
import { Resolver } from "node:dns/promises"

/** What the name servers said: the addresses and for how long they hold, in seconds. None: the name has no address. */
export interface ResolvedName {
  readonly addresses: ReadonlyArray<string>
  readonly ttlSeconds: number
}

/** One attempt's patience, and that with a name altogether, in ms. */
const attemptMs = 1_000
const deadlineMs = 4_000

/** More addresses of one name are of no use. */
const maxAddresses = 32

const none: ResolvedName = { addresses: [], ttlSeconds: 0 }

/**
 * Asks for both families at once; `servers` are `address` or `address:port`, absent for the system's. It never rejects:
 * a name server that does not answer has no address to give. Every name has a resolver of its own, so that giving up
 * one ends nobody else's question, and a changed configuration of the system is read.
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
