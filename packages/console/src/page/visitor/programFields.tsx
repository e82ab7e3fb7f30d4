/** A program and its inputs, as both forms ask for them. */
import { useEffect, useState } from "preact/hooks"
import type { OfferedProgram } from "./service.ts"

/** What was chosen: a program, and the text of its inputs. */
export interface ChosenProgram {
  readonly programId: string
  readonly name: string
  readonly inputs: string
}

const parsed = (text: string): { readonly value: unknown } | { readonly fault: string } => {
  try {
    return { value: JSON.parse(text) }
  } catch (cause) {
    return { fault: `Inputs are not JSON: ${cause instanceof Error ? cause.message : String(cause)}` }
  }
}

/** What was chosen, and how it is shown; the first program to begin with. */
export const useProgram = (programs: ReadonlyArray<OfferedProgram>) => {
  const [chosen, setChosen] = useState<ChosenProgram>({ programId: "", name: "", inputs: "{}" })
  const [first] = programs
  useEffect(() => {
    if (chosen.programId === "" && first !== undefined) setChosen(first)
  }, [first])
  return { chosen, setChosen, read: () => parsed(chosen.inputs) }
}

interface Parts {
  /** Begins the ids of the fields. */
  readonly idStart: string
  readonly programs: ReadonlyArray<OfferedProgram>
  readonly chosen: ChosenProgram
  readonly onChoose: (chosen: ChosenProgram) => void
  readonly rows: number
}

/** The fields. A chosen program brings its example. */
export const ProgramFields = ({ chosen, idStart, onChoose, programs, rows }: Parts) => (
  <>
    <label for={`${idStart}program`}>Program</label>
    <select
      id={`${idStart}program`}
      value={chosen.programId}
      onChange={({ currentTarget }) => onChoose(programs.find(({ programId }) => programId === currentTarget.value) ?? chosen)}
    >
      {programs.map(({ name, programId }) => (
        <option key={programId} value={programId}>
          {name}
        </option>
      ))}
    </select>
    <label for={`${idStart}inputs`}>Inputs (JSON)</label>
    <textarea
      id={`${idStart}inputs`}
      rows={rows}
      spellcheck={false}
      value={chosen.inputs}
      onInput={({ currentTarget }) => onChoose({ ...chosen, inputs: currentTarget.value })}
    />
  </>
)
