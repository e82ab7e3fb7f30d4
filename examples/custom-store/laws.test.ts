/** The store of this example keeps every law of its port: each is a test. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { programStoreLaws } from "@sibyl/testing"
import { describeLaws } from "@sibyl/testing/vitest"
import { afterAll } from "vitest"
import { layerFolderPrograms } from "./folderPrograms.ts"

const folder = mkdtempSync(join(tmpdir(), "sibyl-programs-"))
afterAll(() => rmSync(folder, { recursive: true }))

let stores = 0

describeLaws(
  "programs in a folder",
  programStoreLaws(() => layerFolderPrograms(join(folder, `${stores++}`)))
)
