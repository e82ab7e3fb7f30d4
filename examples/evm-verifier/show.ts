/** Prints the contract's answer to a response and to each change of it, with the gas used. */
import { readFileSync } from "node:fs"
import type { SignedRecord } from "@sibyl/core"
import { evmAddressOf, verify } from "@sibyl/core/verify"
import { changedFields } from "./changedFields.ts"
import { compileContract } from "./compileContract.ts"
import { deployVerifier } from "./deployedVerifier.ts"

interface Recorded {
  readonly publicKey: string
  readonly response: { readonly data: SignedRecord }
}

// With your own response: `npm start -- answer.json PUBLIC_KEY`, the body of /execute and the key of /info.
const [file, ownKey] = process.argv.slice(2)
const read = (path: URL | string): unknown => JSON.parse(readFileSync(path, "utf8"))
const recorded = read(new URL("response.json", import.meta.url)) as Recorded
const { publicKey, response } =
  file === undefined || ownKey === undefined ? recorded : { publicKey: ownKey, response: read(file) as Recorded["response"] }

const signer = evmAddressOf(publicKey)
if (signer === undefined) throw new Error(`not a public key: ${publicKey}`)
const contract = await deployVerifier(compileContract(), signer)

const number = (value: bigint): string => value.toLocaleString("en-US")
const print = (...cells: ReadonlyArray<string>): void => {
  const [what = "", onChain = "", offChain = "", gas = "", transaction = ""] = cells
  console.log(what.padEnd(30), onChain.padEnd(17), offChain.padEnd(27), gas.padStart(7), transaction.padStart(11))
}

print("changed", "contract", "@sibyl/core/verify", "gas", "transaction")
const responses = [{ field: "nothing", record: response.data }, ...changedFields(response.data)]
for (const { field, record } of responses) {
  const { accepted, gas, refusal, transactionGas } = await contract.ask(record)
  const verdict = verify(record, { publicKey })
  const onChain = accepted ? "accepted" : `refused: ${refusal}`
  const offChain = verdict.ok ? "accepted" : `refused: ${verdict.reason}`
  print(field, onChain, offChain, number(gas), number(transactionGas))
}
console.log(`\nsigner ${signer}, deployed for ${number(contract.deploymentGas)} gas`)
