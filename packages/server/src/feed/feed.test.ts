/** `sibyl feed` as people and scripts use it: a child process on this test's runtime, against a real service. */
import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Schema } from "effect"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { type FeedServer, startFeedServer } from "../testdata/feedServer.ts"
import { runSibyl } from "../testdata/runSibyl.ts"
import { type RuntimeName, StartedServer } from "../testdata/startedServer.ts"

const runtime: RuntimeName = typeof globalThis.Bun === "undefined" ? "node" : "bun"

/** Run n has the price n + 0.5 thousand; every fourth run fails. */
const answer = (run: number): string | number => (run % 4 === 3 ? 7 : `{"price":${(run + 0.5) * 1_000}}`)

const JsonLine = Schema.parseJson(
  Schema.Struct({
    mode: Schema.Literal("FIXED", "SEQUENTIAL", "PARALLEL"),
    receivedAt: Schema.Number,
    latenessMs: Schema.Number,
    seq: Schema.Number,
    scheduledAt: Schema.Number,
    startedAt: Schema.Number,
    result: Schema.optional(
      Schema.Struct({
        data: Schema.Struct({ signature: Schema.String, result: Schema.Struct({ price: Schema.Number }) })
      })
    ),
    error: Schema.optional(Schema.Struct({ _tag: Schema.String, code: Schema.Number }))
  })
)

const linesOf = (output: string): ReadonlyArray<string> => output.trim().split("\n")

