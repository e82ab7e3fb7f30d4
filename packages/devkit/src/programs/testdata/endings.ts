/** Expected endings of program runs, and how their results are read. */
import { fromUtf8, toHex } from "@sibyl/core/internal"
import type { BareOutcome } from "./bareHost.ts"

/** A successful run without output. */
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

/** Inputs as a program gets them, in hex: the bytes of a text, or the JSON of any other value. */
export const inputsHex = (inputs: unknown): string => toHex(fromUtf8(typeof inputs === "string" ? inputs : JSON.stringify(inputs)))
