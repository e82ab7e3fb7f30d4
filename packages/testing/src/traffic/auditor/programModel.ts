/** What the kit's programs return: the auditor's own words for what each of them does. */
import type { AskedRun } from "./askedRun.ts"
import type { History, Moment } from "../history/history.ts"
import { isBefore } from "../history/history.ts"

/** How a run may end. Without `result` it may be any. */
export interface RunModel {
  readonly exits: "zero" | "other" | "either"
  /** The exit code, if the program says which. */
  readonly exitCode?: number
  readonly result?: Uint8Array
  /** Whether the same request always ends in the same way. */
  readonly isSteady: boolean
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

const failed = (exitCode: number, text: string): RunModel => ({ exits: "other", exitCode, result: utf8(text), isSteady: true })

const unknown: RunModel = { exits: "either", isSteady: false }

/** What the execution phase reveals, or how it ends the run. */
type Reveal = { readonly revealed: Uint8Array | undefined; readonly isSteady: boolean } | RunModel

const execModel = (name: string | undefined, { execInputs }: AskedRun, upstream: Upstream): Reveal => {
  switch (name) {
    case "echo":
      return { revealed: execInputs, isSteady: true }
    case "failingInTally":
      return { revealed: utf8("revealed"), isSteady: true }
    case "failing":
      return failed(3, "half done")
    case "trapping":
      return { exits: "other", isSteady: true }
    case "asking":
      if (upstream === "down") return { exits: "other", isSteady: false }
      return upstream === "up" ? { revealed: undefined, isSteady: false } : unknown
    default:
      return unknown
  }
}

const tallyModel = (name: string | undefined, { tallyInputs }: AskedRun, revealed: Uint8Array | undefined): RunModel => {
  switch (name) {
    case "echo": {
      const result = tallyInputs.length > 0 ? tallyInputs : revealed
      return { exits: "zero", exitCode: 0, isSteady: true, ...(result === undefined ? {} : { result }) }
    }
    case "failingInTally":
      return failed(4, "revealed")
    case "failing":
      return failed(3, "half done")
    case "trapping":
      return { exits: "other", isSteady: true }
    default:
      return unknown
  }
}

/** Whether the upstream answered all the time, never, or nobody can say. */
type Upstream = "up" | "down" | "unclear"

/** Hosts that have failed are left alone for a while, so once there was an outage, success is not certain any more. */
const upstreamIn = ({ outages }: History, from: Moment, to: Moment | undefined): Upstream => {
  if (outages.some((outage) => isBefore(outage.from, from) && to !== undefined && (outage.to === undefined || isBefore(to, outage.to))))
    return "down"
  return outages.some((outage) => to === undefined || isBefore(outage.from, to)) ? "unclear" : "up"
}

/** The name of a program of the kit. */
export const nameOfProgram = ({ programs }: History, id: string): string | undefined =>
  Object.entries(programs).find(([, known]) => known === id)?.[0]

/** How a run of this request may end that was begun and answered between two moments. */
export const runModel = (history: History, run: AskedRun, from: Moment, to: Moment | undefined): RunModel => {
  const exec = execModel(nameOfProgram(history, run.execProgramId), run, upstreamIn(history, from, to))
  if ("exits" in exec) return exec
  // The program that asks the upstream tallies its own answer.
  const tallyName = nameOfProgram(history, run.tallyProgramId)
  if (tallyName === "asking") return exec.isSteady ? unknown : { exits: "zero", exitCode: 0, isSteady: false }
  const tally = tallyModel(tallyName, run, exec.revealed)
  return { ...tally, isSteady: tally.isSteady && exec.isSteady }
}
