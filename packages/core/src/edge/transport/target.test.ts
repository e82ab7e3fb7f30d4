/** A target is split at its first question mark only. */
import { describe, expect, it } from "vitest"
import { splitTarget } from "./target.ts"

describe("splitTarget", () => {
  it("splits at the first question mark", () => {
    expect(splitTarget("/a")).toEqual({ path: "/a", query: "" })
    expect(splitTarget("/a?")).toEqual({ path: "/a", query: "" })
    expect(splitTarget("/a?b?c")).toEqual({ path: "/a", query: "b?c" })
  })
})
