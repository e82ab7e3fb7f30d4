/** Open files and their bound, of this process and in texts of the system. */
import { closeSync, openSync } from "node:fs"
import { platform } from "node:os"
import { expect, it } from "vitest"
import { boundIn, mostOpenFiles, openFiles } from "./openFiles.ts"

const limits = (soft: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units     
Max processes             96000                96000                processes 
Max open files            ${soft.padEnd(21)}1048576              files     
Max locked memory         8388608              8388608              bytes     
`

it("reads the soft limit", () => {
  expect(boundIn(limits("1024"))).toBe(1_024)
  expect(boundIn(limits("unlimited"))).toBeUndefined()
  expect(boundIn("")).toBeUndefined()
})

// Only Linux tells.
it.runIf(platform() === "linux")("counts what is open, below the bound", () => {
  const before = openFiles() ?? 0
  const opened = Array.from({ length: 50 }, () => openSync("/dev/null", "r"))
  const during = openFiles() ?? 0
  for (const descriptor of opened) closeSync(descriptor)
  expect(before).toBeGreaterThan(3)
  expect(during - before).toBeGreaterThan(30)
  expect(mostOpenFiles()).toBeGreaterThan(during)
})
