/** The current request as the host describes it in either phase, which encode some values differently. */
import { fromBase64 } from "./base64"
import { env, isTally } from "./environment"
import { fromHexText } from "./hex"
import { inputs } from "./inputs"
import { fail } from "./process"

/** The id of the request, 64 hex characters. */
export function drId(): string {
  return required("DR_ID")
}

export function execProgramId(): string {
  return required("EXEC_PROGRAM_ID")
}

export function tallyProgramId(): string {
  return required("TALLY_PROGRAM_ID")
}

/** How many executors run the execution phase. */
export function replicationFactor(): i32 {
  return I32.parseInt(required("DR_REPLICATION_FACTOR"))
}

export function blockHeight(): u64 {
  return U64.parseInt(required(isTally() ? "BLOCK_HEIGHT" : "DR_HEIGHT"))
}

/** The gas limit of all executions together. */
export function execGasLimit(): u64 {
  return U64.parseInt(required(isTally() ? "EXEC_GAS_LIMIT" : "DR_EXEC_GAS_LIMIT"))
}

export function tallyGasLimit(): u64 {
  return U64.parseInt(required("DR_TALLY_GAS_LIMIT"))
}

/** The price of one unit of gas, in decimal digits. */
export function gasPrice(): string {
  return required("DR_GAS_PRICE")
}

export function memo(): Uint8Array {
  return bytesOf("DR_MEMO")
}

/** Hex digits, empty if there is none. */
export function paybackAddress(): string {
  return required("DR_PAYBACK_ADDRESS")
}

/** The network; `null` in the tally phase, which does not have it. */
export function chainId(): string | null {
  return env("CHAIN_ID")
}

/** The inputs of the execution phase, in either phase. */
export function execInputs(): Uint8Array {
  return isTally() ? bytesOf("EXEC_INPUTS") : inputs()
}

/** The inputs of the tally phase, in either phase. */
export function tallyInputs(): Uint8Array {
  return isTally() ? inputs() : bytesOf("TALLY_INPUTS")
}

/** Whether the executors agreed; in the execution phase this is unknown, and the program ends. */
export function consensusReached(): bool {
  return required("CONSENSUS") == "true"
}

function required(name: string): string {
  const value = env(name)
  return value === null ? fail<string>("the host does not set " + name) : value
}

/** The bytes of a variable: hex in the execution phase, base64 in the tally phase. */
function bytesOf(name: string): Uint8Array {
  const text = required(name)
  const bytes = isTally() ? fromBase64(text) : fromHexText(text)
  return bytes === null ? fail<Uint8Array>("the host's " + name + " is malformed") : bytes
}
