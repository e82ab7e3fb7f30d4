/** How runs of programs are expected to end, and how their results are read. */
import { fromUtf8, toHex } from "@sibyl/core/internal"
import type { BareOutcome } from "./bareHost.ts"

/** A run that went well and said nothing. */
export const succeeded = { exitCode: 0, trap: undefined, stdout: "", stderr: "" }

/** A refusal: exit code 1, exactly this line on stderr, an empty result. */
export const refused = (line: string) => ({
  exitCode: 1,
  trap: undefined,
  result: new Uint8Array(),
  stdout: "",
  stderr: `${line}\n`
})

/** The result as text. */
export const text = (outcome: Pick<BareOutcome, "result">): string => new TextDecoder().decode(outcome.result)

/** A value as the 64 hex characters of an EVM uint256. */
export const uint256 = (value: bigint): string => value.toString(16).padStart(64, "0")

/** Inputs as a program gets them: in hex, of a text its own bytes, of anything else its JSON. */
export const inputsHex = (inputs: unknown): string => toHex(fromUtf8(typeof inputs === "string" ? inputs : JSON.stringify(inputs)))
