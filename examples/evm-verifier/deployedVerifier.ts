/** The contract in its own EVM, called with responses as the service sends them. */
import { createEVM } from "@ethereumjs/evm"
import type { SignedRecord } from "@sibyl/core"
import { type Argument, bytes, encode, struct, word } from "./abiEncoding.ts"
import type { CompiledContract } from "./compileContract.ts"

/** The contract's answer. */
export interface ContractAnswer {
  readonly accepted: boolean
  /** The contract's reason, `None` if it accepts, `Revert` if the arguments are malformed. */
  readonly refusal: string
  /** Gas used by `verify` when called from another contract. */
  readonly gas: bigint
  /** Gas of a transaction that only calls `verify`: 21,000 more, and 16 or 4 for each byte of its data (EIP-2028). */
  readonly transactionGas: bigint
}

/** The deployed contract. */
export interface DeployedVerifier {
  /** Gas of the deployment, without the transaction's own. */
  readonly deploymentGas: bigint
  readonly ask: (record: SignedRecord) => Promise<ContractAnswer>
  /** What the contract answers to a call as some library encodes it, in hex without `0x`; undefined if it reverts. */
  readonly answer: (callData: string) => Promise<string | undefined>
  /** The ids as the contract derives them, 64 hex characters each. */
  readonly idsOf: (record: SignedRecord) => Promise<{ readonly drId: string; readonly resultId: string }>
}

const refusals = ["None", "Version", "DrId", "SignatureLength", "HighS", "RecoveryId", "Signer"]

const callGasLimit = 30_000_000n

const text = (value: string): Argument => bytes(Buffer.from(value).toString("hex"))

const requestOf = ({ dataRequest: request }: SignedRecord): Argument =>
  struct([
    text(request.version),
    word(request.execProgramId),
    bytes(request.execInputs),
    word(BigInt(request.execGasLimit)),
    word(request.tallyProgramId),
    bytes(request.tallyInputs),
    word(BigInt(request.tallyGasLimit)),
    word(request.replicationFactor),
    bytes(request.consensusFilter),
    word(BigInt(request.gasPrice)),
    bytes(request.memo)
  ])

const resultOf = ({ dataResult: result }: SignedRecord): Argument =>
  struct([
    text(result.version),
    word(result.drId),
    word(result.consensus),
    word(result.exitCode),
    bytes(result.result),
    word(BigInt(result.blockHeight)),
    word(BigInt(result.blockTimestamp)),
    word(BigInt(result.gasUsed)),
    bytes(result.paybackAddress),
    bytes(result.servicePayload ?? result.sedaPayload ?? "")
  ])

const dataGas = (data: Uint8Array): bigint => data.reduce((gas, byte) => gas + (byte === 0 ? 4n : 16n), 0n)

/** Deploys the contract for one signer (`0x` and 40 hex characters) into a fresh EVM. */
export const deployVerifier = async (contract: CompiledContract, signer: string): Promise<DeployedVerifier> => {
  const evm = await createEVM()
  // Inside a transaction the precompiled contracts, including ecrecover, are warm from the start (EIP-2929).
  evm.journal.addAlwaysWarmAddress("1".padStart(40, "0"))
  const code = Buffer.from(contract.bytecode + encode([word(signer.slice(2))]), "hex")
  const { createdAddress: to, execResult: made } = await evm.runCall({ data: code, gasLimit: callGasLimit })
  if (to === undefined || made.exceptionError !== undefined) throw new Error("the contract was not deployed")

  const call = async (functionName: string, fields: ReadonlyArray<Argument>) => {
    const data = Buffer.from(contract.selectorOf(functionName) + encode(fields), "hex")
    const { execResult } = await evm.runCall({ to, data, gasLimit: callGasLimit })
    const answer = Buffer.from(execResult.returnValue).toString("hex")
    return { answer, reverted: execResult.exceptionError !== undefined, gas: execResult.executionGasUsed, data }
  }

  return {
    deploymentGas: made.executionGasUsed,
    ask: async (record) => {
      const fields = [requestOf(record), resultOf(record), bytes(record.signature)]
      const { answer, data, gas } = await call("verify", fields)
      const reason = await call("check", fields)
      return {
        accepted: answer === "1".padStart(64, "0"),
        refusal: reason.reverted ? "Revert" : (refusals[Number(`0x${reason.answer}`)] ?? "unknown"),
        gas,
        transactionGas: gas + 21_000n + dataGas(data)
      }
    },
    answer: async (callData) => {
      const { execResult } = await evm.runCall({ to, data: Buffer.from(callData, "hex"), gasLimit: callGasLimit })
      return execResult.exceptionError === undefined ? Buffer.from(execResult.returnValue).toString("hex") : undefined
    },
    idsOf: async (record) => ({
      drId: (await call("drIdOf", [requestOf(record)])).answer,
      resultId: (await call("resultIdOf", [resultOf(record)])).answer
    })
  }
}
