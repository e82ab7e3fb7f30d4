/** Audits of `/execute/last-result`: a stored run is returned as it was signed; nothing runs (D14, D28). */
import { type Audit, audit } from "../audit.ts"
import { type Check, matches, same } from "../check.ts"
import { type Answer, at, type Call, execute, freshInputs, send } from "./call.ts"
import type { Target } from "./target.ts"
import { isError, refusesParameter, succeeds } from "./wireForms.ts"

type Program = keyof Target["programs"]

const lastResult = (target: Target, program: Program, query: Readonly<Record<string, string>>, call: Partial<Call> = {}): Promise<Answer> =>
  send(target, { path: "/execute/last-result", query: { execProgramId: target.programs[program], ...query }, ...call })

const isStored = (what: string, answer: Answer, run: Answer): ReadonlyArray<Check> => [
  same(`${what}: status`, answer.status, run.status),
  same(`${what}: _tag`, at(answer.json, "_tag"), at(run.json, "_tag")),
  same(`${what}: id`, at(answer.json, "data", "id"), at(run.json, "data", "id")),
  same(`${what}: dataRequest`, at(answer.json, "data", "dataRequest"), at(run.json, "data", "dataRequest")),
  same(`${what}: dataResult`, at(answer.json, "data", "dataResult"), at(run.json, "data", "dataResult")),
  same(`${what}: signature`, at(answer.json, "data", "signature"), at(run.json, "data", "signature"))
]

const answersTheStored = audit<Target>(
  "REST-STORED-001",
  "MUST",
  "interface.md#get-execute-last-result-and-post-execute-last-result/D14",
  "GET and POST return the last stored run; nothing runs, nothing is charged",
  async (target) => {
    const execInputs = freshInputs()
    await execute(target, "echo", { execInputs })
    const run = await execute(target, "echo", { execInputs })
    const before = (await send(target, { path: "/verify" })).json
    const got = await lastResult(target, "echo", { execInputs, includeSummary: "true" })
    const json = { execProgramId: target.programs.echo, execInputs }
    const posted = await send(target, { path: "/execute/last-result", json })
    const after = (await send(target, { path: "/verify" })).json
    return [
      ...isStored("GET", got, run),
      ...isStored("POST", posted, run),
      same("x-sibyl-cache", got.header("x-sibyl-cache"), "hit"),
      matches("age", got.header("age"), /^[0-9]+$/),
      same("summary.creditsUsed", at(got.json, "data", "summary", "creditsUsed"), "0"),
      same("remaining credits", at(after, "remainingCreditsSnapshot"), at(before, "remainingCreditsSnapshot"))
    ]
  }
)

const missesWhatIsNotThere = audit<Target>(
  "REST-STORED-002",
  "MUST",
  "interface.md#get-execute-last-result-and-post-execute-last-result/D14",
  "nothing stored: 404 LastResultNotFound, also for other tally inputs; the program does not run",
  async (target) => {
    const execInputs = freshInputs()
    const nothing = await lastResult(target, "echo", { execInputs })
    const still = await lastResult(target, "echo", { execInputs })
    await execute(target, "echo", { execInputs })
    const other = await lastResult(target, "echo", { execInputs, tallyInputs: "other" })
    return [nothing, still, other].flatMap((answer) => [
      same("status", answer.status, 404),
      same("_tag", at(answer.json, "_tag"), "LastResultNotFound")
    ])
  }
)

const distinguishesModes = audit<Target>(
  "REST-STORED-003",
  "MUST",
  "interface.md#get-execute-last-result-and-post-execute-last-result/D14",
  "mode=last, the default, also returns a failure, as 599 with its record; mode=success does not",
  async (target) => {
    const execInputs = freshInputs()
    const run = await execute(target, "failing", { execInputs })
    const byDefault = await lastResult(target, "failing", { execInputs })
    const last = await lastResult(target, "failing", { execInputs, mode: "last" })
    const success = await lastResult(target, "failing", { execInputs, mode: "success" })
    return [
      same("the run", run.status, 599),
      ...isStored("by default", byDefault, run),
      ...isStored("last", last, run),
      same("success: status", success.status, 404),
      same("success: _tag", at(success.json, "_tag"), "LastResultNotFound")
    ]
  }
)

const refusesWrongModes = audit<Target>(
  "REST-STORED-004",
  "MUST",
  "D13",
  "another mode, or two different ones, is 400, naming it",
  async (target) => [
    ...refusesParameter("a word", await lastResult(target, "echo", { mode: "newest" }), "mode"),
    ...refusesParameter("empty", await lastResult(target, "echo", { mode: "" }), "mode"),
    ...refusesParameter(
      "two",
      await lastResult(
        target,
        "echo",
        {},
        {
          path: "/execute/last-result?mode=last",
          json: { execProgramId: target.programs.echo, mode: "success" }
        }
      ),
      "mode"
    )
  ]
)

const showsAsAsked = audit<Target>(
  "REST-STORED-005",
  "MUST",
  "D3/D14",
  "a stored run is shown in the encoding and with the logs of the current request",
  async (target) => {
    const execInputs = freshInputs()
    await execute(target, "echo", { execInputs })
    const shown = await lastResult(target, "echo", { execInputs, encoding: "utf8", includeDebugInfo: "1" })
    const bytes = await lastResult(target, "echo", { execInputs, encoding: "base64" })
    return [
      same("utf8", at(shown.json, "data", "result"), execInputs),
      same("execute.result", at(shown.json, "data", "execute", "result"), execInputs),
      same("base64", at(bytes.json, "data", "result"), Buffer.from(execInputs).toString("base64")),
      same("no logs unless asked", at(bytes.json, "data", "execute"), undefined)
    ]
  }
)

