/** The form of a request: key, program, inputs and flags. The key is kept in this page's memory only. */
import { useEffect, useState } from "preact/hooks"
import { type Asked, namedPrograms, type OfferedProgram, offeredPrograms } from "./service.ts"

const flagLabels = {
  includeSummary: "Credits and durations",
  includeDebugInfo: "Phases and logs",
  returnLastResult: "Last result instead of a run"
}

interface Parts {
  readonly isRunning: boolean
  readonly onRun: (asked: Asked) => void
}

const parsed = (text: string): { readonly value: unknown } | { readonly fault: string } => {
  try {
    return { value: JSON.parse(text) }
  } catch (cause) {
    return { fault: cause instanceof Error ? cause.message : String(cause) }
  }
}

/** Asks `onRun` for what was entered, once its inputs are JSON. */
export const RequestForm = ({ isRunning, onRun }: Parts) => {
  const [key, setKey] = useState("")
  const [offered, setOffered] = useState<ReadonlyArray<OfferedProgram>>([])
  const [named, setNamed] = useState<ReadonlyArray<OfferedProgram>>([])
  const [programId, setProgramId] = useState("")
  const [inputs, setInputs] = useState("{}")
  const [flags, setFlags] = useState<ReadonlyArray<string>>(["includeSummary", "includeDebugInfo"])
  const [fault, setFault] = useState("")
  const choose = (program: OfferedProgram | undefined): void => {
    if (program === undefined) return
    setProgramId(program.programId)
    setInputs(program.inputs)
  }
  useEffect(() => {
    const read = async (): Promise<void> => {
      const programs = await offeredPrograms()
      setOffered(programs)
      choose(programs[0])
    }
    read().catch(() => setFault("The list of programs could not be read."))
  }, [])
  const programs = [...offered, ...named]
  const submit = (event: Event): void => {
    event.preventDefault()
    const read = parsed(inputs)
    setFault("fault" in read ? `Inputs are not JSON: ${read.fault}` : "")
    if ("value" in read) onRun({ key, programId, inputs: read.value, flags })
  }
  const toggle = (flag: string): void => setFlags(flags.includes(flag) ? flags.filter((each) => each !== flag) : [...flags, flag])
  const readNames = (): void => {
    if (key !== "") namedPrograms(key).then(setNamed, () => setNamed([]))
  }
  return (
    <form onSubmit={submit}>
      <label for="key">API key</label>
      <input
        id="key"
        type="password"
        autocomplete="off"
        required
        value={key}
        onInput={({ currentTarget }) => setKey(currentTarget.value)}
        onBlur={readNames}
      />
      <p class="soft">Kept in memory until this page is closed.</p>
      <label for="program">Program</label>
      <select
        id="program"
        value={programId}
        onChange={({ currentTarget }) => choose(programs.find((each) => each.programId === currentTarget.value))}
      >
        {programs.map(({ name, programId }) => (
          <option key={programId} value={programId}>
            {name}
          </option>
        ))}
      </select>
      <label for="inputs">Inputs (JSON)</label>
      <textarea id="inputs" rows={9} spellcheck={false} value={inputs} onInput={({ currentTarget }) => setInputs(currentTarget.value)} />
      <fieldset>
        <legend>Answer with</legend>
        {Object.entries(flagLabels).map(([flag, label]) => (
          <label key={flag} class="flag">
            <input type="checkbox" checked={flags.includes(flag)} onChange={() => toggle(flag)} /> {label}
          </label>
        ))}
      </fieldset>
      {fault === "" ? null : (
        <p class="bad" role="alert">
          {fault}
        </p>
      )}
      <button disabled={isRunning || programId === ""}>{isRunning ? "Running…" : "Execute"}</button>
    </form>
  )
}
