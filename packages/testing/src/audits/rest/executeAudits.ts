/** Audits of an execution's response: its records and their order, its phases, its environment (D1, D22, D23, D26). */
import { type Audit, audit } from "../audit.ts"
import { holds, keysAre, matches, same } from "../check.ts"
import { type Answer, at, drIdOf, execute, executePost, freshInputs, hexOf, send } from "./call.ts"
import { wholeAt } from "./memberAt.ts"
import type { Target } from "./target.ts"
import { dataKeys, dataRequestKeys, dataResultKeys, decimal, id64, jsonType, succeeds, uuid } from "./wireForms.ts"

const answersTheRecord = audit<Target>(
  "REST-EXEC-001",
  "MUST",
  "interface.md#execute-response/D1",
  "GET /execute returns ExecuteResponse with everything inside data, in the order of the contract",
  async (target) => {
    const answer = await execute(target, "echo", { execInputs: "a text" })
    const id = at(answer.json, "data", "id")
    return [
      ...succeeds("answer", answer),
      keysAre("members", answer.json, ["_tag", "data"]),
      keysAre("members of data", at(answer.json, "data"), dataKeys),
      matches("id", id, uuid),
      same("requestId equals id", at(answer.json, "data", "requestId"), id),
      same("result", at(answer.json, "data", "result"), `0x${hexOf("a text")}`)
    ]
  }
)

const answersTheDataRequest = audit<Target>(
  "REST-EXEC-002",
  "MUST",
  "interface.md#execute-response/D22",
  "dataRequest is the request as submitted",
  async (target) => {
    const answer = await execute(target, "echo", { execInputs: "a text", tallyInputs: "0x0102" })
    const { json: project } = await send(target, { path: "/project" })
    return [
      same("dataRequest", at(answer.json, "data", "dataRequest"), {
        consensusFilter: "00",
        execGasLimit: at(project, "gasLimits", "exec"),
        execInputs: hexOf("a text"),
        execProgramId: target.programs.echo,
        gasPrice: "0",
        memo: "",
        replicationFactor: 1,
        tallyGasLimit: at(project, "gasLimits", "tally"),
        tallyInputs: "0102",
        tallyProgramId: target.programs.echo,
        version: "0.0.1"
      }),
      keysAre("members", at(answer.json, "data", "dataRequest"), dataRequestKeys)
    ]
  }
)

const answersTheDataResult = audit<Target>(
  "REST-EXEC-003",
  "MUST",
  "interface.md#execute-response/D2/D22",
  "dataResult is the outcome, with its result in hex without 0x whatever the encoding",
  async (target) => {
    const answer = await execute(target, "echo", { execInputs: "a text", encoding: "utf8" })
    const result = at(answer.json, "data", "dataResult")
    return [
      keysAre("members", result, [...dataResultKeys, "servicePayload"]),
      matches("drId", at(result, "drId"), id64),
      matches("gasUsed", at(result, "gasUsed"), decimal),
      same("blockHeight", at(result, "blockHeight"), "0"),
      same("consensus", at(result, "consensus"), true),
      same("exitCode", at(result, "exitCode"), 0),
      same("version", at(result, "version"), "0.0.1"),
      same("result", at(result, "result"), hexOf("a text")),
      same("paybackAddress", at(result, "paybackAddress"), ""),
      same("servicePayload", at(result, "servicePayload"), "")
    ]
  }
)

const printsCompactJson = audit<Target>(
  "REST-EXEC-005",
  "MUST",
  "D1",
  "the body is compact JSON in UTF-8, declared as JSON, with nothing after it",
  async (target) => {
    const plain = await execute(target, "echo", { execInputs: "½ €", encoding: "utf8" })
    const debug = await execute(target, "echo", {
      execInputs: "½ €",
      includeDebugInfo: "true",
      includeSummary: "true"
    })
    const failed = await execute(target, "failing", { includeDebugInfo: "true" })
    const stored = await send(target, { path: "/execute/last-result", query: { execProgramId: target.programs.failing } })
    return [
      ...succeeds("answer", plain),
      matches("content type", plain.header("content-type"), jsonType),
      same("body", plain.text, JSON.stringify(plain.json)),
      same("status of a failure", failed.status, 599),
      matches("content type of a failure", failed.header("content-type"), jsonType),
      same("body of a failure", failed.text, JSON.stringify(failed.json)),
      matches("content type of a stored failure", stored.header("content-type"), jsonType),
      same("body with debug information", debug.text, JSON.stringify(debug.json))
    ]
  }
)

const runsWithoutInputs = audit<Target>("REST-EXEC-007", "MUST", "interface.md#get-execute", "absent inputs are empty", async (target) => {
  const answers = [await execute(target, "echo"), await executePost(target, "echo")]
  return answers.flatMap((answer) => [
    ...succeeds("answer", answer),
    same("execInputs", at(answer.json, "data", "dataRequest", "execInputs"), ""),
    same("tallyInputs", at(answer.json, "data", "dataRequest", "tallyInputs"), ""),
    same("result", at(answer.json, "data", "dataResult", "result"), "")
  ])
})

