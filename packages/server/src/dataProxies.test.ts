/** Data proxies in a deployment: registered in its database, called with its key, paid from its ledger. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openDataProxy } from "@sibyl/devkit"
import { proxyProgram } from "@sibyl/testing"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openSibyl } from "./service/openSibyl.ts"
import type { Sibyl } from "./service/sibyl.ts"
import { askEmbedded } from "./testdata/askEmbedded.ts"

const publicOrigin = "https://proxy.test"
const network = { name: "testnet", chainId: "sibyl-1-test" }

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-proxies-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Answer {
  readonly data: {
    readonly summary: { readonly creditsUsed: string; readonly cost: { readonly dataProxies: string } }
    readonly execute: { readonly result: string }
  }
}

const json = async (sibyl: Sibyl, path: string, key: string, body?: object): Promise<unknown> =>
  JSON.parse(await askEmbedded(sibyl, key, path, body))

it("a registered proxy is called and paid, also after a restart; a changed one costs its new fee", async () => {
  const allowedKeys: Array<string> = []
  const proxy = await openDataProxy({
    publicOrigin,
    allowedKeys,
    chainId: network.chainId,
    source: () => ({ status: 200, body: "42" })
  })
  const open = () =>
    openSibyl({
      database: join(folder, "sibyl.sqlite"),
      network,
      workers: 1,
      outbound: { hostOverrides: { "proxy.test": proxy.origin } }
    })
  const input = { publicKey: proxy.publicKey, name: "Prices", feeCredits: 5n, active: true }

  let sibyl = await open()
  const programId = await sibyl.deploy(proxyProgram)
  const { projectId } = await sibyl.createProject({ organizationSlug: "acme" })
  await sibyl.grant(projectId, 1_000_000n)
  const { key } = await sibyl.issueKey(projectId)
  allowedKeys.push(((await json(sibyl, "/info", key)) as { readonly publicKey: string }).publicKey)
  const run = async (): Promise<Answer["data"]> => {
    const execInputs = `2${JSON.stringify({ url: `${publicOrigin}/eth`, options: {} })}`
    const body = { execProgramId: programId, execInputs, includeSummary: true, includeDebugInfo: true, encoding: "utf8" }
    return ((await json(sibyl, "/execute", key, body)) as Answer).data
  }
  const record = () => json(sibyl, `/data-proxy/${proxy.publicKey}`, key)

  const before = await run()
  expect([before.summary.cost.dataProxies, before.execute.result.startsWith('{"Rejected":')]).toEqual(["0", true])
  expect(await record()).toEqual({ registered: false, name: "", publicKey: proxy.publicKey, fee: "0" })

  await sibyl.registerProxy(input)
  const paid = await run()
  expect([paid.summary.cost.dataProxies, paid.execute.result.startsWith('{"Fulfilled":')]).toEqual(["10", true])

  await sibyl.close()
  sibyl = await open()
  expect(await record()).toEqual({ registered: true, name: "Prices", publicKey: proxy.publicKey, fee: "5" })
  expect((await run()).summary.cost.dataProxies).toBe("10")
  await sibyl.registerProxy({ ...input, feeCredits: 9n })
  const last = await run()
  expect(last.summary.cost.dataProxies).toBe("18")
  await expect(sibyl.registerProxy({ ...input, name: "" })).rejects.toThrow(/name must be/)

  const { credits } = (await json(sibyl, "/project", key)) as {
    readonly credits: { readonly remaining: string; readonly used: string; readonly held: string }
  }
  expect(credits.held).toBe("0")
  expect(BigInt(credits.remaining) + BigInt(credits.used)).toBe(1_000_000n)
  const gasAndBase = BigInt(paid.summary.creditsUsed) - 10n
  expect(BigInt(credits.used)).toBe(BigInt(before.summary.creditsUsed) + 3n * gasAndBase + 10n + 10n + 18n)
  await sibyl.close()
  await proxy.close()
})
