/** An answer explained: outcome, signature, result, phases, credits, logs and ids. */
import { FactTable } from "../visitor/factTable.tsx"
import { grouped } from "../visitor/grouped.ts"
import { type Members, membersOf } from "../visitor/members.ts"
import type { Answered } from "../visitor/service.ts"
import { HostCalls } from "./hostCalls.tsx"
import { reachedLimits } from "./reachedLimits.ts"
import { SignatureLine } from "./signatureLine.tsx"

const ofLimit = (used: unknown, limit: unknown): string | undefined => {
  const [one, most] = [grouped(used), grouped(limit)]
  return one === undefined ? undefined : `${one}${most === undefined ? "" : ` of ${most}`}`
}

const Result = ({ result }: { readonly result: unknown }) =>
  typeof result === "object" && result !== null && !Array.isArray(result) ? (
    <FactTable title="Result" facts={membersOf(result)} />
  ) : (
    <FactTable title="Result" facts={{ value: result }} />
  )

const Phase = ({ limit, phase, title }: { readonly title: string; readonly phase: Members; readonly limit: unknown }) => (
  <>
    <FactTable
      title={title}
      facts={{
        "exit code": phase["exitCode"],
        gas: ofLimit(phase["gasUsed"], limit),
        "limits reached": reachedLimits(phase["limits"]),
        stdout: phase["stdout"],
        stderr: phase["stderr"]
      }}
    />
    <HostCalls calls={phase["hostCalls"]} />
  </>
)

/** An answer, without its status if it was read from a file. */
type Shown = Partial<Pick<Answered, "status" | "rounded">> & Pick<Answered, "body">

/** Everything that the answer says; a refusal has its error alone. */
export const AnswerView = ({ answer, info }: { readonly answer: Shown; readonly info: Members }) => {
  const body = membersOf(answer.body)
  const data = membersOf(body["data"])
  const [request, outcome, summary] = [membersOf(data["dataRequest"]), membersOf(data["dataResult"]), membersOf(data["summary"])]
  const failure = body["message"] ?? body["error"]
  const facts = { status: answer.status, kind: body["_tag"], reason: failure }
  if (outcome["drId"] === undefined) return <FactTable title="Refused" facts={facts} />
  return (
    <>
      <SignatureLine body={answer.body} info={info} />
      {failure === undefined ? null : <FactTable title="Failed" facts={facts} />}
      {answer.rounded === undefined ? null : (
        <p role="note">The answer has numbers with more digits than a page can hold, such as {answer.rounded}: they are shown rounded.</p>
      )}
      <Result result={data["result"]} />
      <Phase title="Execution phase" phase={membersOf(data["execute"])} limit={request["execGasLimit"]} />
      <Phase title="Tally phase" phase={membersOf(data["tally"])} limit={request["tallyGasLimit"]} />
      <FactTable
        title="Credits"
        facts={{
          used: grouped(summary["creditsUsed"]),
          remaining: grouped(summary["creditsRemaining"]),
          took: summary["durationMs"] === undefined ? undefined : `${JSON.stringify(summary["durationMs"])} ms`
        }}
      />
      <FactTable
        title="Ids"
        facts={{ run: data["id"], drId: outcome["drId"], program: request["execProgramId"], signature: data["signature"] }}
      />
    </>
  )
}
