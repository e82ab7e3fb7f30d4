/** No text of a program or an upstream reaches a terminal with anything that the terminal obeys. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assemble } from "@sibyl/testing/wasm"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runSibyl } from "../testdata/runSibyl.ts"
import { printable } from "./printable.ts"

// eslint-disable-next-line no-control-regex
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

describe("a printable text", () => {
  it("has nothing that a terminal obeys, whatever it was made of", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(printable(text)).not.toMatch(obeyed)
      })
    )
  })

  it("is the same text where there is nothing such, with its lines and tabs", () => {
    expect(printable("a\tb\nü € 漢 🙂 \\u{1b}")).toBe("a\tb\nü € 漢 🙂 \\u{1b}")
    expect(printable("\u001b[2Jgone\r\u009b1m\u202eabc")).toBe("\\u{1b}[2Jgone\\u{d}\\u{9b}1m\\u{202e}abc")
  })
})

describe("a program that prints escape sequences", () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sibyl-escapes-"))
    const text = "\u001b[2J\u001b]0;owned\u0007\u009b31mred\u202e"
    const bytes = new TextEncoder().encode(text).length
    // Writes it to stdout and to stderr, and gives it as its result.
    const source = `
import fd_write
import execution_result
import proc_exit
data 64 ${JSON.stringify(text)}
  i32.const 0
  i32.const 64
  i32.store
  i32.const 4
  i32.const ${bytes}
  i32.store
  i32.const 1
  i32.const 0
  i32.const 1
  i32.const 16
  call fd_write
  drop
  i32.const 2
  i32.const 0
  i32.const 1
  i32.const 16
  call fd_write
  drop
  i32.const 64
  i32.const ${bytes}
  call execution_result
  i32.const 0
  call proc_exit`
    await writeFile(join(folder, "escapes.wasm"), assemble(source))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it.each([[], ["--encoding", "utf8"], ["--encoding", "json"]])("is shown by sibyl run without them, %s %s", async (...words) => {
    const { code, stderr, stdout } = await runSibyl(["run", "escapes.wasm", ...words], { cwd: folder })
    expect([code, stderr]).toEqual([0, ""])
    expect(stdout).not.toMatch(obeyed)
    expect(stdout).toContain("\\u{1b}[2J\\u{1b}]0;owned\\u{7}\\u{9b}31mred\\u{202e}")
  })
})
