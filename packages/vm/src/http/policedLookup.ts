/** The name resolution of outbound connections: the addresses checked are the addresses connected to. */
import { promises as dns } from "node:dns"
import type { LookupFunction } from "node:net"
import { isPublicAddress, parseIpv4, parseIpv6 } from "./addressPolicy.ts"
import { noPublicAddress } from "./hop.ts"
import type { Resolve } from "./outboundOptions.ts"

/** Why a name was not connected to; the text is for the program. */
export class LookupRefusal extends Error {
  constructor() {
    super(noPublicAddress)
    this.name = "LookupRefusal"
  }
}

/** The system's resolver: hosts file, then DNS, both address families. */
export const systemResolve: Resolve = async (hostname) =>
  (await dns.lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address)

/**
 * A `lookup` for sockets. It resolves once per connection and hands exactly those addresses on, so no second answer can
 * rebind the name. One bad address among several refuses the name. Stand-ins (`trusted`) may have any address.
 */
export const policedLookup = (resolve: Resolve, trusted: boolean): LookupFunction => {
  const accepts = (address: string): boolean =>
    trusted ? parseIpv4(address) !== undefined || parseIpv6(address) !== undefined : isPublicAddress(address)
  return (hostname, options, callback) => {
    const answer = (addresses: ReadonlyArray<string>): void => {
      const answers = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
      const [first] = answers
      if (first === undefined || !addresses.every(accepts)) callback(new LookupRefusal(), "", 0)
      else if (options.all === true) callback(null, answers)
      else callback(null, first.address, first.family)
    }
    // A resolver that fails has no address to give.
    resolve(hostname).then(answer, () => answer([]))
  }
}
