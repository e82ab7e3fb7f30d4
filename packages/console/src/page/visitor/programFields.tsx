/** A program and its inputs, as both forms ask for them. */
import { useEffect, useState } from "preact/hooks"
import { lostNumber } from "./lostNumber.ts"
import type { OfferedProgram } from "./service.ts"

/** What was chosen: a program, and the text of its inputs. */
export interface ChosenProgram {
  readonly programId: string
  readonly name: string
  readonly inputs: string
  /** Whether it was typed, not chosen from the list. */
  readonly isTyped?: boolean
}

const parsed = (text: string): { readonly value: unknown } | { readonly fault: string } => {
  try {
    const value: unknown = JSON.parse(text)
    const lost = lostNumber(text)
    return lost === undefined ? { value } : { fault: `Inputs have the number ${lost}, which this page would change: write it as a string` }
  } catch (cause) {
    return { fault: `Inputs are not JSON: ${cause instanceof Error ? cause.message : String(cause)}` }
  }
}

/** What was chosen, and how it is shown; the first program to begin with. */
export const useProgram = (programs: ReadonlyArray<OfferedProgram>) => {
  const [chosen, setChosen] = useState<ChosenProgram>({ programId: "", name: "", inputs: "{}" })
  const [first] = programs
  useEffect(() => {
    if (chosen.programId === "" && chosen.isTyped !== true && first !== undefined) setChosen(first)
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

/** The entry of the list behind which a program can be typed; no name has this form. */
const another = "*"

/** The fields. A chosen program brings its example; any other one is typed. */
export const ProgramFields = ({ chosen, idStart, onChoose, programs, rows }: Parts) => {
  // What is chosen may not be offered any more, as a name of another project once the key has changed.
  const isOffered = programs.some(({ programId }) => programId === chosen.programId)
  const isTyped = chosen.isTyped === true || (chosen.programId !== "" && !isOffered)
  const choose = (value: string): void =>
    onChoose(
      programs.find(({ programId }) => programId === value) ?? {
        programId: "",
        name: "",
        inputs: chosen.inputs,
        isTyped: value === another
      }
    )
  const type = (text: string): void => onChoose({ ...chosen, programId: text.trim(), name: text.trim(), isTyped: true })
  return (
    <>
      <label for={`${idStart}program`}>Program</label>
      <select
        id={`${idStart}program`}
        value={isTyped ? another : chosen.programId}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {chosen.programId === "" && !isTyped ? <option value="">Choose a program</option> : null}
        {programs.map(({ name, programId }) => (
          <option key={programId} value={programId}>
            {name}
          </option>
        ))}
        <option value={another}>Another one, by its id or name</option>
      </select>
      {isTyped ? (
        <>
          <label for={`${idStart}program-id`}>Its id or name</label>
          <input
            id={`${idStart}program-id`}
            spellcheck={false}
            autocomplete="off"
            value={chosen.programId}
            onInput={({ currentTarget }) => type(currentTarget.value)}
          />
        </>
      ) : null}
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
}
