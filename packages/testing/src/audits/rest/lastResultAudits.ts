/** Audits of stored results: returnLastResult, its age, and their injection into programs (D6, D26 to D28). */
import { type Audit, audit } from "../audit.ts"
import { type Check, holds, matches, same } from "../check.ts"
import { type Answer, at, drIdOf, execute, executePost, freshInputs, send } from "./call.ts"
import type { Target } from "./target.ts"
import { refusesParameter, succeeds } from "./wireForms.ts"

const idOf = (answer: Answer): unknown => at(answer.json, "data", "id")

/** Checks that the response is the stored run with that id. */
const isHit = (what: string, answer: Answer, id: unknown): ReadonlyArray<Check> => [
  same(`${what}: id`, idOf(answer), id),
  same(`${what}: x-sibyl-cache`, answer.header("x-sibyl-cache"), "hit"),
  matches(`${what}: age`, answer.header("age"), /^[0-9]+$/)
]

/** Checks that the response is a new run. */
const isRun = (what: string, answer: Answer, ...otherIds: ReadonlyArray<unknown>): ReadonlyArray<Check> => [
  holds(`${what}: a new id`, !otherIds.includes(idOf(answer)), idOf(answer)),
  same(`${what}: x-sibyl-cache`, answer.header("x-sibyl-cache"), null),
  same(`${what}: age`, answer.header("age"), null)
]

const returnsTheLastResult = audit<Target>(
  "REST-LAST-001",
  "MUST",
  "interface.md#get-execute/D27",
  "returnLastResult executes if nothing is stored, then returns the stored run, by GET and by POST, without charge",
  async (target) => {
    const execInputs = freshInputs()
    const query = { execInputs, returnLastResult: "true", includeSummary: "true" }
    const first = await execute(target, "echo", query)
    const before = (await send(target, { path: "/verify" })).json
    const got = await execute(target, "echo", query)
    const posted = await executePost(target, "echo", { execInputs, returnLastResult: true })
    const after = (await send(target, { path: "/verify" })).json
    return [
      ...succeeds("first", first),
      ...isRun("first", first),
      ...isHit("GET", got, idOf(first)),
      ...isHit("POST", posted, idOf(first)),
      same("dataResult", at(got.json, "data", "dataResult"), at(first.json, "data", "dataResult")),
      same("signature", at(got.json, "data", "signature"), at(first.json, "data", "signature")),
      same("summary.creditsUsed", at(got.json, "data", "summary", "creditsUsed"), "0"),
      same("remaining credits", at(after, "remainingCreditsSnapshot"), at(before, "remainingCreditsSnapshot"))
    ]
  }
)

const runsUnlessAsked = audit<Target>(
  "REST-LAST-002",
  "MUST",
  "D4/D27",
  "without the flag, or with it off, the program runs again; the newest run is the stored one",
  async (target) => {
    const execInputs = freshInputs()
    const first = await execute(target, "echo", { execInputs })
    const second = await execute(target, "echo", { execInputs, returnLastResult: "false" })
    const remembered = await execute(target, "echo", { execInputs, returnLastResult: "1" })
    return [...isRun("second", second, idOf(first)), ...isHit("remembered", remembered, idOf(second))]
  }
)

const showsMemoriesAsAsked = audit<Target>(
  "REST-LAST-003",
  "MUST",
  "D3/D14",
  "a stored run is shown in the encoding and with the debug information of the current request",
  async (target) => {
    const execInputs = freshInputs()
    const first = await execute(target, "echo", { execInputs })
    const again = await execute(target, "echo", {
      execInputs,
      returnLastResult: "true",
      encoding: "utf8",
      includeDebugInfo: "true"
    })
    return [
      ...isHit("again", again, idOf(first)),
      same("result", at(again.json, "data", "result"), execInputs),
      same("execute.result", at(again.json, "data", "execute", "result"), execInputs)
    ]
  }
)

