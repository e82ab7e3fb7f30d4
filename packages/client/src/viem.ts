/** For viem: an answer as a call of the verifier contract. Nothing of viem is imported. */
import { type SignedAnswer, type VerifierArguments, verifierArguments } from "./contracts/verifierArguments.ts"

export { verifierArguments } from "./contracts/verifierArguments.ts"
export type { Hex, RequestArgument, ResultArgument, SignedAnswer, SignedParts, VerifierArguments } from "./contracts/verifierArguments.ts"

const inputs = [
  {
    name: "request",
    type: "tuple",
    components: [
      { name: "version", type: "string" },
      { name: "execProgramId", type: "bytes32" },
      { name: "execInputs", type: "bytes" },
      { name: "execGasLimit", type: "uint64" },
      { name: "tallyProgramId", type: "bytes32" },
      { name: "tallyInputs", type: "bytes" },
      { name: "tallyGasLimit", type: "uint64" },
      { name: "replicationFactor", type: "uint16" },
      { name: "consensusFilter", type: "bytes" },
      { name: "gasPrice", type: "uint128" },
      { name: "memo", type: "bytes" }
    ]
  },
  {
    name: "result",
    type: "tuple",
    components: [
      { name: "version", type: "string" },
      { name: "drId", type: "bytes32" },
      { name: "consensus", type: "bool" },
      { name: "exitCode", type: "uint8" },
      { name: "result", type: "bytes" },
      { name: "blockHeight", type: "uint64" },
      { name: "blockTimestamp", type: "uint64" },
      { name: "gasUsed", type: "uint128" },
      { name: "paybackAddress", type: "bytes" },
      { name: "servicePayload", type: "bytes" }
    ]
  },
  { name: "signature", type: "bytes" }
] as const

/** The verifier contract's interface. */
export const verifierAbi = [
  { type: "function", name: "signer", stateMutability: "view", inputs: [], outputs: [{ name: "", type: "address" }] },
  { type: "function", name: "verify", stateMutability: "view", inputs, outputs: [{ name: "", type: "bool" }] },
  { type: "function", name: "check", stateMutability: "view", inputs, outputs: [{ name: "", type: "uint8" }] }
] as const

/** The call that asks the contract whether the answer holds. */
export interface VerifierCall {
  readonly abi: typeof verifierAbi
  readonly functionName: "verify"
  readonly args: VerifierArguments
}

/** For `readContract({ address, ...verifierCall(answer) })`. */
export const verifierCall = (answer: SignedAnswer): VerifierCall => ({
  abi: verifierAbi,
  functionName: "verify",
  args: verifierArguments(answer)
})
