/** `npm run bench -- NAME`: runs one benchmark, prints a table and writes `bench-results/NAME.json`. */
import { mkdir, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"

const names = ["cluster", "edges", "fairness", "feeds", "http", "isolation", "ledger", "placement", "telemetry", "vm"]

const print = (line) => process.stdout.write(`${line}\n`)

/** Whether a figure reaches its target: at least the target, or with `atMost` at most it. Without a target it passes. */
const verdictOf = ({ atMost, reach, value }) => reach === undefined || (atMost ? value <= reach : value >= reach)

const shown = (value, unit) =>
  value === undefined ? "" : `${value.toLocaleString("en-US", { maximumFractionDigits: value < 100 ? 2 : 0 })} ${unit}`

const printTable = (rows) => {
  const cells = rows.map((row) => [
    row.id,
    row.what,
    shown(row.value, row.unit),
    shown(row.reach, row.unit),
    shown(row.aim, row.unit),
    row.reach === undefined ? "" : verdictOf(row) ? "ok" : "NOT reached"
  ])
  const table = [["", "what", "measured", "reach", "aim", ""], ...cells]
  const widths = table[0].map((_, column) => Math.max(...table.map((line) => line[column].length)))
  for (const line of table)
    print(
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join("  ")
        .trimEnd()
    )
}

const main = async ([name]) => {
  if (!names.includes(name)) {
    process.stderr.write(`usage: npm run bench -- NAME, where NAME is one of: ${names.join(", ")}\n`)
    process.exitCode = 1
    return
  }
  const { measure } = await import(`./${name}/${name}.mjs`)
  const rows = await measure(print)
  print("")
  printTable(rows)
  const folder = fileURLToPath(new URL("../bench-results/", import.meta.url))
  await mkdir(folder, { recursive: true })
  const results = rows.map((row) => {
    const { aim, id, reach, unit, value, what } = row
    return { id, value, unit, reach, aim, ok: verdictOf(row), what }
  })
  await writeFile(`${folder}${name}.json`, `${JSON.stringify(results, null, 2)}\n`)
}

await main(process.argv.slice(2))
