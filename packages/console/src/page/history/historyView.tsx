/** The history view: past runs of one data request, page by page, and a number of their results over time. */
import type { ReportsPage, ReportsRequest } from "@sibyl/client"
import { useMemo, useRef, useState } from "preact/hooks"
import { ChosenChart } from "../charts/chosenChart.tsx"
import { Fault } from "../visitor/fault.tsx"
import { KeyField } from "../visitor/keyField.tsx"
import { RowTable } from "../visitor/rowTable.tsx"
import { Status } from "../visitor/status.tsx"
import { askingClient, faultOf } from "../visitor/serviceClient.ts"
import type { Visitor } from "../visitor/visitor.ts"
import { historyData, type PastRun, pastRun, placesIn } from "./pastRuns.ts"

const pageRuns = 25

/** The most that a service gives at once: whoever asks for older ones may have thousands. */
const olderRuns = 100

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

const Shown = ({ runs }: { readonly runs: ReadonlyArray<PastRun> }) => (
  <>
    <Chart runs={runs} />
    {runs.length === 0 ? null : <Table runs={runs} />}
  </>
)

interface Wanted {
  readonly key: string
  readonly request: ReportsRequest
}

const firstPage = async ({ key, request }: Wanted): Promise<ReportsPage> => {
  for await (const page of askingClient(key).reports(request)) return page
  return { data: [], nextPageId: null }
}

/** The runs that were asked for, and what asks for older ones. */
const useHistory = () => {
  const [runs, setRuns] = useState<ReadonlyArray<PastRun>>()
  const [hasOlder, setHasOlder] = useState(false)
  const [fault, setFault] = useState("")
  const wanted = useRef<Wanted>()
  const underWay = useRef<Wanted>()
  const older = async (): Promise<void> => {
    const asked = wanted.current
    // A second press while the page is under way.
    if (asked === undefined || underWay.current === asked) return
    underWay.current = asked
    setFault("")
    try {
      const page = await firstPage(asked)
      if (wanted.current !== asked) return
      const { data, nextPageId } = page
      wanted.current = { ...asked, request: { ...asked.request, amount: olderRuns, nextPageId: nextPageId ?? undefined } }
      setHasOlder(nextPageId !== null)
      setRuns((known = []) => [...known, ...data.map(pastRun)])
    } catch (caught) {
      if (wanted.current !== asked) return
      // The same page can be asked for again.
      underWay.current = undefined
      setFault(faultOf(caught))
    }
  }
  const show = (key: string, drId: string): void => {
    setRuns(undefined)
    setHasOlder(false)
    wanted.current = { key, request: { drId, amount: pageRuns } }
    void older()
  }
  return { runs, hasOlder, fault, show, older }
}

const saying = (runs: ReadonlyArray<PastRun> | undefined, hasOlder: boolean): string => {
  if (runs === undefined) return "Past runs are shown here."
  if (runs.length === 0) return "This project has no runs of it."
  return `${runs.length.toLocaleString("en-US")} ${runs.length === 1 ? "run" : "runs"}${hasOlder ? "; there are older ones" : ""}.`
}

/** Form, chart and table. */
export const HistoryView = ({ visitor }: { readonly visitor: Visitor }) => {
  const [drId, setDrId] = useState("")
  const { fault, hasOlder, older, runs, show } = useHistory()
  // Thousands of rows are not drawn anew for each letter that is typed in the form.
  const shown = useMemo(() => (runs === undefined ? null : <Shown runs={runs} />), [runs])
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
        <Fault text={runs === undefined ? fault : ""} />
        <button>Show runs</button>
      </form>
      <div>
        <Status text={saying(runs, hasOlder)} />
        {shown}
        <Fault text={runs === undefined ? "" : fault} />
        {hasOlder ? (
          <button type="button" onClick={() => void older()}>
            Older runs
          </button>
        ) : null}
      </div>
    </div>
  )
}
