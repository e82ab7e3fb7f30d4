/** Filter bytes round-trip; malformed bytes are refused (decision D24). */
import { readFileSync } from "node:fs"
import { concatBytes } from "@noble/hashes/utils.js"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fromUtf8, toBigEndian } from "../encoding/bytes.ts"
import { filterNumberTypes, readConsensusFilter, writeConsensusFilter } from "./consensusFilter.ts"
import { readJsonPath } from "../encoding/jsonPath.ts"

const jsonPath = fc.constantFrom("$", "$.a", "$['é']", "$..price[0]", "$[*].b")

const mad = (sigmaMicros: bigint, numberType: number, path: Uint8Array, length = BigInt(path.length)): Uint8Array =>
  concatBytes(Uint8Array.of(2), toBigEndian(sigmaMicros, 8), Uint8Array.of(numberType), toBigEndian(length, 8), path)

const mode = (path: Uint8Array, length = BigInt(path.length)): Uint8Array => concatBytes(Uint8Array.of(1), toBigEndian(length, 8), path)

const isFault = (bytes: Uint8Array): boolean => "message" in readConsensusFilter(bytes)

describe("readConsensusFilter", () => {
  it("reads the bytes shown in OPERATING.md", () => {
    const page = readFileSync(new URL("../../../../../docs/OPERATING.md", import.meta.url), "utf8")
    const shown = [...page.matchAll(/`(0[12][0-9a-f]{14,}`(?:\+`[0-9a-f]+`)+)/g)].map(([, text = ""]) =>
      readConsensusFilter(Uint8Array.from(Buffer.from(text.replaceAll(/[`+]/g, ""), "hex")))
    )
    expect(shown).toMatchObject([
      { method: "mode", jsonPath: "$.price" },
      { method: "mad", jsonPath: "$.price", sigmaMicros: 1_500_000n, numberType: "uint64" }
    ])
  })

  it("reads what writeConsensusFilter wrote, and writes what it read", () => {
    fc.assert(
      fc.property(jsonPath, fc.bigUintN(64), fc.nat(7), (text, sigmaMicros, numberType) => {
        const path = readJsonPath(text) ?? []
        const filters = [
          { filter: { method: "mode", jsonPath: text, path }, bytes: mode(fromUtf8(text)) },
          {
            filter: {
              method: "mad",
              jsonPath: text,
              path,
              sigmaMicros,
              numberType: filterNumberTypes[numberType] ?? "int32"
            },
            bytes: mad(sigmaMicros, numberType, fromUtf8(text))
          }
        ] as const
        for (const { bytes, filter } of filters) {
          expect(writeConsensusFilter(filter)).toEqual(bytes)
          expect(readConsensusFilter(bytes)).toEqual(filter)
        }
      })
    )
  })

  it("ignores whatever follows the type of the filter that filters nothing", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (rest) => {
        expect(readConsensusFilter(Uint8Array.of(0, ...rest))).toEqual({ method: "none" })
      })
    )
  })

  it("refuses a wrong length, an unknown type and an invalid path", () => {
    const path = fromUtf8("$.a")
    expect(isFault(mode(path))).toBe(false)
    expect(isFault(mad(0n, 0, path))).toBe(false)
    for (const length of [0n, 2n, 4n, 2n ** 64n - 1n]) {
      expect(isFault(mode(path, length))).toBe(true)
      expect(isFault(mad(0n, 0, path, length))).toBe(true)
    }
    for (const bytes of [mode(path), mad(0n, 0, path)]) {
      for (let cut = 1; cut < bytes.length; cut += 1) expect(isFault(bytes.subarray(0, cut)), String(cut)).toBe(true)
      expect(isFault(Uint8Array.of(...bytes, 0x20))).toBe(true)
    }
    expect(isFault(mad(0n, 8, path))).toBe(true)
    expect(isFault(mode(fromUtf8("a")))).toBe(true)
    expect(isFault(mode(Uint8Array.of(0x24, 0xff)))).toBe(true)
    expect(isFault(new Uint8Array())).toBe(true)
    fc.assert(fc.property(fc.integer({ min: 3, max: 255 }), fc.uint8Array(), (type, rest) => isFault(Uint8Array.of(type, ...rest))))
  })

  it("never throws on any bytes", () => {
    fc.assert(
      fc.property(fc.nat(2), fc.uint8Array({ maxLength: 40 }), (type, rest) => {
        expect(readConsensusFilter(Uint8Array.of(type, ...rest))).toBeTypeOf("object")
      }),
      { numRuns: 2_000 }
    )
  })
})
