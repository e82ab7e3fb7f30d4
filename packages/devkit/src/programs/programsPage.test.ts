/** The programs in docs/PROGRAMS.md compile unchanged, and behave as the page says. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { programIdOf } from "@sibyl/core"
import { beforeAll, describe, expect, test } from "vitest"
import { type BareRun, runBare } from "./testdata/bareHost.ts"
import { buildTimeoutMs, builtProgram, programsFolder } from "./testdata/builtProgram.ts"
import { compileProgram } from "./testdata/compileProgram.ts"
import { inputsHex, refused, text } from "./testdata/endings.ts"

const page = readFileSync(join(programsFolder, "..", "docs", "PROGRAMS.md"), "utf8")

/** The page's programs by the name of their folder. */
const sources = new Map(
  [...page.matchAll(/```ts\n(\/\/ programs\/([a-z-]+)\/index\.ts\n[^]*?)```/g)].map(([, source = "", name = ""]) => [name, source])
)

const programs = new Map<string, WebAssembly.Module>()
beforeAll(async () => {
  for (const [name, source] of sources) programs.set(name, new WebAssembly.Module(await compileProgram(source)))
}, buildTimeoutMs)

const execute = (name: string, inputs: unknown, body: string, changes: Partial<BareRun> = {}) => {
  const program = programs.get(name)
  if (program === undefined) throw new Error(`the page has no program ${name}`)
  const answer = () => ({ status: 200, body })
  return runBare(program, { phase: "dr", args: [inputsHex(inputs)], answer, ...changes })
}

test("every code block of the page is a program that is tested here", () => {
  expect([...sources.keys()]).toEqual(["my-feed", "smoothed"])
  expect(page.match(/^```ts$/gm)).toHaveLength(sources.size)
})

describe("my-feed", () => {
  test("returns the exchange's price", () => {
    const outcome = execute("my-feed", { pair: "ETH-USD" }, '{"price":"63521.5"}')
    expect(text(outcome)).toBe('{"price":63521.5}')
    expect(outcome.actions[0]?.url).toBe("https://api.exchange.test/products/ETH-USD/ticker")
    expect(execute("my-feed", "", "{}")).toMatchObject(refused("the exchange's answer has no price"))
  })

  test("tallies the median", () => {
    const bytes = (text: string) => [...new TextEncoder().encode(text)]
    const reveals = [3, 1, 2].map((price) => ({ reveal: bytes(`{"price":${price}}`), exit_code: 0 }))
    const outcome = execute("my-feed", "", "", { phase: "tally", args: ["", JSON.stringify(reveals), "[0,0,0]"] })
    expect(text(outcome)).toBe('{"price":2}')
  })
})

describe("smoothed", () => {
  const envs = {
    LAST_RESULT: inputsHex({ value: 10 }),
    LAST_RESULT_EXIT_CODE: "0",
    LAST_RESULT_TIMESTAMP: "1763640000123"
  }

  test("posts, and uses the last result", () => {
    const first = execute("smoothed", { symbol: "X", verbose: true }, '{"quote":12.25}')
    expect(text(first)).toBe('{"value":12.25}')
    expect(first).toMatchObject({
      exitCode: 0,
      stdout: "debug status 200\n",
      stderr: "warn  no last result, nothing to smooth with\n"
    })
    expect(first.actions[0]?.options).toEqual({
      method: "POST",
      headers: { "content-type": "application/json" },
      body: [...new TextEncoder().encode('{"symbol":"X"}')],
      timeout_ms: 1_500
    })
    const second = execute("smoothed", { symbol: "X" }, '{"quote":12.25}', { envs })
    expect(text(second)).toBe('{"value":11.125}')
    expect(second).toMatchObject({ stdout: "", stderr: "" })
    expect(execute("smoothed", {}, "")).toMatchObject(refused("symbol is missing"))
  })
})

test("the sizes on the page, and the ids in the README, are those of the programs", async () => {
  const readme = readFileSync(join(programsFolder, "..", "README.md"), "utf8")
  for (const name of ["crypto-price", "metals-index", "equity-session"]) {
    const bytes = await builtProgram(name)
    expect(page).toContain(`| \`${name}\` | ${bytes.length.toLocaleString("en-US")} |`)
    expect(readme).toContain(`program     ${name} ${programIdOf(bytes).slice(0, 12)}...`)
  }
})
