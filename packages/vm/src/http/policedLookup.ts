/** The name resolution of outbound connections: connects to exactly the addresses that were checked. */
import type { LookupFunction } from "node:net"
import { isPublicAddress, parseIpv4, parseIpv6 } from "./addressPolicy.ts"
import { noPublicAddress } from "./hop.ts"
import { TooManyNames } from "./nameCache.ts"
import type { Resolve } from "./outboundOptions.ts"

/** Why a name was refused; the text is for the program. */
export class LookupRefusal extends Error {
  constructor(text: string) {
    super(text)
    this.name = "LookupRefusal"
  }
}

/**
 * A `lookup` for sockets. It resolves once per connection and passes on exactly those addresses, so that no second answer can rebind the
 * name. One forbidden address among several refuses the name. Overrides (`trusted`) may have any address.
 */
export const policedLookup = (resolve: Resolve, trusted: boolean): LookupFunction => {
  const accepts = (address: string): boolean =>
    trusted ? parseIpv4(address) !== undefined || parseIpv6(address) !== undefined : isPublicAddress(address)
  return (hostname, options, callback) => {
    const refuse = (text: string): void => callback(new LookupRefusal(text), "", 0)
    const answer = (addresses: ReadonlyArray<string>): void => {
      const answers = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
      const [first] = answers
      if (first === undefined || !addresses.every(accepts)) refuse(noPublicAddress)
      else if (options.all === true) callback(null, answers)
      else callback(null, first.address, first.family)
    }
    resolve(hostname).then(answer, (fault: unknown) => {
      // If the resolver fails there are no addresses.
      if (!(fault instanceof TooManyNames)) answer([])
      else refuse("outbound request refused: too many names are being resolved at once")
    })
  }
}
