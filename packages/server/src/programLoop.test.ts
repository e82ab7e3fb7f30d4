/** From an empty folder to one's own program on a real server, by the commands of the README. */
import { spawn } from "node:child_process"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { ExecuteResponse, FailedExecutionResponse, programIdOf } from "@sibyl/core"
import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { askSibyl, runSibyl, spawnSibyl } from "./testdata/runSibyl.ts"
import { plainEnvironment, type RuntimeName, sibylProgram, StartedServer } from "./testdata/startedServer.ts"

const runtime: RuntimeName = typeof globalThis.Bun === "undefined" ? "node" : "bun"

/** Time for about ten processes, three of which compile. */
const wholeLoopMs = 400_000

let folder: string
let server: StartedServer
let url: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-loop-"))
  // What it asks of itself goes through no proxy, which Bun's fetch would obey on loopback, too.
  const environment = { HTTP_PROXY: "http://127.0.0.1:1" }
  server = new StartedServer(runtime, ["serve", "--demo", "--json", "--port", "0", "--workers", "1"], folder, environment)
  const [line] = await server.until(/^\{"(?:url|executor)":.*\}$/m)
  url = Schema.decodeUnknownSync(Schema.Struct({ url: Schema.String }))(JSON.parse(line)).url
}, wholeLoopMs)
afterAll(async () => {
  await server.stop("SIGKILL")
  await rm(folder, { recursive: true, force: true })
})

const readme = await readFile(fileURLToPath(new URL("../../../README.md", import.meta.url)), "utf8")
const commands = (/## Write a program\n[^]*?```sh\n([^]*?)```/.exec(readme)?.[1] ?? "").trim().split("\n")

/** A line of the README as a shell runs it, with this runtime for `npx`. */
const runLine = (line: string): Promise<{ readonly code: number | null; readonly said: string }> =>
  new Promise((resolve, reject) => {
    const [binary, bin] = sibylProgram()
    const child = spawn("sh", ["-c", line.replace("npx sibyl", '"$RUNTIME" "$SIBYL"')], {
      cwd: folder,
      env: { ...plainEnvironment, RUNTIME: binary, SIBYL: bin },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let said = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        said += chunk.toString()
      })
    }
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, said }))
  })

/** The request of a curl line of the README: its address, header and parameters, with files read where it reads them. */
const fetchLine = async (line: string): Promise<Response> => {
  let whole = line
  for (const [all, path = ""] of line.matchAll(/\$\(cat ([^)]+)\)/g)) {
    whole = whole.replace(all, (await readFile(join(folder, path), "utf8")).trim())
  }
  const [, path = ""] = /^curl -sG http:\/\/127\.0\.0\.1:8717(\/\S+)/.exec(whole) ?? []
  const [, authorization = ""] = /-H "Authorization: ([^"]+)"/.exec(whole) ?? []
  const parameters = [...whole.matchAll(/ -d (\S+)/g)].map(([, parameter = ""]) => parameter)
  return fetch(`${url}${path}?${parameters.join("&")}`, { headers: { authorization } })
}

const Profile = Schema.Struct({
  programId: Schema.String,
  exitCode: Schema.Number,
  phases: Schema.Array(
    Schema.Struct({ gasUsed: Schema.String, rows: Schema.Array(Schema.Struct({ name: Schema.String, self: Schema.String })) })
  )
})