const measuresAge = audit<Target>(
  "REST-LAST-004",
  "MUST",
  "D6/D27",
  "returnLastResultMaxAge: only a younger result is returned; 0 runs; without its flag it is ignored",
  async (target) => {
    const execInputs = freshInputs()
    const first = await execute(target, "echo", { execInputs })
    const young = await execute(target, "echo", {
      execInputs,
      returnLastResult: "true",
      returnLastResultMaxAge: "3600"
    })
    const byNumber = await executePost(target, "echo", {
      execInputs,
      returnLastResult: true,
      returnLastResultMaxAge: 3600
    })
    const zero = await execute(target, "echo", { execInputs, returnLastResult: "true", returnLastResultMaxAge: "0" })
    const alone = await execute(target, "echo", { execInputs, returnLastResultMaxAge: "3600" })
    const wrongAlone = await execute(target, "echo", { execInputs, returnLastResultMaxAge: "old" })
    return [
      ...isHit("younger", young, idOf(first)),
      ...isHit("younger, as a number", byNumber, idOf(first)),
      ...isRun("0", zero, idOf(first)),
      ...isRun("without its flag", alone, idOf(first), idOf(zero)),
      ...isRun("a wrong one without its flag", wrongAlone, idOf(first), idOf(alone))
    ]
  }
)

const refusesWrongAges = audit<Target>(
  "REST-LAST-005",
  "MUST",
  "D6/D13",
  "with returnLastResult, an age that is not a number of 0 or more is 400, naming it",
  async (target) => {
    const ages = ["-1", "old", "", "1e999", "NaN"]
    const checks = ages.map(async (returnLastResultMaxAge) =>
      refusesParameter(
        `"${returnLastResultMaxAge}"`,
        await execute(target, "echo", { returnLastResult: "true", returnLastResultMaxAge }),
        "returnLastResultMaxAge"
      )
    )
    return (await Promise.all(checks)).flat()
  }
)

const remembersSuccessesOnly = audit<Target>(
  "REST-LAST-006",
  "MUST",
  "D27",
  "a failed run is never returned as the last result",
  async (target) => {
    const execInputs = freshInputs()
    const first = await execute(target, "failing", { execInputs })
    const second = await execute(target, "failing", { execInputs, returnLastResult: "true" })
    return [same("status", second.status, 599), ...isRun("second", second, idOf(first))]
  }
)

const keepsProjectsApart = audit<Target>(
  "REST-LAST-007",
  "MUST",
  "D27/D28",
  "a project never gets another project's result",
  async (target) => {
    if (target.otherTenantKey === undefined) return { skip: "the target has no key of a second project" }
    const execInputs = freshInputs()
    const ours = await execute(target, "echo", { execInputs })
    const theirs = await execute(target, "echo", { execInputs, returnLastResult: "true" }, target.otherTenantKey)
    return [...succeeds("theirs", theirs), ...isRun("theirs", theirs, idOf(ours)), same("drId", drIdOf(theirs), drIdOf(ours))]
  }
)

/** The program's environment from the execution phase, as lines. */
const environmentWith = async (
  target: Target,
  execInputs: string,
  injectLastResult: string
): Promise<readonly [Answer, ReadonlyArray<string>]> => {
  const query = { execInputs, tallyProgramId: target.programs.echo, encoding: "utf8", injectLastResult }
  const answer = await execute(target, "environment", query)
  return [answer, String(at(answer.json, "data", "result")).split("\0")]
}

const injected = (lines: ReadonlyArray<string>): ReadonlyArray<string> => lines.filter((line) => line.startsWith("LAST_RESULT"))

