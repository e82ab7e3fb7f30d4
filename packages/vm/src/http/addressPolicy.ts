/** Which IP addresses a program may reach: only public unicast ones (decision D30). */

/** Parses dotted-quad IPv4, four decimal numbers without leading zeros; `undefined` for any other text. */
export const parseIpv4 = (text: string): Uint8Array | undefined => {
  const parts = text.split(".")
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256)) {
    return undefined
  }
  return Uint8Array.from(parts, Number)
}

/** One side of the `::` of an IPv6 address as 16-bit groups; an IPv4 tail counts as two. */
const parseGroups = (text: string): ReadonlyArray<number> | undefined => {
  if (text === "") return []
  const groups: Array<number> = []
  const parts = text.split(":")
  for (const [at, part] of parts.entries()) {
    if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      groups.push(Number.parseInt(part, 16))
      continue
    }
    const tail = at === parts.length - 1 ? parseIpv4(part) : undefined
    if (tail === undefined) return undefined
    const [a = 0, b = 0, c = 0, d = 0] = tail
    groups.push(a * 256 + b, c * 256 + d)
  }
  return groups
}

/** Parses IPv6 text (RFC 4291 section 2.2) to 16 bytes; a zone (`%eth0`) or brackets make it `undefined`. */
export const parseIpv6 = (text: string): Uint8Array | undefined => {
  const sides = text.split("::")
  if (sides.length > 2) return undefined
  const head = parseGroups(sides[0] ?? "")
  const tail = parseGroups(sides[1] ?? "")
  if (head === undefined || tail === undefined) return undefined
  // An IPv4 tail is only valid at the end of the whole address, not before `::`.
  if (sides.length === 2 && (sides[0] ?? "").includes(".")) return undefined
  const missing = 8 - head.length - tail.length
  if (sides.length === 1 ? missing !== 0 : missing < 1) return undefined
  const groups = [...head, ...Array.from({ length: missing }, () => 0), ...tail]
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]))
}

/** A refused block: its first address and how many leading bits count. */
interface Block {
  readonly prefix: Uint8Array
  readonly bits: number
}

const block = (text: string): Block => {
  const [address = "", bits = ""] = text.split("/")
  return { prefix: parseIpv4(address) ?? parseIpv6(address) ?? new Uint8Array(), bits: Number(bits) }
}

const contains = ({ prefix, bits }: Block, address: Uint8Array): boolean => {
  if (prefix.length !== address.length) return false
  const whole = bits >> 3
  for (let at = 0; at < whole; at += 1) {
    if (prefix[at] !== address[at]) return false
  }
  const mask = (0xff00 >> (bits & 7)) & 0xff
  return ((prefix[whole] ?? 0) & mask) === ((address[whole] ?? 0) & mask)
}

/** IPv4 that is not public unicast: the IANA special-purpose registry, multicast, reserved, cloud metadata hosts. */
const refusedIpv4: ReadonlyArray<Block> = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier-grade NAT; a cloud's metadata service too (100.100.100.200)
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // a cloud's host agent behind a public-looking address
  "169.254.0.0/16", // link-local, most metadata services
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments, one metadata service
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // automatic multicast tunnelling
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarking
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4" // reserved, broadcast
].map(block)

/** The current global unicast space; loopback, mapped, NAT64, unique-local, link-local and multicast are all outside of it. */
const globalIpv6 = block("2000::/3")

/** Parts of the global space that are not public hosts, or that embed an IPv4 address. */
const refusedIpv6: ReadonlyArray<Block> = [
  "2001::/23", // protocol assignments: Teredo, ORCHID, benchmarking
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4
  "2620:4f:8000::/48", // AS112
  "3ffe::/16", // returned 6bone space
  "3fff::/20" // documentation
].map(block)

/** ISATAP interface identifiers (RFC 5214) end in a tunnelled IPv4 address, under any prefix. */
const isIsatap = (address: Uint8Array): boolean =>
  ((address[8] ?? 0) & 0xfd) === 0 && address[9] === 0 && address[10] === 0x5e && address[11] === 0xfe

/** Whether an address in text form is public unicast, the only kind a program may reach. False for malformed text. */
export const isPublicAddress = (text: string): boolean => {
  const ipv4 = parseIpv4(text)
  if (ipv4 !== undefined) return !refusedIpv4.some((refused) => contains(refused, ipv4))
  const ipv6 = parseIpv6(text)
  if (ipv6 === undefined) return false
  return contains(globalIpv6, ipv6) && !refusedIpv6.some((refused) => contains(refused, ipv6)) && !isIsatap(ipv6)
}

/** The literal address in a URL's host, without brackets; `undefined` if it is a name to be resolved. */
export const literalAddress = (urlHostname: string): string | undefined => {
  if (urlHostname.startsWith("[")) return urlHostname.slice(1, -1)
  return parseIpv4(urlHostname) === undefined ? undefined : urlHostname
}
