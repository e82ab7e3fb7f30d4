/** The execute view: what a person asks for beside the answer. */
import { useState } from "preact/hooks"
import { AnswerView } from "./answerView.tsx"
import { RequestForm } from "./requestForm.tsx"
import { type Answered, type Asked, execute, type Members, serviceInfo } from "./service.ts"

interface Shown {
  readonly answer: Answered
  readonly info: Members
}

/** Form and answer. */
export const ExecuteView = () => {
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
    <>
      <header>
        <h1>Sibyl console</h1>
        <p>Run a program, and check who signed its answer.</p>
      </header>
      <main>
        <RequestForm isRunning={isRunning} onRun={(asked) => void run(asked)} />
        <div class="answer" aria-live="polite">
          {failure === "" ? null : (
            <p class="bad" role="alert">
              {failure}
            </p>
          )}
          {shown === undefined ? <p class="soft">{isRunning ? "Running…" : "The answer is shown here."}</p> : <AnswerView {...shown} />}
        </div>
      </main>
    </>
  )
}
