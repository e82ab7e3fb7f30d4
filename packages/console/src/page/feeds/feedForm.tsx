/** The form of a feed: key, program, inputs, mode and period. */
import type { FeedMode } from "@sibyl/client"
import { useState } from "preact/hooks"
import { Fault } from "../visitor/fault.tsx"
import { KeyField } from "../visitor/keyField.tsx"
import { ProgramFields, useProgram } from "../visitor/programFields.tsx"
import type { Visitor } from "../visitor/visitor.ts"

/** A feed that somebody asks for. */
export interface AskedFeed {
  readonly key: string
  readonly programId: string
  readonly name: string
  readonly inputs: unknown
  readonly mode: FeedMode
  readonly periodMs: number
}

const modes = {
  FIXED: "FIXED: even intervals, never two at once",
  SEQUENTIAL: "SEQUENTIAL: a period after each end",
  PARALLEL: "PARALLEL: even intervals, runs may overlap"
} as const satisfies Record<FeedMode, string>

interface Parts {
  readonly visitor: Visitor
  readonly onStart: (asked: AskedFeed) => void
}

/** Asks `onStart` for what was entered, once its inputs are JSON. */
export const FeedForm = ({ onStart, visitor }: Parts) => {
  const { chosen, read, setChosen } = useProgram(visitor.programs)
  const [mode, setMode] = useState<FeedMode>("FIXED")
  const [periodMs, setPeriodMs] = useState(1_000)
  const [fault, setFault] = useState("")
  const submit = (event: Event): void => {
    event.preventDefault()
    const inputs = read()
    setFault("fault" in inputs ? inputs.fault : "")
    const { name, programId } = chosen
    if ("value" in inputs) onStart({ key: visitor.key, programId, name, inputs: inputs.value, mode, periodMs })
  }
  return (
    <form onSubmit={submit}>
      <KeyField id="feed-key" value={visitor.key} onInput={visitor.setKey} onDone={visitor.readNames} />
      <ProgramFields idStart="feed-" programs={visitor.programs} chosen={chosen} onChoose={setChosen} rows={5} />
      <label for="mode">Mode</label>
      <select id="mode" value={mode} onChange={({ currentTarget }) => setMode(currentTarget.value as FeedMode)}>
        {Object.entries(modes).map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
      <label for="period">Period (ms)</label>
      <input
        id="period"
        type="number"
        min={1}
        required
        value={periodMs}
        onInput={({ currentTarget }) => setPeriodMs(currentTarget.valueAsNumber)}
      />
      <Fault text={fault || visitor.fault} />
      <button disabled={chosen.programId === ""}>Start feed</button>
    </form>
  )
}
