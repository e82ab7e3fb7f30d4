/** What `@sibyl/client` gives to viem and to ethers is what the contract accepts: encoded by those libraries, asked in a real EVM. */
import { readFileSync } from "node:fs"
import type { ExecuteResponse } from "@sibyl/client"
import * as forEthers from "@sibyl/client/ethers"
import * as forViem from "@sibyl/client/viem"
import { evmAddressOf } from "@sibyl/core/verify"
import { Interface } from "ethers"
import { decodeFunctionResult, encodeFunctionData } from "viem"
import { beforeAll, expect, test } from "vitest"
import { compileContract } from "./compileContract.ts"
import { type DeployedVerifier, deployVerifier } from "./deployedVerifier.ts"

interface Recorded {
  readonly publicKey: string
  readonly response: ExecuteResponse
}

const { publicKey, response } = JSON.parse(readFileSync(new URL("response.json", import.meta.url), "utf8")) as Recorded
const { dataResult } = response.data
/** Signed values that were changed by one. */
const changed = { ...response.data, dataResult: { ...dataResult, blockHeight: String(BigInt(dataResult.blockHeight) + 1n) } }

let verifier: DeployedVerifier

beforeAll(async () => {
  verifier = await deployVerifier(compileContract(), evmAddressOf(publicKey) ?? "")
})

const ask = async (callData: string): Promise<`0x${string}`> => `0x${await verifier.answer(callData.slice(2))}`

test("the contract accepts an answer as viem encodes it, and refuses a changed one", async () => {
  for (const [answer, holds] of [
    [response, true],
    [response.data, true],
    [changed, false]
  ] as const) {
    const call = forViem.verifierCall(answer)
    const data = await ask(encodeFunctionData(call))
    expect(decodeFunctionResult({ abi: call.abi, functionName: call.functionName, data })).toBe(holds)
  }
})

test("the contract accepts an answer as ethers encodes it, and says what is wrong with a changed one", async () => {
  const contract = new Interface(forEthers.verifierAbi)
  const askWith = async (name: string, answer: forEthers.SignedAnswer) =>
    contract.decodeFunctionResult(name, await ask(contract.encodeFunctionData(name, forEthers.verifierArguments(answer)))).toArray()
  expect(await askWith("verify", response)).toEqual([true])
  expect(await askWith("check", response)).toEqual([0n])
  expect(await askWith("verify", changed)).toEqual([false])
  // A changed result has another id, which another key would have signed.
  expect(await askWith("check", changed)).toEqual([6n])
})

test("both libraries make the same call", () => {
  const { args } = forViem.verifierCall(response)
  expect(new Interface(forEthers.verifierAbi).encodeFunctionData("verify", args)).toBe(encodeFunctionData(forViem.verifierCall(response)))
})

test("the contract names its signer to both", async () => {
  const data = await ask(encodeFunctionData({ abi: forViem.verifierAbi, functionName: "signer" }))
  expect(decodeFunctionResult({ abi: forViem.verifierAbi, functionName: "signer", data }).toLowerCase()).toBe(evmAddressOf(publicKey))
})
