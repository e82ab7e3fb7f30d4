/** Saving the run that is shown as a file, and opening such a file. */
import { useState } from "preact/hooks"
import { Fault } from "../visitor/fault.tsx"
import type { Members } from "../visitor/members.ts"
import { askingClient, faultOf } from "../visitor/serviceClient.ts"
import { maxRunFileBytes, readRunFile, runFileName, runFileText } from "./runFile.ts"

/** Hands the file to the browser's downloads. */
const save = (name: string, text: string): void => {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }))
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  // Not at once: the browser reads the address after this turn.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** Saves the answer as it came. */
export const SaveRun = ({ body }: { readonly body: unknown }) => (
  <p>
    <button type="button" onClick={() => save(runFileName(body), runFileText(body))}>
      Save run as a file
    </button>
  </p>
)

/** Saves the recording of a run, which the service has kept, for the command that runs it again. */
export const SaveRecording = ({ apiKey, id }: { readonly apiKey: string; readonly id: string }) => {
  const [fault, setFault] = useState("")
  const fetchAndSave = async (): Promise<void> => {
    setFault("")
    try {
      save(`sibyl-recording-${id.slice(-12)}.json`, await askingClient(apiKey).recording(id))
    } catch (caught) {
      setFault(faultOf(caught))
    }
  }
  return (
    <p>
      <button type="button" onClick={() => void fetchAndSave()}>
        Save recording
      </button>{" "}
      <span class="soft">
        <code>sibyl replay</code> runs it again
      </span>
      <Fault text={fault} />
    </p>
  )
}

interface Opening {
  readonly isDisabled: boolean
  /** Is given the file's name and the answer in it. */
  readonly onOpen: (name: string, body: Members) => void
}

const readFile = async (file: File): Promise<ReturnType<typeof readRunFile>> => {
  if (file.size > maxRunFileBytes) return { fault: "The file is larger than 32 MiB." }
  try {
    return readRunFile(await file.text())
  } catch {
    return { fault: "The file could not be read." }
  }
}

/** Asks for a file, and says what is wrong with it. */
export const OpenRun = ({ isDisabled, onOpen }: Opening) => {
  const [fault, setFault] = useState("")
  const open = async (input: HTMLInputElement): Promise<void> => {
    const file = input.files?.[0]
    if (file === undefined) return
    const read = await readFile(file)
    // The same file may be chosen again.
    input.value = ""
    setFault("fault" in read ? read.fault : "")
    if ("body" in read) onOpen(file.name, read.body)
  }
  return (
    <div class="open">
      <label for="run-file">Open a run that was saved</label>
      <input
        id="run-file"
        type="file"
        accept=".json,application/json"
        disabled={isDisabled}
        onChange={(event) => void open(event.currentTarget)}
      />
      <Fault text={fault} />
    </div>
  )
}
