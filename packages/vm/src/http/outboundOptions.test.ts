/** Options of the outbound policy that break their rules are refused, and named. */
import { expect, test } from "vitest"
import { goodTestCertificate, goodTestKey, testAuthority } from "./testdata/certificates.ts"
import { type OutboundOptions, outboundPolicy } from "./outboundOptions.ts"

test("a misspelled name is refused: requests that were meant for loopback would leave the machine", () => {
  const misspelled = { hostOverride: { "a.test": "http://127.0.0.1" } } as OutboundOptions
  expect(() => outboundPolicy(misspelled)).toThrow("outbound.hostOverride: is no option; did you mean hostOverrides?")
})

test.each<[string, string, OutboundOptions]>([
  ["an override without a scheme", "outbound.hostOverrides", { hostOverrides: { "a.test": "127.0.0.1:80" } }],
  ["an override with a path", "outbound.hostOverrides", { hostOverrides: { "a.test": "http://127.0.0.1/x" } }],
  ["an override of a URL", "outbound.hostOverrides", { hostOverrides: { "https://a.test": "http://127.0.0.1" } }],
  ["an allow-list with a path", "outbound.allowHosts", { allowHosts: ["a.test/x"] }],
  ["a host to trace that is none", "outbound.traceHosts", { traceHosts: ["*.a test"] }],
  ["a header that splits", "outbound.hostHeaders", { hostHeaders: { "a.test": { "x-a": "1\r\nx-b: 2" } } }],
  ["a header without a name", "outbound.hostHeaders", { hostHeaders: { "a.test": { "": "1" } } }],
  ["a name server by its name", "outbound.dnsServers", { dnsServers: ["127.0.0.1", "dns.test"] }],
  ["a name server without an address", "outbound.dnsServers", { dnsServers: [":53"] }],
  ["a name server with a port that is none", "outbound.dnsServers", { dnsServers: ["[::1]:70000"] }],
  ["an IPv6 address with a port and no brackets", "outbound.dnsServers", { dnsServers: ["::1:53x"] }],
  ["authorities that are no certificates", "outbound.extraCaPem", { extraCaPem: [goodTestKey] }],
  ["an authority that is cut off", "outbound.extraCaPem", { extraCaPem: [testAuthority.replace(/.{80}\n-----END/s, "\n-----END")] }],
  ["an authority beside none", "outbound.extraCaPem", { extraCaPem: [testAuthority, ""] }]
])("%s is refused", (_, option, options) => {
  // A header's value may be a key: the message ends with its name.
  expect(() => outboundPolicy(options)).toThrow(new RegExp(`^${option}: (?:not|no) [^\\r\\n]*$`))
})

test("name servers have ports and brackets, and a file may have several authorities", async () => {
  const options: OutboundOptions = {
    dnsServers: ["127.0.0.1", "127.0.0.1:5353", "::1", "[::1]:53"],
    extraCaPem: [`# ours\n${testAuthority}\n${goodTestCertificate}`]
  }
  expect(() => outboundPolicy(options)).not.toThrow()
})
