/** The table of metrics in the operators' guide is the list of metrics in the code. */
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { everyMetric } from "@sibyl/telemetry"
import { expect, test } from "vitest"

const page = fileURLToPath(new URL("../docs/OPERATING.md", import.meta.url))

test("docs/OPERATING.md lists every metric as it is", async () => {
  const lines = (await readFile(page, "utf8")).split("\n")
  const first = lines.indexOf("| metric | kind | labels | what it is |") + 2
  const rows = lines.slice(first, lines.indexOf("", first))
  expect(rows).toEqual(
    everyMetric.map(
      ({ help, kind, labels, name }) => `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${help} |`
    )
  )
})
