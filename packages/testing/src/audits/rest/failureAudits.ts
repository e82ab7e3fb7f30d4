/** Audits of executions that fail: status 599, their record, and a service that keeps working (D16, D22, D23, D25). */
import { type Audit, audit } from "../audit.ts"
import { type Check, holds, keysAre, matches, same } from "../check.ts"
import { type Answer, at, execute, executePost, hexOf, send } from "./call.ts"
import type { Target } from "./target.ts"
import { dataKeys, decimal, succeeds } from "./wireForms.ts"

const debug = { includeDebugInfo: "true" } as const

/** Checks a failed execution: its status, tag, members and texts. */
const fails = (what: string, answer: Answer, exitCode?: number): ReadonlyArray<Check> => {
  const code = at(answer.json, "data", "dataResult", "exitCode")
  return [
    same(`${what}: status`, answer.status, 599),
    same(`${what}: _tag`, at(answer.json, "_tag"), "FailedExecutionResponse"),
    matches(`${what}: error`, at(answer.json, "error"), /\S/),
    same(`${what}: message is the same text`, at(answer.json, "message"), at(answer.json, "error")),
    exitCode === undefined
      ? holds(`${what}: exitCode is 1 to 255`, Number(code) >= 1 && Number(code) <= 255, code)
      : same(`${what}: exitCode`, code, exitCode)
  ]
}

const answersFailures = audit<Target>(
  "REST-FAIL-001",
  "MUST",
  "interface.md#errors/D16",
  "a program that exits with 3 gives 599 with its complete record, its result bytes, and error and message beside data",
  async (target) => {
    const answer = await execute(target, "failing", { encoding: "utf8" })
    const posted = await executePost(target, "failing")
    return [
      ...fails("GET", answer, 3),
      ...fails("POST", posted, 3),
      keysAre("members", answer.json, ["_tag", "error", "message", "data"]),
      keysAre("members of data", at(answer.json, "data"), dataKeys),
      same("result", at(answer.json, "data", "result"), "half done"),
      same("dataResult.result", at(answer.json, "data", "dataResult", "result"), hexOf("half done")),
      same("consensus", at(answer.json, "data", "dataResult", "consensus"), true)
    ]
  }
)

const showsLogsOfFailures = audit<Target>(
  "REST-FAIL-002",
  "MUST",
  "interface.md#errors/D1/D16/D23",
  "with includeDebugInfo a failed execution phase has its logs; the tally, which did not run, is absent",
  async (target) => {
    const answer = await execute(target, "failing", debug)
    return [
      ...fails("answer", answer, 3),
      keysAre("members of data", at(answer.json, "data"), [...dataKeys, "execute"]),
      same("execute.stderr", at(answer.json, "data", "execute", "stderr"), "boom"),
      same("execute.exitCode", at(answer.json, "data", "execute", "exitCode"), 3),
      same("execute.stdout", at(answer.json, "data", "execute", "stdout"), ""),
      same("gasUsed", at(answer.json, "data", "dataResult", "gasUsed"), at(answer.json, "data", "execute", "gasUsed"))
    ]
  }
)

const answersFailedTallies = audit<Target>(
  "REST-FAIL-003",
  "MUST",
  "D16/D23",
  "a tally that exits with 4 determines the outcome: 599, its exit code, consensus true, both phases in the debug information",
  async (target) => {
    const answer = await execute(target, "failingInTally", { ...debug, encoding: "utf8" })
    const data = (...members: ReadonlyArray<string>): unknown => at(answer.json, "data", ...members)
    return [
      ...fails("answer", answer, 4),
      same("consensus", data("dataResult", "consensus"), true),
      same("execute.exitCode", data("execute", "exitCode"), 0),
      same("execute.result", data("execute", "result"), "revealed"),
      same("tally.exitCode", data("tally", "exitCode"), 4),
      same("tally.stderr", data("tally", "stderr"), "boom"),
      same("result", data("result"), "revealed")
    ]
  }
)

const neverSignsAFailureAsSuccess = audit<Target>(
  "REST-FAIL-004",
  "MUST",
  "D22",
  "an exit code whose low byte is zero is returned as 255, never as success; the phase has the raw code",
  async (target) => {
    const answer = await execute(target, "exitingOutOfRange", debug)
    return [...fails("answer", answer, 255), same("execute.exitCode", at(answer.json, "data", "execute", "exitCode"), 256)]
  }
)

const answersTraps = audit<Target>(
  "REST-FAIL-005",
  "MUST",
  "interface.md#errors/D25",
  "a trap is a failed execution like any other, and the service keeps working",
  async (target) => {
    const answer = await execute(target, "trapping", { ...debug, encoding: "utf8" })
    return [
      ...fails("answer", answer, 1),
      same("result given before the trap", at(answer.json, "data", "result"), "before"),
      matches("execute.stderr says why", at(answer.json, "data", "execute", "stderr"), /\S/),
      ...succeeds("the next execution", await execute(target, "echo"))
    ]
  }
)

