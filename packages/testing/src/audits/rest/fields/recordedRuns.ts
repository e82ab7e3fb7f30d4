/** Runs of several kinds, and every place where a client is shown one: its response, a stored result, the history. */
import { type Answer, at, type Call, freshInputs, hexOf, send } from "../call.ts"
import type { Target } from "../target.ts"

/** What a run was asked for, so that its record can be compared with it. */
export interface AskedRun {
  readonly what: string
  readonly execProgramId: string
  readonly tallyProgramId: string
  /** Hex of the bytes. */
  readonly execInputs: string
  readonly tallyInputs: string
  readonly exitCode: number
  /** Hex of the bytes that the program returns. */
  readonly result: string
}

/** One showing of a run: `data` has `dataRequest` and `dataResult`. */
export interface Showing {
  readonly where: string
  readonly run: AskedRun
  readonly answer: Answer
  readonly data: unknown
}

interface Asking {
  readonly call: Call
  readonly run: AskedRun
}

const asked = ({ programs }: Target): ReadonlyArray<Asking> => {
  const text = freshInputs()
  const object = { fresh: text, deep: [1, null] }
  const base = { tallyInputs: "", exitCode: 0 } as const
  const { echo, environment, failing, failingInTally } = programs
  const both = (id: string) => ({ execProgramId: id, tallyProgramId: id })
  return [
    {
      call: { path: "/execute", query: { execProgramId: echo, execInputs: text, tallyInputs: "0x0102" } },
      run: { ...base, ...both(echo), what: "GET", execInputs: hexOf(text), tallyInputs: "0102", result: "0102" }
    },
    {
      call: { path: "/execute", json: { execProgramId: `0x${echo.toUpperCase()}`, execInputs: object } },
      run: {
        ...base,
        ...both(echo),
        what: "POST of an object",
        execInputs: hexOf(JSON.stringify(object)),
        result: hexOf(JSON.stringify(object))
      }
    },
    {
      call: { path: "/execute", json: { execProgramId: environment, tallyProgramId: echo, execInputs: "AP8=", inputEncoding: "base64" } },
      run: { ...base, what: "two programs", execProgramId: environment, tallyProgramId: echo, execInputs: "00ff", result: "" }
    },
    {
      call: { path: "/execute", query: { execProgramId: failing, execInputs: text } },
      run: { ...base, ...both(failing), what: "a failure", execInputs: hexOf(text), exitCode: 3, result: hexOf("half done") }
    },
    {
      call: { path: "/execute", json: { execProgramId: failingInTally, execInputs: text } },
      run: { ...base, ...both(failingInTally), what: "a failing tally", execInputs: hexOf(text), exitCode: 4, result: hexOf("revealed") }
    }
  ]
}

const storedOf = (target: Target, { call }: Asking): Promise<Answer> => send(target, { ...call, path: "/execute/last-result" })

const entryOf = (answer: Answer): unknown => {
  const entries = at(answer.json, "data")
  return Array.isArray(entries) ? entries[0] : undefined
}

/** Makes the runs and collects each showing: three for every run. */
export const showingsOf = async (target: Target): Promise<ReadonlyArray<Showing>> => {
  const all = asked(target).map(async (asking): Promise<ReadonlyArray<Showing>> => {
    const { call, run } = asking
    const answer = await send(target, call)
    const stored = await storedOf(target, asking)
    const drId = String(at(answer.json, "data", "dataResult", "drId"))
    const history = await send(target, { path: "/data-request-reports", query: { drId, amount: "1" } })
    return [
      { where: run.what, run, answer, data: at(answer.json, "data") },
      { where: `${run.what}, stored`, run, answer: stored, data: at(stored.json, "data") },
      { where: `${run.what}, in the history`, run, answer: history, data: entryOf(history) }
    ]
  })
  return (await Promise.all(all)).flat()
}