const injectsTheLastResult = audit<Target>(
  "REST-LAST-008",
  "MUST",
  "interface.md#feed-execute/D6/D26",
  "injectLastResult gives the program its last result, code and time, or nothing if there is none; the drId does not change",
  async (target) => {
    const execInputs = freshInputs()
    const [first, firstLines] = await environmentWith(target, execInputs, "success")
    const [, noneLines] = await environmentWith(target, execInputs, "none")
    const [previous] = await environmentWith(target, execInputs, "none")
    const [last, lastLines] = await environmentWith(target, execInputs, "last")
    const stored = at(previous.json, "data", "dataResult")
    return [
      ...succeeds("first", first),
      same("when nothing is stored", injected(firstLines), []),
      same("with none", injected(noneLines), []),
      same("with last", injected(lastLines), [
        `LAST_RESULT=${String(at(stored, "result"))}`,
        `LAST_RESULT_EXIT_CODE=${String(at(stored, "exitCode"))}`,
        `LAST_RESULT_TIMESTAMP=${String(at(stored, "blockTimestamp"))}`
      ]),
      same("drId", drIdOf(last), drIdOf(first))
    ]
  }
)

const refusesWrongModes = audit<Target>(
  "REST-LAST-009",
  "MUST",
  "D6/D13",
  "injectLastResult is success, last or none; any other value is 400, naming it",
  async (target) => [
    ...refusesParameter("query", await execute(target, "echo", { injectLastResult: "first" }), "injectLastResult"),
    ...refusesParameter("body", await executePost(target, "echo", { injectLastResult: true }), "injectLastResult"),
    ...succeeds("success by POST", await executePost(target, "echo", { injectLastResult: "success" }))
  ]
)

const remembersTheWholeRequest = audit<Target>(
  "REST-LAST-010",
  "MUST",
  "D27/D28",
  "returnLastResult finds the run of exactly this request: other inputs or another program in either phase run",
  async (target) => {
    const execInputs = freshInputs()
    const query = { execInputs, tallyInputs: "one" }
    const first = idOf(await execute(target, "echo", query))
    const flag = { returnLastResult: "true" } as const
    return [
      ...isHit("the same", await execute(target, "echo", { ...query, ...flag }), first),
      ...isRun("other tally inputs", await execute(target, "echo", { ...query, ...flag, tallyInputs: "two" }), first),
      ...isRun("no tally inputs", await execute(target, "echo", { execInputs, ...flag }), first),
      ...isRun(
        "another tally program",
        await execute(target, "echo", { ...query, ...flag, tallyProgramId: target.programs.printing }),
        first
      ),
      ...isRun("another program", await execute(target, "printing", { ...query, ...flag }), first)
    ]
  }
)

const remembersAnyWriting = audit<Target>(
  "REST-LAST-011",
  "MUST",
  "D5/D28",
  "returnLastResult finds a run however its inputs were written, and its record shows the bytes",
  async (target) => {
    const execInputs = freshInputs()
    const first = await execute(target, "echo", { execInputs })
    const flag = { returnLastResult: "true" } as const
    const written: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
      ["hex", { execInputs: Buffer.from(execInputs).toString("hex"), inputEncoding: "hex" }],
      ["a prefix", { execInputs: `0x${Buffer.from(execInputs).toString("hex")}` }],
      ["base64", { execInputs: Buffer.from(execInputs).toString("base64"), inputEncoding: "base64" }],
      ["both programs", { execInputs, tallyProgramId: target.programs.echo }]
    ]
    const checks = written.map(async ([what, query]) => isHit(what, await execute(target, "echo", { ...query, ...flag }), idOf(first)))
    return (await Promise.all(checks)).flat()
  }
)

/** Stored results. */
export const lastResultAudits: ReadonlyArray<Audit<Target>> = [
  returnsTheLastResult,
  runsUnlessAsked,
  showsMemoriesAsAsked,
  measuresAge,
  refusesWrongAges,
  remembersSuccessesOnly,
  keepsProjectsApart,
  injectsTheLastResult,
  refusesWrongModes,
  remembersTheWholeRequest,
  remembersAnyWriting
]
