/** A chart of one of several numbers, which a person chooses. */
import { useState } from "preact/hooks"
import { type ChartData, ChartView } from "./chartView.tsx"

interface Parts {
  /** Of the field, unique in the page. */
  readonly id: string
  /** Places of numbers; "" is the result itself. At least one. */
  readonly choices: ReadonlyArray<string>
  /** One for each curve. */
  readonly labels: ReadonlyArray<string>
  readonly dataOf: (choice: string) => ChartData
}

const named = (choice: string): string => (choice === "" ? "the result" : choice)

/** The field and the chart; the first number until another is chosen. */
export const ChosenChart = ({ choices, dataOf, id, labels }: Parts) => {
  const [wanted, setWanted] = useState<string>()
  const choice = wanted !== undefined && choices.includes(wanted) ? wanted : (choices[0] ?? "")
  return (
    <>
      <label for={id}>Chart of</label>
      <select id={id} value={choice} onChange={({ currentTarget }) => setWanted(currentTarget.value)}>
        {choices.map((each) => (
          <option key={each} value={each}>
            {named(each)}
          </option>
        ))}
      </select>
      <ChartView title={`Chart of ${named(choice)} over time`} labels={labels} data={dataOf(choice)} />
    </>
  )
}
