/** Two networks in one process, each under its prefix: no key, program or result of one is valid in the other. */
import { HttpFetch, toWebHandler } from "@sibyl/core"
import { layerProgramRuntime } from "@sibyl/vm"
import { Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { auditPrograms } from "../audits/programs/auditPrograms.ts"
import { type MemoryService, openMemoryService } from "../memoryService.ts"

interface Network {
  readonly memory: MemoryService
  readonly key: string
}

const openNetwork = async (name: string, chainId: string): Promise<Network> => {
  const machine = layerProgramRuntime({ workers: 1 }).pipe(Layer.provide(HttpFetch.layerClosed))
  const memory = await openMemoryService(machine, { network: { name, chainId } })
  const { projectId } = await memory.createProject({ organizationSlug: "both" })
  await memory.grant(projectId, 100_000n)
  return { memory, key: await memory.issueKey(projectId) }
}

let main: Network
let trial: Network
let echo: string
let ask: (prefix: string, path: string, key: string) => Promise<{ readonly status: number; readonly json: object }>

beforeAll(async () => {
  main = await openNetwork("mainnet", "sibyl-1")
  trial = await openNetwork("testnet", "sibyl-1-testnet")
  echo = await main.memory.deploy(auditPrograms.echo)
  const handlers = [toWebHandler(main.memory.service, { prefix: "/main" }), toWebHandler(trial.memory.service, { prefix: "/trial/net" })]
  ask = async (prefix, path, key) => {
    const headers = { authorization: `Bearer ${key}` }
    for (const handle of handlers) {
      const response = await handle(new Request(`http://host${prefix}${path}`, { headers }))
      if (response !== undefined) {
        return { status: response.status, json: (await response.json()) as object }
      }
    }
    return { status: 0, json: {} }
  }
})

afterAll(async () => {
  await main.memory.close()
  await trial.memory.close()
})

const run = (input: string): string => `/execute?execProgramId=${echo}&execInputs=${input}`
const stored = (input: string): string => `/execute/last-result?execProgramId=${echo}&execInputs=${input}`

describe("two networks in one process", () => {
  it("report their own names", async () => {
    expect((await ask("/main", "/info", "")).json).toMatchObject({ network: "mainnet", chainId: "sibyl-1" })
    const { json } = await ask("/trial/net", "/info", "")
    expect(json).toMatchObject({ network: "testnet", chainId: "sibyl-1-testnet" })
    expect((await ask("/trial", "/info", "")).status).toBe(0)
  })

  it("refuse each other's keys", async () => {
    expect((await ask("/main", "/verify", main.key)).status).toBe(200)
    expect((await ask("/trial/net", "/verify", trial.key)).status).toBe(200)
    expect((await ask("/main", "/verify", trial.key)).status).toBe(401)
    expect((await ask("/trial/net", "/verify", main.key)).status).toBe(401)
  })

  it("have programs and results of their own", async () => {
    expect((await ask("/main", run("a"), main.key)).status).toBe(200)
    const absent = await ask("/trial/net", run("a"), trial.key)
    expect(absent).toMatchObject({ status: 404, json: { _tag: "ProgramNotFound" } })
    expect(await trial.memory.deploy(auditPrograms.echo)).toBe(echo)
    expect(await ask("/trial/net", stored("a"), trial.key)).toMatchObject({
      status: 404,
      json: { _tag: "LastResultNotFound" }
    })
    expect((await ask("/main", stored("a"), main.key)).status).toBe(200)
    expect((await ask("/trial/net", run("b"), trial.key)).status).toBe(200)
    expect((await ask("/main", stored("b"), main.key)).status).toBe(404)
  })
})
