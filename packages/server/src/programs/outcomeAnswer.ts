/** What `sibyl run` prints about a run: result, exit codes, gas by phase, price, logs, requests with their timings. */
import type { PhaseOfRun, ProgramCall, ProgramOutcome } from "@sibyl/devkit"
import { amountText } from "../input/amount.ts"
import type { Answer } from "../output/answer.ts"
import type { Paint } from "../output/paint.ts"
import { printable } from "../output/printable.ts"
import { type Column, fields, table } from "../output/table.ts"
import { dearestDocument, dearestLines } from "./dearestFunctions.ts"
import { logLines } from "./logLines.ts"
import { encodedResult, type Encoding, shownResult } from "./shownResult.ts"

const callDocument = (call: ProgramCall) => ({
  method: call.method,
  url: call.url,
  status: call.status,
  failure: call.failure,
  requestBytes: call.body.length,
  responseBytes: call.response.length,
  durationMs: Math.round(call.durationMs * 10) / 10
})

const phaseDocument = ({ exitCode, gasUsed, result, stderr, stdout }: PhaseOfRun) => ({
  exitCode,
  gasUsed,
  result: encodedResult(result),
  stdout,
  stderr
})

const documentOf = (outcome: ProgramOutcome) => ({
  programId: outcome.programId,
  tallyProgramId: outcome.tallyProgramId,
  drId: outcome.drId,
  exitCode: outcome.exitCode,
  result: encodedResult(outcome.result),
  gasUsed: outcome.gasUsed,
  phases: {
    exec: phaseDocument(outcome.exec),
    tally: outcome.tally === null ? null : phaseDocument(outcome.tally)
  },
  credits: outcome.price,
  calls: outcome.calls.map(callDocument),
  durationMs: outcome.durationMs,
  ...dearestDocument(outcome)
})

const columns: ReadonlyArray<Column<ProgramCall>> = [
  { head: "request", cell: ({ method }) => method },
  {
    head: "status",
    cell: ({ status }, paint) => paint(status >= 200 && status < 300 ? "green" : "red", status === 0 ? "none" : `${status}`),
    align: "right"
  },
  { head: "bytes", cell: ({ response }) => amountText(BigInt(response.length)), align: "right" },
  { head: "ms", cell: ({ durationMs }) => durationMs.toFixed(1), align: "right" },
  {
    head: "url",
    cell: ({ failure, url }, paint) => (failure === null ? printable(url) : `${printable(url)}  ${paint("red", printable(failure))}`)
  }
]

const codeText = (code: number, paint: Paint): string => paint(code === 0 ? "green" : "red", String(code))

const gasText = ({ exec, tally }: ProgramOutcome): string =>
  `execution ${amountText(exec.gasUsed)}, tally ${tally === null ? "not run" : amountText(tally.gasUsed)}`

const priceText = ({ price }: ProgramOutcome): string => {
  const proxies = price.dataProxies === 0n ? "" : `, data proxies ${amountText(price.dataProxies)}`
  return `${amountText(price.total)} (base ${price.base}, gas ${amountText(price.gas)}${proxies})`
}

const linesOf = (outcome: ProgramOutcome, encoding: Encoding | undefined, paint: Paint): ReadonlyArray<string> => {
  const { exec, tally } = outcome
  const codes = `execution ${codeText(exec.exitCode, paint)}` + (tally === null ? "" : `, tally ${codeText(tally.exitCode, paint)}`)
  return [
    ...fields(
      [
        ["program", outcome.programId],
        ...(outcome.tallyProgramId === outcome.programId ? [] : [["tally", outcome.tallyProgramId] as const]),
        ["result", paint("bold", printable(shownResult(outcome.result, encoding)))],
        ["exit code", codes],
        ["gas", gasText(outcome)],
        ["credits", priceText(outcome)],
        ["took", `${outcome.durationMs} ms`]
      ],
      paint
    ),
    "",
    ...table(outcome.calls, columns, "no requests", paint),
    ...dearestLines(outcome, "", paint),
    ...logLines("execution, stdout", exec.stdout, paint),
    ...logLines("execution, stderr", exec.stderr, paint),
    ...logLines("tally, stdout", tally?.stdout ?? "", paint),
    ...logLines("tally, stderr", tally?.stderr ?? "", paint)
  ]
}

/** The answer in both forms. */
export const outcomeAnswer = (outcome: ProgramOutcome, encoding: Encoding | undefined): Answer => ({
  document: documentOf(outcome),
  lines: (paint) => linesOf(outcome, encoding, paint)
})
