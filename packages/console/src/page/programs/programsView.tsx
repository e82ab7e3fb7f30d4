/** The programs view: what a program is, what was found in it, and the gas of the project's last runs of it. */
import type { Program } from "@sibyl/client"
import { useState } from "preact/hooks"
import { ChartView } from "../charts/chartView.tsx"
import { FactTable } from "../visitor/factTable.tsx"
import { Fault } from "../visitor/fault.tsx"
import { grouped } from "../visitor/grouped.ts"
import { KeyField } from "../visitor/keyField.tsx"
import { RowTable } from "../visitor/rowTable.tsx"
import { Status } from "../visitor/status.tsx"
import { askingClient, faultOf } from "../visitor/serviceClient.ts"
import type { Visitor } from "../visitor/visitor.ts"
import { gasData } from "./gasData.ts"

const heads = ["Executed", "By", "Exit", "Execution gas", "Tally gas", "Credits", "Took"]

const LastRuns = ({ runs }: { readonly runs: Program["lastRuns"] }) => (
  <RowTable label="Last runs" heads={heads}>
    {runs.map(({ creditsUsed, durationMs, executedAt, exitCode, gasUsed, id, source }) => (
      <tr key={id}>
        <td>{executedAt.replace("T", " ").replace("Z", "")}</td>
        <td>{source}</td>
        <td class={exitCode === 0 ? "" : "bad"}>{exitCode}</td>
        <td>{grouped(gasUsed.exec)}</td>
        <td>{grouped(gasUsed.tally)}</td>
        <td>{grouped(creditsUsed)}</td>
        <td>{durationMs} ms</td>
      </tr>
    ))}
  </RowTable>
)

const Findings = ({ findings }: { readonly findings: Program["findings"] }) => (
  <section>
    <h2>Findings of the deployment check</h2>
    {findings === null ? <p class="soft">This service cannot tell.</p> : null}
    {findings?.length === 0 ? <p>None.</p> : null}
    <ul>
      {findings?.map(({ about, level, message }) => (
        <li key={about}>
          <strong class={level === "warning" ? "bad" : "soft"}>{level}</strong> {message}
        </li>
      ))}
    </ul>
  </section>
)

const Shown = ({ program: { findings, lastRuns, names, programId, sizeBytes } }: { readonly program: Program }) => (
  <>
    <FactTable title="Program" facts={{ id: programId, names: names.join(", "), size: `${sizeBytes.toLocaleString("en-US")} bytes` }} />
    <Findings findings={findings} />
    <h2>Last runs of this project</h2>
    {lastRuns.length === 0 ? <p class="soft">None among its newest.</p> : <LastRuns runs={lastRuns} />}
    {lastRuns.length < 2 ? null : <ChartView title="Gas of the last runs" labels={["execution", "tally"]} data={gasData(lastRuns)} />}
  </>
)

const saying = ({ findings, lastRuns }: Program): string => `Findings: ${findings?.length ?? "not known"}. Last runs: ${lastRuns.length}.`

/** The key, the choice of a program, and what is known of it. */
export const ProgramsView = ({ visitor }: { readonly visitor: Visitor }) => {
  const [wanted, setWanted] = useState("")
  const [program, setProgram] = useState<Program>()
  const [fault, setFault] = useState("")
  const show = async (event: Event): Promise<void> => {
    event.preventDefault()
    setFault("")
    setProgram(undefined)
    try {
      setProgram(await askingClient(visitor.key).program(wanted.trim()))
    } catch (caught) {
      setFault(faultOf(caught))
    }
  }
  return (
    <div class="view">
      <form onSubmit={(event) => void show(event)}>
        <KeyField id="programs-key" value={visitor.key} onInput={visitor.setKey} onDone={visitor.readNames} />
        <label for="programs-program">Program</label>
        <input
          id="programs-program"
          list="programs-known"
          required
          spellcheck={false}
          value={wanted}
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
        <datalist id="programs-known">
          {visitor.programs.map(({ name, programId }) => (
            <option key={programId} value={programId}>
              {name}
            </option>
          ))}
        </datalist>
        <p class="soft">Its id, or a name that it has in the project.</p>
        <Fault text={fault} />
        <button>Show program</button>
      </form>
      <div>
        <Status text={program === undefined ? "Size, findings and gas are shown here." : saying(program)} />
        {program === undefined ? null : <Shown program={program} />}
      </div>
    </div>
  )
}
