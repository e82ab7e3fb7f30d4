/** The history view: past runs of one data request, page by page, and a number of their results over time. */
import type { ReportsPage } from "@sibyl/client"
import { useRef, useState } from "preact/hooks"
import { ChosenChart } from "../charts/chosenChart.tsx"
import { Fault } from "../visitor/fault.tsx"
import { KeyField } from "../visitor/keyField.tsx"
import { RowTable } from "../visitor/rowTable.tsx"
import { askingClient, faultOf } from "../visitor/serviceClient.ts"
import type { Visitor } from "../visitor/visitor.ts"
import { historyData, type PastRun, pastRun, placesIn } from "./pastRuns.ts"

const pageRuns = 25

const Table = ({ runs }: { readonly runs: ReadonlyArray<PastRun> }) => (
  <RowTable label="Past runs" heads={["Executed", "By", "Exit", "Gas", "Credits", "Result"]}>
    {runs.map(({ creditsUsed, executedAtMs, exitCode, gasUsed, id, result, source }) => (
      <tr key={id}>
        <td>{new Date(executedAtMs).toISOString().replace("T", " ").replace("Z", "")}</td>
        <td>{source}</td>
        <td class={exitCode === 0 ? "" : "bad"}>{exitCode}</td>
        <td>{gasUsed.toLocaleString("en-US")}</td>
        <td>{creditsUsed.toLocaleString("en-US")}</td>
        <td>{result.length > 120 ? `${result.slice(0, 120)}…` : result}</td>
      </tr>
    ))}
  </RowTable>
)

const Chart = ({ runs }: { readonly runs: ReadonlyArray<PastRun> }) => {
  const places = placesIn(runs)
  if (places.length === 0) return null
  return <ChosenChart id="history-place" choices={places} labels={["history"]} dataOf={(place) => historyData(runs, place)} />
}

/** The runs that were asked for, and what asks for older ones. */
const useHistory = () => {
  const [runs, setRuns] = useState<ReadonlyArray<PastRun>>()
  const [hasOlder, setHasOlder] = useState(false)
  const [fault, setFault] = useState("")
  const pages = useRef<AsyncIterator<ReportsPage>>()
  const older = async (): Promise<void> => {
    const asked = pages.current
    try {
      const page = await asked?.next()
      if (pages.current !== asked || page === undefined) return
      setHasOlder(page.done !== true && page.value.nextPageId !== null)
      if (page.done !== true) setRuns((known = []) => [...known, ...page.value.data.map(pastRun)])
    } catch (caught) {
      setHasOlder(false)
      setFault(faultOf(caught))
    }
  }
  const show = (key: string, drId: string): void => {
    setRuns(undefined)
    setFault("")
    pages.current = askingClient(key).reports({ drId, amount: pageRuns })[Symbol.asyncIterator]()
    void older()
  }
  return { runs, hasOlder, fault, show, older }
}

/** Form, chart and table. */
export const HistoryView = ({ visitor }: { readonly visitor: Visitor }) => {
  const [drId, setDrId] = useState("")
  const { fault, hasOlder, older, runs, show } = useHistory()
  const submit = (event: Event): void => {
    event.preventDefault()
    show(visitor.key, drId.trim())
  }
  return (
    <div class="view">
      <form onSubmit={submit}>
        <KeyField id="history-key" value={visitor.key} onInput={visitor.setKey} onDone={visitor.readNames} />
        <label for="drid">drId</label>
        <input id="drid" required spellcheck={false} value={drId} onInput={({ currentTarget }) => setDrId(currentTarget.value)} />
        <p class="soft">The id of the data request, as each answer to it names it.</p>
        <Fault text={fault} />
        <button>Show runs</button>
      </form>
      <div aria-live="polite">
        {runs === undefined ? <p class="soft">Past runs are shown here.</p> : <Chart runs={runs} />}
        {runs === undefined ? null : runs.length === 0 ? <p class="soft">This project has no runs of it.</p> : <Table runs={runs} />}
        {hasOlder ? (
          <button type="button" onClick={() => void older()}>
            Older runs
          </button>
        ) : null}
      </div>
    </div>
  )
}
