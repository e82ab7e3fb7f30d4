/** A program that uses the guest SDK calls a data proxy through the whole service, and checks the signature itself. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { buildTimeoutMs } from "../programs/testdata/builtProgram.ts"
import { compileProgram } from "../programs/testdata/compileProgram.ts"
import { openDataProxy, type RunningProxy } from "./openDataProxy.ts"
import { chainId, openProxiedService, type ProxiedService } from "./testdata/proxiedService.ts"

const source = `
import { agreedReveals, HttpOptions, inputs, isSignedByProxy, isTally, proxyHttpFetch, setResult, setResultText } from "../sdk/index"

if (isTally()) setResult(agreedReveals()[0].bytes)
else {
  const key = String.UTF8.decode(inputs().buffer)
  const options = new HttpOptions().header("x-seda-json-path", "$.price")
  options.method = "POST"
  options.body = Uint8Array.wrap(String.UTF8.encode("question"))
  const response = proxyHttpFetch("https://proxy.test/prices?of=eth", key == "" ? null : key, options)
  const word = isSignedByProxy(response, response.header("x-seda-publickey"), options) ? " signed" : " not signed"
  setResultText(response.text() + word)
}
`

let proxy: RunningProxy
let service: ProxiedService
let program: string

beforeAll(async () => {
  const key = secp256k1.getPublicKey(new Uint8Array(32).fill(1), true)
  proxy = await openDataProxy({
    publicOrigin: "https://proxy.test",
    chainId,
    allowedKeys: [Buffer.from(key).toString("hex")],
    source: (path) => ({ status: 200, body: `answer to ${path}` })
  })
  service = await openProxiedService({ "proxy.test": proxy.origin })
  await service.registerProxy({ publicKey: proxy.publicKey, name: "Prices", feeCredits: 3n, active: true })
  program = await service.deploy(await compileProgram(source))
}, buildTimeoutMs)

afterAll(async () => {
  await service.close()
  await proxy.close()
})

interface Answer {
  readonly data: {
    readonly result: string
    readonly summary: { readonly cost: { readonly dataProxies: string } }
  }
}

const run = async (publicKey: string): Promise<readonly [result: string, fee: string]> => {
  const body = { execProgramId: program, execInputs: publicKey, includeSummary: true, encoding: "utf8" }
  const { data } = (await (await service.send("/execute", body)).json()) as Answer
  return [data.result, data.summary.cost.dataProxies]
}

describe("a program of the SDK", () => {
  it("gets the proxy's answer, whose signature it can check itself", async () => {
    expect(await run(proxy.publicKey)).toEqual(["answer to /prices?of=eth signed", "3"])
    expect(proxy.seen.at(-1)).toMatchObject({ method: "POST", body: "question" })
    expect(proxy.seen.at(-1)?.headers["x-seda-json-path"]).toBe("$.price")
  })

  it("may leave the key to the proxy", async () => {
    expect(await run("")).toEqual(["answer to /prices?of=eth signed", "3"])
  })

  it("reads why there is no answer", async () => {
    proxy.become("changedBody")
    expect(await run(proxy.publicKey)).toEqual(["Invalid proxy signature not signed", "0"])
  })
})
