/** The execute view: what a person asks for beside the answer. */
import { useState } from "preact/hooks"
import { AnswerView } from "./answerView.tsx"
import { Fault } from "../visitor/fault.tsx"
import { RequestForm } from "./requestForm.tsx"
import { type Answered, type Asked, execute, type Members, serviceInfo } from "../visitor/service.ts"
import type { Visitor } from "../visitor/visitor.ts"

interface Shown {
  readonly answer: Answered
  readonly info: Members
}

/** Form and answer. */
export const ExecuteView = ({ visitor }: { readonly visitor: Visitor }) => {
  const [shown, setShown] = useState<Shown>()
  const [failure, setFailure] = useState("")
  const [isRunning, setRunning] = useState(false)
  const run = async (asked: Asked): Promise<void> => {
    setRunning(true)
    setFailure("")
    setShown(undefined)
    try {
      const [answer, info] = await Promise.all([execute(asked), serviceInfo()])
      setShown({ answer, info })
    } catch (cause) {
      setFailure(`The service was not reached: ${String(cause)}`)
    }
    setRunning(false)
  }
  return (
    <div class="view">
      <RequestForm visitor={visitor} isRunning={isRunning} onRun={(asked) => void run(asked)} />
      <div class="answer" aria-live="polite">
        <Fault text={failure} />
        {shown === undefined ? <p class="soft">{isRunning ? "Running…" : "The answer is shown here."}</p> : <AnswerView {...shown} />}
      </div>
    </div>
  )
}