describe(`the developer's loop on ${runtime}`, () => {
  test(
    "answers on the server after the six commands of the README",
    async () => {
      expect(
        commands.map((line) =>
          line
            .split(" ")
            .slice(0, line.startsWith("curl") ? 1 : 3)
            .join(" ")
        )
      ).toEqual(["npx sibyl new", "npx sibyl build", "npx sibyl test", "npx sibyl run", "npx sibyl deploy", "curl"])
      const said: Array<string> = []
      for (const line of commands.slice(0, 5)) {
        const ended = await runLine(line)
        expect(ended, line).toMatchObject({ code: 0 })
        said.push(ended.said)
      }
      const [, built = "", tested = "", ran = "", deployed = ""] = said
      const programId = programIdOf(await readFile(join(folder, "my-feed/build/my-feed.wasm")))
      expect(built).toContain(programId)
      expect(tested).toMatch(/^btc-usd +passed .*\nupstream-down +passed /m)
      expect(ran).toMatch(/^result +\{"price":[0-9.]+\}$/m)
      expect(ran).toMatch(/^GET +200 +[0-9,]+ +[0-9.]+ +https:\/\/hermes\.pyth\.network\//m)
      expect(deployed).toContain(programId)

      const response = await fetchLine(commands[5] ?? "")
      expect(response.status).toBe(200)
      const { data } = Schema.decodeUnknownSync(ExecuteResponse)(await response.json())
      expect(data.dataRequest.execProgramId).toBe(programId)
      expect(data.result).toEqual({ price: expect.any(Number) })
    },
    wholeLoopMs
  )

  test(
    "runs a program as the server does: the same request has the same id, gas, price and logs on both",
    async () => {
      const execProgramId = programIdOf(await readFile(join(folder, "my-feed/build/my-feed.wasm")))
      // No feed has such an id, and the simulator's refusal does not depend on the time.
      const execInputs = JSON.stringify({ feed: "ab" })
      const key = (await readFile(join(folder, ".sibyl/demo-key"), "utf8")).trim()
      const response = await fetch(`${url}/execute?includeSummary&includeDebugInfo`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ execProgramId, execInputs })
      })
      expect(response.status).toBe(599)
      const { data } = Schema.decodeUnknownSync(FailedExecutionResponse)(await response.json())
      const ran = await runSibyl(["run", "my-feed/build/my-feed.wasm", "--inputs", execInputs, "--demo", "--json"], {
        cwd: folder
      })
      expect(JSON.parse(ran.stdout)).toMatchObject({
        drId: data.dataResult.drId,
        exitCode: data.dataResult.exitCode,
        gasUsed: data.dataResult.gasUsed,
        phases: { exec: { stderr: data.execute?.stderr }, tally: null },
        credits: data.summary?.cost
      })
      expect(data.execute?.stderr).toMatch(/^the price service /)
    },
    wholeLoopMs
  )

  test(
    "profiles a folder, with the function names of its sources",
    async () => {
      const asked = ["profile", "my-feed", "--inputs", "{}", "--demo"]
      const profile = Schema.decodeUnknownSync(Profile)(await askSibyl(asked, { cwd: folder }))
      expect(profile).toMatchObject({ programId: programIdOf(await readFile(join(folder, "my-feed/build/my-feed.wasm"))), exitCode: 0 })
      const names = profile.phases.flatMap(({ rows }) => rows.map(({ name }) => name))
      expect(names).toContain("seda_v1.http_fetch")
      expect(names.filter((name) => name.startsWith("index/"))).not.toEqual([])
      expect(names.filter((name) => name.startsWith("func "))).toEqual([])
      for (const { gasUsed, rows } of profile.phases) expect(rows.reduce((sum, { self }) => sum + BigInt(self), 0n)).toBe(BigInt(gasUsed))

      expect(await readdir(join(folder, "my-feed/build"))).toContain("my-feed.speedscope.json")

      const tested = await runSibyl(["test", "my-feed", "--profile"], { cwd: folder })
      expect(tested.stdout).toMatch(/^btc-usd execution, dearest functions$/m)
    },
    wholeLoopMs
  )

  test(
    "gives the same id in another folder, and refuses to overwrite",
    async () => {
      await runSibyl(["new", "deep/er/my-feed"], { cwd: folder })
      const here = await askSibyl(["build", "deep/er/my-feed"], { cwd: folder })
      const id = await readFile(join(folder, "my-feed/build/my-feed.id"), "utf8")
      expect(here).toMatchObject({ programId: id.trim() })
      const again = await runSibyl(["new", "my-feed"], { cwd: folder })
      expect(again).toMatchObject({ code: 1, stderr: "sibyl: my-feed is there already, and not empty\n" })
      const misnamed = await runSibyl(["new", "My Feed"], { cwd: folder })
      expect(misnamed.code).toBe(2)
      expect(await readdir(folder)).not.toContain("My Feed")
    },
    wholeLoopMs
  )

  test(
    "shows the compiler's errors unchanged",
    async () => {
      await runSibyl(["new", "broken"], { cwd: folder })
      await writeFile(join(folder, "broken", "index.ts"), "export function _(): i32 { return missing }\n")
      const forPeople = await runSibyl(["build", "broken"], { cwd: folder })
      expect(forPeople.code).toBe(1)
      expect(forPeople.stderr).toMatch(/ERROR TS2304: Cannot find name 'missing'\.\n[^]*in index\.ts\(1,\d+\)/)
      expect(forPeople.stderr).toMatch(/^compiling broken\/index\.ts with assemblyscript \d/)
      expect(forPeople.stderr).toMatch(/sibyl: broken does not compile\n$/)
      const { code, stderr } = await runSibyl(["build", "broken", "--json"], { cwd: folder })
      expect(code).toBe(1)
      expect(JSON.parse(stderr)).toMatchObject({ _tag: "CompileFailed", compiler: expect.stringContaining("TS2304") })
      await writeFile(join(folder, "broken", "index.ts"), "const nothing = 1\n")
      // The compiler decides when it is loaded whether it colours its messages: where CI is set.
      const alone = await spawnSibyl(["build", "broken"], { cwd: folder, env: { CI: "true" } })
      expect(alone.stderr).toMatch(/sibyl: broken does not compile: a program has to import something of @sibyl\/programs\/sdk\/index\n$/)
    },
    wholeLoopMs
  )

  test(
    "warns after a build of what no phase would start",
    async () => {
      await runSibyl(["new", "foreign"], { cwd: folder })
      const source = `import { isTally } from "@sibyl/programs/sdk/index"
        @external("env", "ask") declare function ask(flag: bool): void
        ask(isTally())`
      await writeFile(join(folder, "foreign", "index.ts"), source)
      const forPeople = await runSibyl(["build", "foreign"], { cwd: folder })
      expect(forPeople).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^warning {2}the execution phase refuses it: Error while importing "env"\."ask": unknown import/m)
      })
      const { findings } = (await askSibyl(["build", "foreign"], { cwd: folder })) as { readonly findings: ReadonlyArray<object> }
      expect(findings).toEqual(["execution", "tally"].map((about) => expect.objectContaining({ level: "warning", about })))
      const { findings: none } = (await askSibyl(["build", "my-feed"], { cwd: folder })) as { readonly findings: ReadonlyArray<object> }
      expect(none).not.toContainEqual(expect.objectContaining({ level: "warning" }))
    },
    wholeLoopMs
  )

  test(
    "fails a case with another outcome, records a run as a case, and reports a change of gas",
    async () => {
      const wasm = "my-feed/build/my-feed.wasm"
      const inCases = (name: string) => join(folder, "my-feed/cases", name)
      const given = ["--time", "2026-01-05T12:00:00Z", "--demo", "--record", "my-feed/cases/recorded.json"]
      expect(await askSibyl(["run", wasm, "--inputs", "{}", ...given], { cwd: folder })).toMatchObject({ exitCode: 0 })
      const text = await readFile(inCases("btc-usd.json"), "utf8")
      await writeFile(inCases("btc-usd.json"), text.replace("96243.12345678}", "1}"))
      const test = ["test", "my-feed", "--program", wasm]
      const failed = await runSibyl([...test, "--json"], { cwd: folder })
      expect(failed.code).toBe(1)
      expect(JSON.parse(failed.stdout)).toMatchObject({
        passed: 2,
        failed: 1,
        cases: [
          { name: "btc-usd", state: "failed", faults: [expect.stringContaining("expected")] },
          { name: "recorded", state: "passed", exitCode: 0, gasChange: "0" },
          { name: "upstream-down", state: "passed", exitCode: 1 }
        ]
      })
      expect(await askSibyl([...test, "--update"], { cwd: folder })).toMatchObject({ failed: 0 })
      const updated: unknown = JSON.parse(await readFile(inCases("btc-usd.json"), "utf8"))
      expect(updated).toMatchObject({ expect: { result: '{"price":96243.12345678}', stderr: "^$" } })

      // What is no case fails, and the others are judged all the same.
      await writeFile(inCases("btc-usd.json"), text.replace('"expect": {', '"expect": { "exitcode": 0,'))
      await writeFile(inCases("recorded.json"), "{ no JSON")
      const partly = await runSibyl([...test, "--json"], { cwd: folder })
      expect(partly.code).toBe(1)
      expect(JSON.parse(partly.stdout)).toMatchObject({
        passed: 1,
        failed: 2,
        cases: [
          { state: "failed", exitCode: null, gas: null, faults: [expect.stringMatching(/btc-usd\.json: expect\.exitcode: /)] },
          { state: "failed", exitCode: null, gas: null, faults: [expect.stringMatching(/recorded\.json: SyntaxError: /)] },
          { name: "upstream-down", state: "passed" }
        ]
      })
      await rm(inCases("recorded.json"))
      const mended = await askSibyl([...test, "--update"], { cwd: folder })
      expect(mended).toMatchObject({ failed: 0, cases: [{ name: "btc-usd", state: "updated" }, { state: "passed" }] })
    },
    wholeLoopMs
  )

  test(
    "exits with 1 if the program fails, and with 2 if the command line is invalid",
    async () => {
      const wasm = "my-feed/build/my-feed.wasm"
      const refused = ["--override-host", `hermes.pyth.network=${url}`]
      const failed = await runSibyl(["run", wasm, "--json", ...refused], { cwd: folder })
      expect(failed.code).toBe(1)
      expect(JSON.parse(failed.stdout)).toMatchObject({
        exitCode: 1,
        phases: { exec: { stderr: "the price service answered with status 404\n" }, tally: null },
        calls: [{ method: "GET", status: 404 }]
      })
      expect(JSON.parse(failed.stderr)).toMatchObject({ message: "the program ended with exit code 1" })
      const mistakes = [
        ["--inputs", "0xabc"],
        ["--gas-limit", "much"],
        ["--override-host", "x"],
        ["--time", "noon"],
        ["--proxy", "x=1"]
      ]
      for (const wrong of mistakes) {
        const { code, stderr } = await runSibyl(["run", wasm, ...wrong], { cwd: folder })
        expect([code, stderr.split("\n").length], wrong.join(" ")).toEqual([2, 2])
      }
    },
    wholeLoopMs
  )
})