const runsATallyProgram = audit<Target>(
  "REST-EXEC-008",
  "MUST",
  "interface.md#get-execute/D23",
  "tallyProgramId runs the tally phase; it defaults to the program itself; it is part of the drId",
  async (target) => {
    const alone = await execute(target, "echo", { execInputs: "x" })
    const other = await execute(target, "echo", {
      execInputs: "x",
      tallyProgramId: target.programs.environment,
      encoding: "utf8"
    })
    return [
      ...succeeds("with a tally program", other),
      same("tallyProgramId left out", at(alone.json, "data", "dataRequest", "tallyProgramId"), target.programs.echo),
      same("tallyProgramId given", at(other.json, "data", "dataRequest", "tallyProgramId"), target.programs.environment),
      matches("the tally program's result", at(other.json, "data", "result"), /VM_MODE=tally/),
      holds("another drId", drIdOf(alone) !== drIdOf(other), drIdOf(other))
    ]
  }
)

const sumsGas = audit<Target>(
  "REST-EXEC-010",
  "MUST",
  "interface.md#execute-response/D23",
  "gasUsed is the sum of both phases' gas, and the same on every repeat",
  async (target) => {
    const query = { execInputs: "gas", includeDebugInfo: "true" }
    const [first, second] = [await execute(target, "echo", query), await execute(target, "echo", query)]
    const gas = (phase: string): bigint => wholeAt(first.json, "data", phase, "gasUsed")
    return [
      same("gasUsed", at(first.json, "data", "dataResult", "gasUsed"), String(gas("execute") + gas("tally"))),
      same("gasUsed again", at(second.json, "data", "dataResult", "gasUsed"), at(first.json, "data", "dataResult", "gasUsed")),
      holds("within both limits", gas("execute") > 0n && gas("tally") > 0n, [String(gas("execute")), String(gas("tally"))])
    ]
  }
)

const keepsRunsApart = audit<Target>(
  "REST-EXEC-012",
  "MUST",
  "interface.md#what-the-service-does",
  "40 concurrent executions each get the result of their own inputs",
  async (target) => {
    const inputs = Array.from({ length: 40 }, (_, index) => `run ${index}`)
    const answers = await Promise.all(inputs.map((execInputs) => execute(target, "echo", { execInputs, encoding: "utf8" })))
    const wrong = inputs.filter((text, index) => at(answers[index]?.json, "data", "result") !== text)
    return [holds("every result belongs to its inputs", wrong.length === 0, wrong), same("40 drIds", new Set(answers.map(drIdOf)).size, 40)]
  }
)

const ordersEnvironment = audit<Target>(
  "REST-EXEC-013",
  "MUST",
  "D26",
  "the execution phase sees its environment in the contract's order, CHAIN_ID last; the tally phase sees it sorted",
  async (target) => {
    const { json: info } = await send(target, { path: "/info", key: null })
    const { echo, environment } = target.programs
    const exec = await execute(target, "environment", {
      tallyProgramId: echo,
      encoding: "utf8",
      execInputs: freshInputs()
    })
    const tally = await execute(target, "echo", {
      tallyProgramId: environment,
      encoding: "utf8",
      tallyInputs: "0x00"
    })
    const lines = (answer: Answer): ReadonlyArray<string> =>
      String(at(answer.json, "data", "result"))
        .split("\0")
        .slice(0, -1)
    const names = lines(exec).map((line) => line.slice(0, line.indexOf("=")))
    const tallyNames = lines(tally).map((line) => line.slice(0, line.indexOf("=")))
    return [
      same("names in the execution phase", names, execNames),
      same("VM_MODE", lines(exec)[0], "VM_MODE=dr"),
      same("DR_ID", lines(exec)[1], `DR_ID=${String(drIdOf(exec))}`),
      same("CHAIN_ID", lines(exec).at(-1), `CHAIN_ID=${String(at(info, "chainId"))}`),
      same("names in the tally phase", tallyNames, tallyNamesSorted),
      holds("CONSENSUS", lines(tally).includes("CONSENSUS=true"), lines(tally)),
      holds("TALLY_INPUTS in base64", lines(tally).includes("TALLY_INPUTS=AA=="), lines(tally))
    ]
  }
)

const execNames = [
  "VM_MODE",
  "DR_ID",
  "DR_HEIGHT",
  "EXEC_PROGRAM_ID",
  "DR_REPLICATION_FACTOR",
  "DR_GAS_PRICE",
  "DR_EXEC_GAS_LIMIT",
  "DR_TALLY_GAS_LIMIT",
  "DR_MEMO",
  "DR_PAYBACK_ADDRESS",
  "TALLY_PROGRAM_ID",
  "TALLY_INPUTS",
  "CHAIN_ID"
]

const tallyNamesSorted = [
  "BLOCK_HEIGHT",
  "CONSENSUS",
  "DR_GAS_PRICE",
  "DR_ID",
  "DR_MEMO",
  "DR_PAYBACK_ADDRESS",
  "DR_REPLICATION_FACTOR",
  "DR_TALLY_GAS_LIMIT",
  "EXEC_GAS_LIMIT",
  "EXEC_INPUTS",
  "EXEC_PROGRAM_ID",
  "TALLY_INPUTS",
  "TALLY_PROGRAM_ID",
  "VM_MODE"
]

/** The response of an execution. */
export const executeAudits: ReadonlyArray<Audit<Target>> = [
  answersTheRecord,
  answersTheDataRequest,
  answersTheDataResult,
  printsCompactJson,
  runsWithoutInputs,
  runsATallyProgram,
  sumsGas,
  keepsRunsApart,
  ordersEnvironment
]