const endsLoops = audit<Target>(
  "REST-FAIL-006",
  "MUST",
  "D25/D29",
  "an endless loop ends by gas or by time-out, with all its gas used; other executions succeed during and after it",
  async (target) => {
    const [answer, health, beside] = await Promise.all([
      execute(target, "looping", debug),
      send(target, { path: "/health", key: null }),
      execute(target, "echo", { execInputs: "beside the loop", encoding: "utf8" })
    ])
    const after = await execute(target, "echo", { execInputs: "after the loop", encoding: "utf8" })
    return [
      ...fails("answer", answer, 1),
      same("gasUsed", at(answer.json, "data", "dataResult", "gasUsed"), at(answer.json, "data", "dataRequest", "execGasLimit")),
      matches("execute.stderr says why", at(answer.json, "data", "execute", "stderr"), /Ran out of gas|time limit exceeded/),
      same("health meanwhile", health.status, 200),
      same("an execution beside it", at(beside.json, "data", "result"), "beside the loop"),
      same("an execution after it", at(after.json, "data", "result"), "after the loop")
    ]
  }
)

const repeatsGasOfFailures = audit<Target>(
  "REST-FAIL-007",
  "MUST",
  "D25",
  "a failure uses the same gas on every repeat",
  async (target) => {
    const gas = async (program: "failing" | "trapping" | "failingInTally"): Promise<unknown> =>
      at((await execute(target, program)).json, "data", "dataResult", "gasUsed")
    const programs = ["failing", "trapping", "failingInTally"] as const
    const [first, second] = [await Promise.all(programs.map(gas)), await Promise.all(programs.map(gas))]
    return [
      ...programs.map((program, index) => matches(`gasUsed of ${program}`, first[index], decimal)),
      same("gasUsed again", second, first)
    ]
  }
)

const startsWithTheReason = audit<Target>(
  "REST-FAIL-008",
  "MUST",
  "D16",
  "if the VM ends a program, the text has the reason, within the first 200 characters of the response, and so does the debug information",
  async (target) => {
    const ends = [
      ["a trap", "trapping", "execute", "unreachable"],
      ["a trap of the tally", "trappingInTally", "tally", "unreachable"],
      ["an endless loop", "looping", "execute", "(?:Ran out of gas|time limit exceeded)"]
    ] as const
    const checks = ends.map(async ([what, program, phase, reason]) => {
      const answer = await execute(target, program, debug)
      return [
        matches(`${what}: error`, at(answer.json, "error"), new RegExp(`exit code [0-9]+: .*${reason}`)),
        matches(`${what}: the beginning of the answer`, answer.text.slice(0, 200), new RegExp(reason)),
        matches(`${what}: ${phase}.stderr`, at(answer.json, "data", phase, "stderr"), new RegExp(reason))
      ]
    })
    return (await Promise.all(checks)).flat()
  }
)

const showsFailuresAsAsked = audit<Target>(
  "REST-FAIL-009",
  "MUST",
  "D3/D16",
  "the result of a failed program is shown in the encoding of the request, with and without debug information, and signed as hex",
  async (target) => {
    const wanted: Readonly<Record<string, string>> = {
      hex: `0x${hexOf("half done")}`,
      utf8: "half done",
      base64: Buffer.from("half done").toString("base64"),
      // The bytes are no JSON.
      json: `0x${hexOf("half done")}`
    }
    const checks = Object.entries(wanted).map(async ([encoding, shown]) => {
      const plain = await execute(target, "failing", { encoding })
      const { json } = await execute(target, "failing", { encoding, ...debug })
      return [
        ...fails(encoding, plain, 3),
        same(`${encoding}: data.result`, at(plain.json, "data", "result"), shown),
        same(`${encoding}: execute.result`, at(json, "data", "execute", "result"), shown),
        same(`${encoding}: dataResult.result`, at(json, "data", "dataResult", "result"), hexOf("half done"))
      ]
    })
    return (await Promise.all(checks)).flat()
  }
)

const mostResultBytes = 96_000

const withholdsLargeResults = audit<Target>(
  "REST-FAIL-010",
  "MUST",
  "D29",
  "a result of 96,000 bytes is passed on whole; one byte more is withheld: 599 with exit code 255 and an empty result, charged for its gas",
  async (target) => {
    // The tally of `printing` does not look at what was revealed, which would cost it more gas than it has.
    const more = { includeDebugInfo: true, includeSummary: true, tallyProgramId: target.programs.printing }
    const run = (bytes: number): Promise<Answer> => executePost(target, "echo", { execInputs: "x".repeat(bytes), ...more })
    const largest = await run(mostResultBytes)
    const larger = await run(mostResultBytes + 1)
    return [
      ...succeeds("96,000 bytes", largest),
      same("passed on whole", String(at(largest.json, "data", "execute", "result")).length, 2 + 2 * mostResultBytes),
      ...fails("one byte more", larger, 255),
      same("withheld", at(larger.json, "data", "dataResult", "result"), ""),
      holds("charged", Number(at(larger.json, "data", "summary", "creditsUsed")) > 0, at(larger.json, "data", "summary"))
    ]
  }
)

/** Executions that fail. */
export const failureAudits: ReadonlyArray<Audit<Target>> = [
  answersFailures,
  showsLogsOfFailures,
  answersFailedTallies,
  neverSignsAFailureAsSuccess,
  answersTraps,
  endsLoops,
  repeatsGasOfFailures,
  startsWithTheReason,
  showsFailuresAsAsked,
  withholdsLargeResults
]
