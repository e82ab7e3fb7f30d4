/** A run of several executors that each paid a data proxy, and were answered differently, is run again without the proxy. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openDataProxy } from "@sibyl/devkit"
import { proxyProgram } from "@sibyl/testing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openSibyl } from "../service/openSibyl.ts"
import { askEmbedded } from "../testdata/askEmbedded.ts"
import { runSibyl } from "../testdata/runSibyl.ts"

const publicOrigin = "https://proxy.test"
const network = { name: "testnet", chainId: "sibyl-1-test" }

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-replayed-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Answer {
  readonly data: {
    readonly id: string
    readonly dataResult: { readonly consensus: boolean; readonly exitCode: number; readonly result: string }
    readonly recording: { readonly kept: boolean }
    readonly summary: { readonly cost: { readonly dataProxies: string } }
  }
}

interface Reveal {
  readonly reveal: ReadonlyArray<number>
  readonly proxy_public_keys: ReadonlyArray<string>
}

interface Compared {
  readonly isFaithful: boolean
  readonly values: ReadonlyArray<{ readonly name: string; readonly recorded: string }>
}

test("each executor's phase is run again on its own tape, and the tally on what they revealed", async () => {
  const allowedKeys: Array<string> = []
  let calls = 0
  const proxy = await openDataProxy({
    publicOrigin,
    allowedKeys,
    chainId: network.chainId,
    source: () => ({ status: 200, body: String((calls += 1)) })
  })
  const sibyl = await openSibyl({
    database: "sqlite::memory:",
    network,
    workers: 1,
    replicationFactor: 3,
    outbound: { hostOverrides: { "proxy.test": proxy.origin } }
  })
  try {
    await sibyl.registerProxy({ publicKey: proxy.publicKey, name: "Prices", feeCredits: 5n, active: true })
    const programId = await sibyl.deploy(proxyProgram)
    const { projectId } = await sibyl.createProject({ organizationSlug: "acme" })
    await sibyl.grant(projectId, 1_000_000n)
    const { key } = await sibyl.issueKey(projectId)
    const ask = (path: string, body?: object): Promise<string> => askEmbedded(sibyl, key, path, body)
    allowedKeys.push((JSON.parse(await ask("/info")) as { readonly publicKey: string }).publicKey)
    const execInputs = `2${JSON.stringify({ url: `${publicOrigin}/eth`, options: {} })}`
    const asked = { execProgramId: programId, execInputs, includeSummary: true, includeRecording: true }
    const { data } = JSON.parse(await ask("/execute", asked)) as Answer
    expect(data).toMatchObject({ dataResult: { consensus: true, exitCode: 0 }, recording: { kept: true } })
    // The program makes two calls.
    expect([calls, data.summary.cost.dataProxies]).toEqual([6, "30"])
    const file = join(folder, "run.json")
    await writeFile(file, await ask(`/executions/${data.id}/recording`))
    await proxy.close()
    const { code, stdout } = await runSibyl(["replay", file, "--json"], { cwd: folder })
    const { isFaithful, values } = JSON.parse(stdout) as Compared
    expect([code, isFaithful]).toEqual([0, true])
    const recorded = new Map(values.map((value) => [value.name, value.recorded]))
    expect(recorded.get("result")).toBe(data.dataResult.result)
    const reveals = JSON.parse(Buffer.from(recorded.get("tally.result") ?? "", "hex").toString()) as ReadonlyArray<Reveal>
    expect(new Set(reveals.map(({ reveal }) => Buffer.from(reveal).toString())).size).toBe(3)
    expect(new Set(reveals.flatMap(({ proxy_public_keys: keys }) => keys))).toEqual(new Set([proxy.publicKey]))
  } finally {
    await Promise.all([sibyl.close(), proxy.close()])
  }
})
