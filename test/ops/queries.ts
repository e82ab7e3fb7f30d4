/** The queries of dashboard and alert rules, and what is wrong with them given the metrics of a server. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { parse } from "yaml"
import { namedIn } from "./promql.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** A query, and where it stands. */
export interface Query {
  readonly place: string
  readonly text: string
}

const Rules = Schema.Struct({
  groups: Schema.Array(Schema.Struct({ rules: Schema.Array(Schema.Struct({ alert: Schema.String, expr: Schema.String })) }))
})

const Panel = Schema.Struct({
  title: Schema.String,
  targets: Schema.optionalWith(Schema.Array(Schema.Struct({ expr: Schema.String })), { default: () => [] })
})

const Dashboard = Schema.parseJson(
  Schema.Struct({
    panels: Schema.Array(Panel),
    templating: Schema.Struct({
      list: Schema.Array(
        Schema.Struct({ name: Schema.String, query: Schema.Union(Schema.String, Schema.Struct({ query: Schema.String })) })
      )
    })
  })
)

const textOf = (path: string): string => readFileSync(root + path, "utf8")

/** Grafana's variables, with values that select everything. */
const filled = (text: string): string => text.replaceAll("$__rate_interval", "1m").replaceAll("$instance", ".*")

/** Those of the alert rules. */
export const ruleQueries = (): ReadonlyArray<Query> =>
  Schema.decodeUnknownSync(Rules)(parse(textOf("ops/prometheus/rules.yml"))).groups.flatMap(({ rules }) =>
    rules.map(({ alert, expr }) => ({ place: `alert ${alert}`, text: expr.trim() }))
  )

/** Those of the dashboard: of its panels, and of the lists to choose from. */
export const dashboardQueries = (): ReadonlyArray<Query> => {
  const { panels, templating } = Schema.decodeUnknownSync(Dashboard)(textOf("ops/grafana/sibyl.json"))
  const ofPanels = panels.flatMap(({ targets, title }) => targets.map(({ expr }) => ({ place: `panel ${title}`, text: filled(expr) })))
  const ofLists = templating.list.flatMap(({ name, query }) => {
    const [, selector, label] = typeof query === "string" ? [] : (/^label_values\((.+), (\w+)\)$/.exec(query.query) ?? [])
    return selector === undefined ? [] : [{ place: `list ${name}`, text: `count by (${label}) (${selector})` }]
  })
  return [...ofPanels, ...ofLists]
}

/** A metric's labels, by the name under which a query asks for it: those of a histogram are asked for by part. */
export type Known = ReadonlyMap<string, ReadonlySet<string>>

/** Labels that Prometheus adds to everything that it scrapes. */
const added = ["instance", "job"]

/** The series that Prometheus has of each target whatever it shows. */
const ofEveryTarget: ReadonlySet<string> = new Set(["up", "scrape_duration_seconds"])

const faultsOf = (known: Known, { place, text }: Query): ReadonlyArray<string> => {
  const { faults, grouped, selectors } = namedIn(text)
  const all = new Set([...added, ...selectors.flatMap(({ metric }) => [...(known.get(metric) ?? [])])])
  return [
    ...faults.map((fault) => `${place}: no query ${fault}`),
    ...(selectors.length === 0 ? [`${place}: it asks for no metric`] : []),
    ...selectors.flatMap(({ labels, metric }) => {
      if (ofEveryTarget.has(metric)) return []
      const own = known.get(metric)
      if (own === undefined) return [`${place}: there is no ${metric}`]
      return labels.filter((label) => !own.has(label) && !added.includes(label)).map((label) => `${place}: ${metric} has no ${label}`)
    }),
    ...grouped.filter((label) => !all.has(label)).map((label) => `${place}: none of its metrics has ${label}`)
  ]
}

/** What is wrong with queries: that they are none, or name metrics or labels that are not known. */
export const faultsIn = (known: Known, queries: ReadonlyArray<Query>): ReadonlyArray<string> =>
  queries.flatMap((query) => faultsOf(known, query))
