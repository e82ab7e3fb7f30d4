/** The table of mutants in docs/SIMULATION.md. */

const [begin, end] = ["<!-- mutants: written by npm run mutants -->", "<!-- end of mutants -->"]

/** The table of all mutants and of who caught each. */
export const tableOf = (mutants, results) => {
  const caught = mutants.filter(({ id }) => results.get(id) !== null)
  const bySimulation = caught.filter(({ id }) => results.get(id).startsWith("simulation"))
  const share = ((100 * caught.length) / mutants.length).toFixed(0)
  return [
    `${caught.length} of ${mutants.length} guards (${share} %) are missed when they are taken out: ${bySimulation.length} by simulations, ` +
      `${caught.length - bySimulation.length} by test files.`,
    "",
    "| guard | what it guards | where | caught by |",
    "|---|---|---|---|",
    ...mutants.map(({ file, guards, id }) => `| \`${id}\` | ${guards} | \`${file}\` | ${results.get(id) ?? "nobody"} |`)
  ].join("\n")
}

/** The page with this table in place of the one it has. */
export const withTable = (page, table) => {
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error("the page has no place for the table of mutants")
  return `${before}${begin}\n\n${table}\n\n${end}${after}`
}
