/** What a page loads: the client is small, loads nothing else, and the verifier brings only its cryptography. */
import { readFile } from "node:fs/promises"
import { gzipSync } from "node:zlib"
import { expect, test } from "vitest"

const bundled = (name: string) => readFile(new URL(`../dist/bundle/${name}`, import.meta.url), "utf8")
const imports = /\bimport\b\s*(?:[\w*{("']|\.meta)/

test("the client without the verifier is under 12 kB compressed, and imports nothing", async () => {
  const text = await bundled("index.js")
  expect(gzipSync(text).length).toBeLessThan(12_000)
  expect(text).not.toMatch(imports)
  expect(text).toContain("NotReached")
})

test("the verifier brings noble alone, and imports nothing", async () => {
  expect(await bundled("verify.js")).not.toMatch(imports)
  const bundledPackages = (await bundled("LICENSES.txt")).match(/^\S+ \d+\.\d+\.\d+,/gm)
  expect(bundledPackages?.map((line) => line.replace(/ .*/, ""))).toEqual(["@noble/curves", "@noble/hashes"])
})
