/** One run of the probe program: a command, its inputs, and its output. */
import { fromUtf8, toHex } from "@sibyl/core/internal"
import { expect } from "vitest"
import { type BareOutcome, type BareRun, runBare } from "./bareHost.ts"

/** Runs a command of the probe with these inputs. */
export type Probe = (command: string, inputs?: Uint8Array | string, changes?: Partial<BareRun>) => BareOutcome

/** Commands for a compiled probe. */
export const probeWith =
  (program: WebAssembly.Module): Probe =>
  (command, inputs = "", changes = {}) => {
    const bytes = typeof inputs === "string" ? fromUtf8(inputs) : inputs
    // A tally is recognized by its third argument.
    const args = [toHex(bytes), command, ...(changes.phase === "tally" ? ["[]"] : [])]
    return runBare(program, { phase: "dr", args, ...changes })
  }

/** The result of a successful run, as text. */
export const text = (outcome: BareOutcome): string => {
  expect(outcome).toMatchObject({ exitCode: 0, trap: undefined, stderr: "" })
  return new TextDecoder().decode(outcome.result)
}
