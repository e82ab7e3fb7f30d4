/** The doctor warns where fewer files may be open than connections may wait. */
import { expect, test } from "vitest"
import { openFilesFinding } from "./examineOpenFiles.ts"

test("too few open files are a warning", () => {
  expect(openFilesFinding(1_024)).toEqual({
    check: "open files",
    status: "warning",
    message: "1024 at most, and each connection is one: the system resets those beyond; allow 4096 (ulimit -n)"
  })
  expect(openFilesFinding(4_096)).toEqual({ check: "open files", status: "ok", message: "4096 at most" })
  expect(openFilesFinding(undefined)).toMatchObject({ status: "ok" })
})
