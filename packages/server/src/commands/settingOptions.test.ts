/** The handbook's table of settings names flags; the command line has exactly those. */
import { describe, expect, it } from "vitest"
import { settings } from "../config/settings.ts"
import { serverOptions } from "./settingOptions.ts"

describe("options of the command line", () => {
  it("are those settings that declare a flag, the file and --set", () => {
    const declared = Object.entries(settings).flatMap(([name, { flag }]) => (flag === undefined ? [] : [name]))
    expect(declared.length).toBeGreaterThan(10)
    expect(Object.keys(serverOptions).toSorted()).toEqual([...declared, "config", "set"].toSorted())
  })
})
