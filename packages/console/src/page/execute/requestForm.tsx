/** The form of a request: key, program, inputs and flags. */
import { useState } from "preact/hooks"
import { Fault } from "../visitor/fault.tsx"
import { KeyField } from "../visitor/keyField.tsx"
import { ProgramFields, useProgram } from "../visitor/programFields.tsx"
import type { Asked } from "../visitor/service.ts"
import type { Visitor } from "../visitor/visitor.ts"

const flagLabels = {
  includeSummary: "Credits and durations",
  includeDebugInfo: "Phases and logs",
  includeRecording: "Recording, to run it again",
  returnLastResult: "Last result instead of a run"
}

interface Parts {
  readonly visitor: Visitor
  readonly isRunning: boolean
  readonly onRun: (asked: Asked) => void
}

/** Asks `onRun` for what was entered, once its inputs are JSON. */
export const RequestForm = ({ isRunning, onRun, visitor }: Parts) => {
  const { chosen, read, setChosen } = useProgram(visitor.programs)
  const [flags, setFlags] = useState<ReadonlyArray<string>>(["includeSummary", "includeDebugInfo"])
  const [fault, setFault] = useState("")
  const submit = (event: Event): void => {
    event.preventDefault()
    const inputs = read()
    setFault("fault" in inputs ? inputs.fault : "")
    if ("value" in inputs) onRun({ key: visitor.key, programId: chosen.programId, inputs: inputs.value, flags })
  }
  const toggle = (flag: string): void => setFlags(flags.includes(flag) ? flags.filter((each) => each !== flag) : [...flags, flag])
  return (
    <form onSubmit={submit}>
      <KeyField id="key" value={visitor.key} onInput={visitor.setKey} onDone={visitor.readNames} />
      <ProgramFields idStart="" programs={visitor.programs} chosen={chosen} onChoose={setChosen} rows={9} />
      <fieldset>
        <legend>Answer with</legend>
        {Object.entries(flagLabels).map(([flag, label]) => (
          <label key={flag} class="flag">
            <input type="checkbox" checked={flags.includes(flag)} onChange={() => toggle(flag)} /> {label}
          </label>
        ))}
      </fieldset>
      <Fault text={fault || visitor.fault} />
      <button disabled={isRunning || chosen.programId === ""}>{isRunning ? "Running…" : "Execute"}</button>
    </form>
  )
}
