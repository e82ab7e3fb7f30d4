/** Recordings of real servers are run again on both runtimes; a file that was committed comes out the same in every later version. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { readRecording, type Recording, writeRecording } from "@sibyl/core"
import { Either } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { btcUsd } from "../serve/demo/btcUsd.ts"
import { runSibyl, type Said, spawnSibyl } from "../testdata/runSibyl.ts"
import { type RuntimeName, StartedServer } from "../testdata/startedServer.ts"

/** The first execution of the README, recorded by version 0.1.0 on Node. */
const firstRun = fileURLToPath(new URL("testdata/firstRun.json", import.meta.url))

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-replay-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const recordingOf = (text: string): Recording =>
  Either.getOrThrowWith(readRecording(text), ({ message, part }) => new Error(`${part} ${message}`))

const replay = (file: string, ...more: ReadonlyArray<string>): Promise<Said> => runSibyl(["replay", file, ...more], { cwd: folder })

/** Replays a text. */
const replayText = async (text: string, ...more: ReadonlyArray<string>): Promise<Said> => {
  const file = join(folder, "recording.json")
  await writeFile(file, text)
  return replay(file, ...more)
}

interface Compared {
  readonly isFaithful: boolean
  readonly recordedBy: { readonly signer: string; readonly signedAt: string } | null
  readonly values: ReadonlyArray<{ readonly name: string; readonly isSame: boolean; readonly recorded: string; readonly replayed: string }>
}

describe("the committed recording", () => {
  test("comes out as it was recorded", async () => {
    const { code, stderr, stdout } = await replay(firstRun)
    expect([code, stderr]).toEqual([0, ""])
    expect(stdout).toMatch(/everything came out as it was recorded\n$/)
    expect(stdout).toMatch(/^recorded by +nobody has signed the recording$/m)
    const { isFaithful, recordedBy, values } = JSON.parse((await replay(firstRun, "--json")).stdout) as Compared
    expect([isFaithful, recordedBy]).toEqual([true, null])
    const recorded = Object.fromEntries(values.map(({ name, recorded: value }) => [name, value]))
    expect(recorded).toMatchObject({
      exitCode: "0",
      gasUsed: "20348219798125",
      signer: "0353636c37359a64c86d1ad00aa86a5a9f9141810f35c8e732fa00b36738f11388"
    })
  })

  test("is read from the standard input, with options on either side", async () => {
    const fromInput = (...words: ReadonlyArray<string>) => spawnSibyl(["replay", ...words], { cwd: folder })
    const empty = { code: 1, stderr: expect.stringMatching(/^\{"_tag":"CommandFailed","error":"the standard input is no recording/) }
    expect(await fromInput("-", "--json")).toMatchObject(empty)
    expect(await fromInput("--json", "-")).toMatchObject(empty)
  })

  test("is refused when a byte of it was changed, wherever it stands", async () => {
    const text = await readFile(firstRun, "utf8")
    // An odd step, so that bytes of every kind are met.
    let tried = 0
    for (let at = 0; at < text.length; at += 37) {
      const other = text[at] === "0" ? "1" : "0"
      const read = readRecording(text.slice(0, at) + other + text.slice(at + 1))
      expect(Either.isLeft(read) && read.left.part.length > 0 && read.left.message.length > 0, text.slice(at - 20, at + 20)).toBe(true)
      tried += 1
    }
    expect(tried).toBeGreaterThan(700)
    const { code, stderr } = await replayText(text.replace('"exitCode":0', '"exitCode":1'))
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/was changed: (?:dataResult|execute) was changed: it does not have its digest\n$/)
    ])
  })

  test("does not come out if its digests were made to fit a change", async () => {
    const recording = recordingOf(await readFile(firstRun, "utf8"))
    const forge = async (change: Partial<Recording>): Promise<ReadonlyArray<string>> => {
      const { code, stdout } = await replayText(writeRecording({ ...recording, ...change }), "--json")
      expect(code).toBe(1)
      const { isFaithful, values } = JSON.parse(stdout) as Compared
      expect(isFaithful).toBe(false)
      return values.filter(({ isSame }) => !isSame).map(({ name }) => name)
    }
    const { dataRequest, dataResult, execTapes, execute, run, source, tallyTape } = recording
    const changedPrice = execTapes.map((tape) => tape.replaceAll(/\\"price\\":\\"\d+/g, '\\"price\\":\\"1')) as unknown as typeof execTapes
    expect(await forge({ execTapes: changedPrice })).toEqual(
      expect.arrayContaining(["execute.result", "tally.result", "result", "resultId", "signer"])
    )
    expect(await forge({ execute: { ...execute, gasUsed: execute.gasUsed + 1n } })).toEqual(["execute.gasUsed"])
    expect(await forge({ dataResult: { ...dataResult, gasUsed: dataResult.gasUsed + 1n } })).toEqual(["gasUsed", "resultId"])
    expect(await forge({ dataRequest: { ...dataRequest, memo: Uint8Array.of(1) } })).toEqual(
      expect.arrayContaining(["drId", "resultId", "signer"])
    )
    expect(await forge({ run: { ...run, signer: `02${"0".repeat(64)}` } })).toEqual(["signer"])
    expect(await forge({ source: { ...source, limits: { ...source.limits, resultBytes: 1 } } })).toContain("execute.exitCode")
    expect((await replayText(writeRecording({ ...recording, programs: {} }))).stderr).toMatch(
      /was changed: programs do not have [0-9a-f]{64}\n$/
    )
    const { code, stdout } = await replayText(writeRecording({ ...recording, execTapes: [tallyTape ?? ""] }))
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining("the execution phase does not do what its tape says: it asks for an answer that the tape does not hold")
    ])
  })
})

