/** The store of this example keeps every law of its port: each is a test. */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { programStoreLaws } from "@sibyl/testing"
import { describeLaws } from "@sibyl/testing/vitest"
import { layerFolderPrograms } from "./folderPrograms.ts"

describeLaws(
  "programs in a folder",
  programStoreLaws(() => layerFolderPrograms(mkdtempSync(join(tmpdir(), "sibyl-programs-"))))
)
