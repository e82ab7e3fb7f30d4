/**
 * Whose certificate a server over TLS must have. Node knows the name that was connected to, but not an address: a server that is
 * configured by its address would need a certificate of `localhost`.
 */
import { isIP } from "node:net"
import { checkServerIdentity, type PeerCertificate } from "node:tls"

/** What is checked in place of an address. */
const nameless = "localhost"

const bare = (host: string): string => host.replace(/^\[(.*)\]$/, "$1")

/**
 * The check of a certificate for servers at these hosts: names as always; where a server has only an address, the certificate has to
 * have one of the addresses that are configured. Answers the reason against it.
 */
export const identityOf = (hosts: ReadonlyArray<string>): ((name: string, certificate: PeerCertificate) => Error | undefined) => {
  const addresses = hosts.map(bare).filter((host) => isIP(host) !== 0)
  return (name, certificate) => {
    if (name !== nameless || addresses.length === 0) return checkServerIdentity(name, certificate)
    const names = hosts.includes(nameless) ? [...addresses, nameless] : addresses
    const reasons = names.map((one) => checkServerIdentity(one, certificate))
    return reasons.includes(undefined) ? undefined : reasons[0]
  }
}
