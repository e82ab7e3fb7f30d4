/** The operator's handbook lists every setting as the code has it, and every command. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { settings } from "./settings.ts"
import { settingsTable } from "./settingsTable.ts"

const handbook = readFileSync(new URL("../../../../docs/OPERATING.md", import.meta.url), "utf8")

describe("docs/OPERATING.md", () => {
  it("has the table of the settings, to the letter", () => {
    expect(handbook).toContain(settingsTable().join("\n"))
  })

  it("names every setting once in that table", () => {
    for (const name of Object.keys(settings)) expect(handbook.split(`\n| \`${name}\` |`), name).toHaveLength(2)
  })
})