const keepsProjectsApart = audit<Target>(
  "REST-STORED-006",
  "MUST",
  "D28",
  "a project never gets another project's stored result",
  async (target) => {
    if (target.otherTenantKey === undefined) return { skip: "the target has no key of a second project" }
    const execInputs = freshInputs()
    const run = await execute(target, "echo", { execInputs })
    const ours = await lastResult(target, "echo", { execInputs })
    const theirs = await lastResult(target, "echo", { execInputs }, { key: target.otherTenantKey })
    return [...isStored("ours", ours, run), ...isError("theirs", theirs, 404, "LastResultNotFound")]
  }
)

const keepsTheAllowList = audit<Target>(
  "REST-STORED-007",
  "MUST",
  "D15",
  "a program outside the allow-list is 400 here too",
  async (target) => {
    if (target.restrictedKey === undefined) return { skip: "the target has no key with an allow-list" }
    const refused = await lastResult(target, "failing", {}, { key: target.restrictedKey })
    return [same("status", refused.status, 400), same("_tag", at(refused.json, "_tag"), "ProgramNotAllowed")]
  }
)

const stored = "/execute/last-result"

const readsModesInBodies = audit<Target>(
  "REST-STORED-008",
  "MUST",
  "interface.md#get-execute-last-result-and-post-execute-last-result/D5/D14",
  "mode means the same in the body as in the query, and null the same as absent",
  async (target) => {
    const execInputs = freshInputs()
    const run = await execute(target, "failing", { execInputs })
    const post = (mode: unknown): Promise<Answer> =>
      send(target, { path: stored, json: { execProgramId: target.programs.failing, execInputs, mode } })
    return [
      ...isStored("last", await post("last"), run),
      ...isStored("null", await post(null), run),
      ...isError("success", await post("success"), 404, "LastResultNotFound"),
      ...refusesParameter("a number", await post(1), "mode")
    ]
  }
)

const findsAnyWriting = audit<Target>(
  "REST-STORED-009",
  "MUST",
  "interface.md#get-execute-last-result-and-post-execute-last-result/D5/D28",
  "the last run is found however it is asked for: as text, hex, base64 or object, with the tally's program named or left out",
  async (target) => {
    const { echo } = target.programs
    const object = { fresh: freshInputs() }
    const text = JSON.stringify(object)
    const run = await send(target, { path: "/execute", json: { execProgramId: echo, execInputs: object } })
    const bytes = Buffer.from(text)
    const ways: Readonly<Record<string, Answer>> = {
      text: await lastResult(target, "echo", { execInputs: text }),
      hex: await lastResult(target, "echo", { execInputs: bytes.toString("hex"), inputEncoding: "hex" }),
      base64: await lastResult(target, "echo", { execInputs: bytes.toString("base64"), inputEncoding: "base64" }),
      object: await send(target, { path: stored, json: { execProgramId: echo, execInputs: object } }),
      "both programs": await lastResult(target, "echo", { execInputs: text, tallyProgramId: `0x${echo.toUpperCase()}`, tallyInputs: "" })
    }
    return [...succeeds("the run", run), ...Object.entries(ways).flatMap(([what, answer]) => isStored(what, answer, run))]
  }
)

const distinguishesRequests = audit<Target>(
  "REST-STORED-010",
  "MUST",
  "D28",
  "a run is stored for its four values: another program, another tally program or other inputs find nothing",
  async (target) => {
    const execInputs = freshInputs()
    const run = await execute(target, "echo", { execInputs, tallyInputs: "stored" })
    const others: Readonly<Record<string, Answer>> = {
      "another program": await lastResult(target, "printing", { execInputs, tallyInputs: "stored" }),
      "another tally program": await lastResult(target, "echo", {
        execInputs,
        tallyInputs: "stored",
        tallyProgramId: target.programs.printing
      }),
      "other inputs": await lastResult(target, "echo", { execInputs: `${execInputs}.`, tallyInputs: "stored" }),
      "inputs exchanged": await lastResult(target, "echo", { execInputs: "stored", tallyInputs: execInputs })
    }
    return [
      ...isStored("the same", await lastResult(target, "echo", { execInputs, tallyInputs: "stored" }), run),
      ...Object.entries(others).flatMap(([what, answer]) => isError(what, answer, 404, "LastResultNotFound"))
    ]
  }
)

const refusesLikeARun = audit<Target>(
  "REST-STORED-011",
  "MUST",
  "interface.md#get-execute-last-result-and-post-execute-last-result/D5/D13",
  "what /execute refuses is refused here in the same way: no program, wrong hex, an unknown encoding, a wrong flag, a misspelled name",
  async (target) => [
    ...refusesParameter("no program", await send(target, { path: stored }), "execProgramId"),
    ...refusesParameter("wrong hex", await lastResult(target, "echo", { execInputs: "0x1" }), "execInputs"),
    ...refusesParameter("an encoding", await lastResult(target, "echo", { encoding: "xml" }), "encoding"),
    ...refusesParameter("a flag", await lastResult(target, "echo", { includeDebugInfo: "perhaps" }), "includeDebugInfo"),
    ...refusesParameter("a name", await lastResult(target, "echo", { execinputs: "x" }), "execinputs")
  ]
)

/** Stored results. */
export const storedResultAudits: ReadonlyArray<Audit<Target>> = [
  answersTheStored,
  missesWhatIsNotThere,
  distinguishesModes,
  refusesWrongModes,
  showsAsAsked,
  keepsProjectsApart,
  keepsTheAllowList,
  readsModesInBodies,
  findsAnyWriting,
  distinguishesRequests,
  refusesLikeARun
]
