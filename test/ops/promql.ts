/** What a query of Prometheus names: metrics, and the labels that are asked of them. */
import { parser } from "@prometheus-io/lezer-promql"

/** One selector of a query: `name{label="value"}`. */
export interface Selector {
  readonly metric: string
  readonly labels: ReadonlyArray<string>
}

/** What a query names. */
export interface Named {
  readonly selectors: ReadonlyArray<Selector>
  /** Labels by which it groups or matches; each has to be one of a selected metric. */
  readonly grouped: ReadonlyArray<string>
  /** Where the text is no query. */
  readonly faults: ReadonlyArray<string>
}

interface Node {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly type: { readonly isError: boolean }
}

/** Reads a query with Prometheus's own grammar. */
export const namedIn = (query: string): Named => {
  const selectors: Array<{ metric: string; labels: Array<string> }> = []
  const grouped: Array<string> = []
  const faults: Array<string> = []
  const path: Array<string> = []
  parser.parse(query).iterate({
    enter: ({ from, name, to, type }: Node) => {
      const text = query.slice(from, to)
      if (type.isError) faults.push(`at ${from}: ${query.slice(from, from + 20)}`)
      if (name === "VectorSelector") selectors.push({ metric: "", labels: [] })
      const latest = selectors.at(-1)
      if (name === "Identifier" && path.at(-1) === "VectorSelector" && latest !== undefined) latest.metric = text
      if (name === "LabelName") {
        if (path.at(-1) === "GroupingLabels") grouped.push(text)
        else latest?.labels.push(text)
      }
      path.push(name)
    },
    leave: () => void path.pop()
  })
  return { selectors, grouped, faults }
}
