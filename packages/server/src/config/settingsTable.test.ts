/** docs/OPERATING.md lists every setting as the code defines it, and every command. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { settings } from "./settings.ts"
import { settingsTable } from "./settingsTable.ts"

const handbook = readFileSync(new URL("../../../../docs/OPERATING.md", import.meta.url), "utf8")

describe("docs/OPERATING.md", () => {
  it("has exactly the generated table of settings", () => {
    expect(handbook).toContain(settingsTable().join("\n"))
  })

  it("lists every setting once", () => {
    for (const name of Object.keys(settings)) expect(handbook.split(`\n| \`${name}\` |`), name).toHaveLength(2)
  })
})