describe(`sibyl feed on ${runtime}`, () => {
  let folder: string
  let server: FeedServer
  let children: Array<StartedServer>

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "sibyl-feed-"))
    server = await startFeedServer(answer)
    children = []
  })
  afterEach(async () => {
    await Promise.all(children.map((child) => child.stop("SIGKILL")))
    await server.close()
    await rm(folder, { recursive: true, force: true })
  })

  const feed = (...args: ReadonlyArray<string>): StartedServer => {
    const url = args.includes("--url") ? [] : ["--url", server.url]
    const child = new StartedServer(runtime, ["feed", ...url, ...args], folder)
    children.push(child)
    return child
  }
  const program = (): ReadonlyArray<string> => ["--program", server.programId, "--key", server.key]

  test("shares its runs with whoever asks for the same, with --share", async () => {
    const asked = [...program(), "--period", "50", "--share", "--json"]
    const first = feed(...asked)
    await expect.poll(() => first.output).toContain('"FIXED"')
    const second = feed(...asked, "--count", "3")
    expect(await second.exit).toEqual({ code: 0, signal: null })
    const seqs = linesOf(second.output).map((line) => Schema.decodeUnknownSync(JsonLine)(line).seq)
    expect(seqs).toHaveLength(3)
    // A feed of its own would begin with 0.
    expect(seqs[0]).toBeGreaterThan(0)
    const startedAt = (output: string) =>
      output.split("\n").flatMap((line) => (line.endsWith("}") ? [Schema.decodeUnknownSync(JsonLine)(line).startedAt] : []))
    await expect.poll(() => startedAt(first.output)).toEqual(expect.arrayContaining(startedAt(second.output)))
  })

  test("prints a line for each run: time, mode, number, lateness, price or error; exits after its count", async () => {
    const child = feed(...program(), "--period", "20", "--count", "5")
    expect(await child.exit).toEqual({ code: 0, signal: null })
    const lines = linesOf(child.output)
    expect(lines[0]).toBe(`connected to ${server.url.replace("http", "ws")}/ws/v1 as acme, 1000000 credits remaining`)
    expect(lines[2]).toMatch(/^time +mode +run +late +result$/)
    const rows = lines.slice(3).map((line) => /^\d\d:\d\d:\d\d\.\d{3} {2}FIXED {7}#(\d) +\+(\d+) ms +(.+)$/.exec(line)?.slice(1) ?? [line])
    expect(rows.map(([seq]) => seq)).toEqual(["0", "1", "2", "3", "4"])
    expect(rows.map(([, , text]) => text)).toEqual([
      "$500.00",
      "$1,500.00",
      "$2,500.00",
      "FailedExecutionResponse: The execution phase ended with exit code 7.",
      "$4,500.00"
    ])
    expect(child.output).not.toContain("\u001b[")
  })

  test("shows the three modes side by side, each run in its mode's column", async () => {
    const child = feed(...program(), "--mode", "all", "--period", "30", "--count", "3")
    expect(await child.exit).toEqual({ code: 0, signal: null })
    const [, , head = "", ...rows] = linesOf(child.output)
    const columns = ["FIXED", "SEQUENTIAL", "PARALLEL"].map((mode) => head.indexOf(mode))
    expect(columns.every((at) => at > 0)).toBe(true)
    expect(rows).toHaveLength(9)
    const cells = rows.map((row) => ({ column: columns.indexOf(row.indexOf("#")), seq: /#(\d+) /.exec(row)?.[1] }))
    const seqs = (column: number) => cells.filter((cell) => cell.column === column).map(({ seq }) => seq)
    expect(seqs(0)).toEqual(["0", "1", "2"])
    expect(seqs(1)).toEqual(["0", "1", "2"])
    // Parallel runs come in the order in which they end.
    expect(new Set(seqs(2)).size).toBe(3)
  })

  test("prints each run in full as JSON for scripts, and nothing else", async () => {
    const child = feed(...program(), "--json", "--mode", "SEQUENTIAL", "--period", "15", "--count", "4")
    expect(await child.exit).toEqual({ code: 0, signal: null })
    const rows = linesOf(child.output).map((line) => Schema.decodeUnknownSync(JsonLine)(line))
    expect(rows.map(({ seq }) => seq)).toEqual([0, 1, 2, 3])
    expect(rows.map(({ error, result }) => error?.code ?? result?.data.result.price)).toEqual([500, 1_500, 2_500, 36_001])
    for (const { latenessMs, mode, scheduledAt, startedAt } of rows) {
      expect(mode).toBe("SEQUENTIAL")
      expect(latenessMs).toBe(startedAt - scheduledAt)
    }
  })

  test("reads the key from the demo's file, and runs until Ctrl-C", async () => {
    await mkdir(join(folder, ".sibyl"))
    await writeFile(join(folder, ".sibyl", "demo-key"), `${server.key}\n`)
    const child = feed("--program", server.programId, "--period", "20")
    await child.until(/#6 /)
    expect(await child.stop("SIGINT")).toEqual({ code: 0, signal: null })
  })

  test("needs only the demo server: prices of BTC/USD in three modes", async () => {
    const demo = new StartedServer(runtime, ["serve", "--demo", "--port", "0"], folder)
    children.push(demo)
    await demo.until(/Ctrl-C stops the server/)
    const url = /^ {2}listening +(\S+)$/m.exec(demo.output)?.[1] ?? "no address"
    const child = feed("--url", url, "--mode", "all", "--count", "2")
    expect(await child.exit).toEqual({ code: 0, signal: null })
    const prices = linesOf(child.output)
      .slice(3)
      .map((line) => /#\d+ +\+\d+ ms +\$([0-9,]+\.\d\d)$/.exec(line)?.[1] ?? line)
    expect(prices).toHaveLength(6)
    for (const price of prices) expect(Number(price.replaceAll(",", ""))).toBeGreaterThan(1_000)
    expect(await demo.stop("SIGTERM")).toEqual({ code: 0, signal: null })
  })

  test("reports code and reason if the server closes, and does not reconnect", async () => {
    const child = feed(...program(), "--period", "20")
    await child.until(/#1 /)
    await server.close()
    expect((await child.exit).code).toBe(1)
    expect(linesOf(child.output).at(-1)).toBe("sibyl: the connection was closed with 1001: the service is closing")
    server = await startFeedServer(answer)
  })

  test.each([
    [
      "no key at all",
      () => [],
      /^sibyl: there is no key in \.sibyl\/demo-key; start `sibyl serve --demo` in this folder, or say --key or --key-file$/
    ],
    ["a wrong key", () => ["--key", "nonsense"], /^sibyl: ws:\/\/127\.0\.0\.1:\d+\/ws\/v1 answered 401: the key is not valid there$/],
    [
      "no server",
      () => ["--key", "k", "--url", "http://127.0.0.1:1"],
      /^sibyl: cannot connect to ws:\/\/127\.0\.0\.1:1\/ws\/v1: .*ECONNREFUSED/
    ],
    [
      "an unknown program",
      () => ["--key", server.key, "--program", "ab".repeat(32)],
      /^sibyl: no program is deployed under (ab){32} \(ProgramNotFound 36004\)$/
    ]
  ])("reports the error in one line: %s", async (_name, args, message) => {
    const words = args()
    const url = words.includes("--url") ? [] : ["--url", server.url]
    const { code, stderr, stdout } = await runSibyl(["feed", ...url, ...words], { cwd: folder })
    expect(code).toBe(1)
    expect(linesOf(stdout + stderr).at(-1)).toMatch(message)
  })

  test.each<[string, ReadonlyArray<string>, RegExp]>([
    ["an address that is none", ["--key", "k", "--url", "here"], /--url must be the address of a server/],
    ["a count of nothing", ["--key", "k", "--count", "0"], /--count must be 1 or more, not "0"/],
    ["a key and the file of another", ["--key", "k", "--key-file", "k"], /--key and --key-file are given both/],
    ["an empty key", ["--key", ""], /--key is empty/],
    ["an empty name of a key file", ["--key-file", ""], /--key-file is empty/]
  ])("refuses %s as a wrong value", async (_name, args, message) => {
    expect(await runSibyl(["feed", ...args], { cwd: folder })).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
  })

  test("names the option whose value the server refuses", async () => {
    const refused = async (...words: ReadonlyArray<string>) => {
      const { code, stderr } = await runSibyl(["feed", "--url", server.url, ...words], { cwd: folder, env: { SIBYL_KEY: server.key } })
      return [code, stderr]
    }
    expect(await refused("--program", server.programId, "--period", "1")).toEqual([
      2,
      "sibyl: --period must be a whole number from 10 to 86400000\n"
    ])
    const noProgram = "sibyl: --program must be 64 hex characters, with or without 0x, or a program's name such as v1.prices.acme\n"
    expect(await refused("--program", "")).toEqual([2, noProgram])
  })

  test("a key file that holds no key, or cannot be read, is told with the reason", async () => {
    const said = async (file: string) => (await runSibyl(["feed", "--key-file", file], { cwd: folder })).stderr
    expect(await said("/dev/null")).toContain("there is no key in /dev/null")
    expect(await said(folder)).toBe(`sibyl: ${folder} cannot be read: it is a folder (EISDIR)\n`)
  })

  test("a key file of the command line comes before SIBYL_KEY", async () => {
    const said = await runSibyl(["feed", "--key-file", "no-such-file"], { cwd: folder, env: { SIBYL_KEY: "k" } })
    expect(said).toMatchObject({ code: 1, stderr: expect.stringContaining("there is no key in no-such-file") })
  })
})
