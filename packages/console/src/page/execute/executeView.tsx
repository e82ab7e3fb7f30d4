/** The execute view: what a person asks for beside the answer. */
import { useState } from "preact/hooks"
import { AnswerView } from "./answerView.tsx"
import { Fault } from "../visitor/fault.tsx"
import { hasRun, recordedIdOf } from "./runFile.ts"
import { OpenRun, SaveRecording, SaveRun } from "./runFileButtons.tsx"
import { RequestForm } from "./requestForm.tsx"
import type { Members } from "../visitor/members.ts"
import { type Answered, execute, serviceInfo } from "../visitor/service.ts"
import type { Visitor } from "../visitor/visitor.ts"

interface Shown {
  readonly answer: Answered | { readonly body: Members }
  readonly info: Members
  /** The file that the answer was read from; empty if the service has just given it. */
  readonly fileName: string
}

/** Form and answer. */
export const ExecuteView = ({ visitor }: { readonly visitor: Visitor }) => {
  const [shown, setShown] = useState<Shown>()
  const [failure, setFailure] = useState("")
  const [isRunning, setRunning] = useState(false)
  const show = async (answering: () => Promise<Shown["answer"]>, fileName = ""): Promise<void> => {
    setRunning(true)
    setFailure("")
    setShown(undefined)
    try {
      const [answer, info] = await Promise.all([answering(), serviceInfo()])
      setShown({ answer, info, fileName })
    } catch (cause) {
      setFailure(`The service gave no answer: ${cause instanceof Error ? cause.message : String(cause)}`)
    }
    setRunning(false)
  }
  const recordedId = recordedIdOf(shown?.answer.body)
  return (
    <div class="view">
      <div>
        <RequestForm visitor={visitor} isRunning={isRunning} onRun={(asked) => void show(() => execute(asked))} />
        <OpenRun isDisabled={isRunning} onOpen={(name, body) => void show(() => Promise.resolve({ body }), name)} />
      </div>
      <div class="answer" aria-live="polite">
        <Fault text={failure} />
        {shown === undefined ? (
          <p class="soft">{isRunning ? "Running…" : "The answer is shown here."}</p>
        ) : (
          <>
            {shown.fileName === "" ? null : <p class="soft">Read from {shown.fileName}; checked against this service's keys.</p>}
            <AnswerView answer={shown.answer} info={shown.info} />
            {hasRun(shown.answer.body) ? <SaveRun body={shown.answer.body} /> : null}
            {shown.fileName === "" && recordedId !== "" ? <SaveRecording apiKey={visitor.key} id={recordedId} /> : null}
          </>
        )}
      </div>
    </div>
  )
}
