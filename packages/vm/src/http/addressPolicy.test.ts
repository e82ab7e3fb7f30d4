/** The address policy: known addresses of every refused kind, and properties over arbitrary ones. */
import * as fc from "fast-check"
import { BlockList, isIPv4, isIPv6 } from "node:net"
import { describe, expect, test } from "vitest"
import { isPublicAddress, literalAddress, parseIpv4, parseIpv6 } from "./addressPolicy.ts"

const publicAddresses = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450:4001:82a::200e",
  "2001:200::1",
  "2001:4860:4860::8888",
  "2003::1",
  "3ffd:ffff::1",
  "3fff:1000::1"
]

const refusedAddresses = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.1",
  "100.100.100.200",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.254",
  "168.63.129.16",
  "169.254.0.1",
  "169.254.169.254",
  "169.254.170.2",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.0.1",
  "192.168.255.255",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::7f00:1",
  "::127.0.0.1",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "::ffff:0:7f00:1",
  "64:ff9b::7f00:1",
  "64:ff9b::8.8.8.8",
  "64:ff9b:1::10.0.0.1",
  "100::1",
  "2001::1",
  "2001:0:7f00:1::",
  "2001:10::1",
  "2001:20::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:808:808::",
  "3ffe::1",
  "3fff::1",
  "5f00::1",
  "fc00::1",
  "fd00:ec2::254",
  "fdff::1",
  "fe80::1",
  "fe80::a9fe:a9fe",
  "febf::1",
  "fec0::1",
  "ff02::1",
  "2a00::5efe:7f00:1",
  "2a00::200:5efe:a00:1",
  "fe80::1%eth0",
  "",
  "localhost",
  "127.1",
  "0177.0.0.1",
  "0x7f.0.0.1",
  "2130706433",
  "1.2.3",
  "1.2.3.4.5",
  "1.2.3.256",
  "01.2.3.4",
  " 8.8.8.8",
  "8.8.8.8 ",
  "[2606:4700::1]",
  ":::",
  "1::2::3",
  "12345::",
  "::g"
]

describe("isPublicAddress", () => {
  test.each(publicAddresses)("%s is public", (address) => expect(isPublicAddress(address)).toBe(true))
  test.each(refusedAddresses)("%s is refused", (address) => expect(isPublicAddress(address)).toBe(false))

  const privateRanges = new BlockList()
  for (const [prefix, bits] of [
    ["10.0.0.0", 8],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
    ["172.16.0.0", 12],
    ["192.168.0.0", 16],
    ["100.64.0.0", 10],
    ["224.0.0.0", 3],
    ["0.0.0.0", 8]
  ] as const)
    privateRanges.addSubnet(prefix, bits)

  test("agrees with the runtime's own block list on private IPv4", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        if (privateRanges.check(address)) expect(isPublicAddress(address)).toBe(false)
      }),
      { numRuns: 2_000 }
    )
  })

  test("refuses every way to write an IPv4 address inside an IPv6 one", () => {
    const forms = (a: number, b: number) => [
      `::${a.toString(16)}:${b.toString(16)}`,
      `::ffff:${a.toString(16)}:${b.toString(16)}`,
      `::ffff:0:${a.toString(16)}:${b.toString(16)}`,
      `64:ff9b::${a.toString(16)}:${b.toString(16)}`,
      `64:ff9b:1::${a.toString(16)}:${b.toString(16)}`,
      `2002:${a.toString(16)}:${b.toString(16)}::1`,
      `2001:0:${a.toString(16)}:${b.toString(16)}::1`,
      `2a01:4f8::5efe:${a.toString(16)}:${b.toString(16)}`
    ]
    const group = fc.integer({ min: 0, max: 0xffff })
    fc.assert(
      fc.property(group, group, (a, b) => {
        for (const form of forms(a, b)) expect([form, isPublicAddress(form)]).toEqual([form, false])
      })
    )
  })

  test("allows IPv6 only in 2000::/3", () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const first = parseIpv6(address)?.[0] ?? 0
        if (first >> 5 !== 1) expect(isPublicAddress(address)).toBe(false)
      }),
      { numRuns: 2_000 }
    )
  })
})

describe("the parsers", () => {
  const addressLike = fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), fc.stringMatching(/^[0-9a-f:.]{0,24}$/))

  test("accept exactly what the runtime's sockets accept as an address literal", () => {
    fc.assert(
      fc.property(addressLike, (text) => {
        expect(parseIpv4(text) !== undefined).toBe(isIPv4(text))
        expect(parseIpv6(text) !== undefined).toBe(isIPv6(text))
      }),
      { numRuns: 5_000 }
    )
  })

  test("parse all spellings of an address to the same bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 }), (groups) => {
        const bytes = Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]))
        const long = groups.map((group) => group.toString(16).padStart(4, "0")).join(":")
        const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(12)
        expect(parseIpv6(long)).toEqual(bytes)
        expect(parseIpv6(new URL(`http://[${long}]/`).hostname.slice(1, -1))).toEqual(bytes)
        expect(parseIpv6(`${long.slice(0, 30)}${a}.${b}.${c}.${d}`)).toEqual(bytes)
      })
    )
  })
})

describe("literalAddress", () => {
  test.each([
    ["http://127.0.0.1/", "127.0.0.1"],
    ["http://0x7f.1/", "127.0.0.1"],
    ["http://2130706433/", "127.0.0.1"],
    ["http://[::1]/", "::1"],
    ["http://[::ffff:1.2.3.4]/", "::ffff:102:304"],
    ["http://example.com/", undefined],
    ["http://１２７.0.0.1/", "127.0.0.1"],
    ["http://1.2.3.4.example/", undefined]
  ])("%s -> %s", (url, literal) => expect(literalAddress(new URL(url).hostname)).toBe(literal))
})