describe.each(["node", "bun"] as const)("a server on %s", (runtime: RuntimeName) => {
  test("gives recordings that come out the same on the runtime of this test: good and failed runs, tallies of their own", async () => {
    const home = await mkdtemp(join(folder, runtime))
    const server = new StartedServer(runtime, ["serve", "--demo", "--port", "0"], home)
    try {
      await server.until(/Ctrl-C stops the server/)
      const [, url = ""] = /^ {2}listening +(\S+)$/m.exec(server.output) ?? []
      const programs = new Map([...server.output.matchAll(/^ {2}program +(\S+) ([0-9a-f]{64})$/gm)].map(([, name, id]) => [name, id]))
      const headers = { authorization: `Bearer ${(await readFile(join(home, ".sibyl", "demo-key"), "utf8")).trim()}` }
      const asked = [
        { execProgramId: programs.get("crypto-price"), execInputs: { id: btcUsd } },
        { execProgramId: programs.get("crypto-price"), execInputs: "no input that it reads" },
        { execProgramId: programs.get("crypto-price"), execInputs: { id: btcUsd }, tallyProgramId: programs.get("metals-index") }
      ]
      const exitCodes: Array<number> = []
      for (const request of asked) {
        const answer = await fetch(`${url}/execute`, {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          body: JSON.stringify({ ...request, includeRecording: true })
        })
        const { data } = (await answer.json()) as {
          readonly data: { readonly id: string; readonly recording: unknown; readonly dataResult: { readonly exitCode: number } }
        }
        expect(data.recording).toMatchObject({ kept: true })
        exitCodes.push(data.dataResult.exitCode)
        const text = await (await fetch(`${url}/executions/${data.id}/recording`, { headers })).text()
        const { code, stderr, stdout } = await replayText(text)
        expect([code, stderr], stdout).toEqual([0, ""])
        expect(stdout).toMatch(/^recorded by +the key of the result, signed 2\S+Z$/m)
        const { attestation, ...unsigned } = recordingOf(text)
        expect(attestation?.signer).toBe(unsigned.run.signer)
        // Whoever changes it and makes new digests cannot sign them.
        const forged = { ...unsigned, run: { ...unsigned.run, executedAtMs: 1 }, attestation }
        expect((await replayText(writeRecording(forged as Recording))).stderr).toMatch(
          /attestation is not the signature of the key that it names\n$/
        )
      }
      expect(exitCodes).toEqual([0, 1, 0])
      expect((await fetch(`${url}/executions/${crypto.randomUUID()}/recording`, { headers })).status).toBe(404)
    } finally {
      await server.stop("SIGTERM")
    }
  })
})

test("a file that is not there, and one that is no recording, are refused in one line", async () => {
  expect(await replay("nothing-here.json")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^sibyl: there is no file nothing-here\.json\n$/)
  })
  expect(await replayText("{}")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/is no recording, or was changed: format must be sibyl-recording\n$/)
  })
})
