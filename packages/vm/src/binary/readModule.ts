/** Reads a module's sections in order, each once, into a {@link ModuleShape}. */
import { ByteReader } from "./byteReader.ts"
import type { ModuleDraft } from "./moduleDraft.ts"
import { emptyDraft } from "./moduleDraft.ts"
import type { FeatureRules, ModuleShape } from "./moduleShape.ts"
import { readElementSection } from "./readElements.ts"
import {
  readCodeSection,
  readDataCountSection,
  readDataSection,
  readExportSection,
  readFunctionSection,
  readGlobalSection,
  readImportSection,
  readMemorySection,
  readStartSection,
  readTableSection,
  readTypeSection
} from "./readSections.ts"
import { refuse } from "./refusal.ts"

/** The required order of sections (by id: data count is between element and code). */
const sectionOrder = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11]

const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]

const readHeader = (reader: ByteReader): void => {
  for (const [at, expected] of header.entries()) {
    if (reader.byte() !== expected) {
      refuse("malformed", at < 4 ? "not a WebAssembly module" : "unknown binary version", at)
    }
  }
}

const readSection = (id: number, section: ByteReader, draft: ModuleDraft, rules: FeatureRules): void => {
  switch (id) {
    case 1:
      return readTypeSection(section, draft, rules)
    case 2:
      return readImportSection(section, draft)
    case 3:
      return readFunctionSection(section, draft)
    case 4:
      return readTableSection(section, draft)
    case 5:
      return readMemorySection(section, draft)
    case 6:
      return readGlobalSection(section, draft)
    case 7:
      return readExportSection(section, draft)
    case 8:
      return readStartSection(section, draft)
    case 9:
      return readElementSection(section, draft)
    case 10:
      return readCodeSection(section, draft)
    case 11:
      return readDataSection(section, draft)
    default:
      return readDataCountSection(section, draft)
  }
}

const checkCounts = (draft: ModuleDraft): void => {
  const defined = draft.functions.length - draft.importedFunctions
  if (draft.bodies.length !== defined) {
    refuse("malformed", `function and code section have inconsistent lengths: ${defined} and ${draft.bodies.length}`)
  }
  if (draft.dataCount !== undefined && draft.dataCount !== draft.dataSegments) {
    refuse("malformed", `data count and data section have inconsistent lengths: ${draft.dataCount} and ${draft.dataSegments}`)
  }
}

/** Reads a module. Refuses it by throwing through {@link refuse}: call it inside of `verdictOf`. */
export const readModule = (bytes: Uint8Array, rules: FeatureRules): ModuleShape => {
  const reader = new ByteReader(bytes)
  readHeader(reader)
  const draft = emptyDraft(bytes)
  let last = -1
  while (!reader.done) {
    const at = reader.at
    const id = reader.byte()
    const section = reader.part(reader.u32())
    if (id === 0) {
      section.name()
      continue
    }
    if (id === 13) refuse("feature", "exception handling is not supported", at)
    const place = sectionOrder.indexOf(id)
    if (place < 0) refuse("malformed", `unknown section ${id}`, at)
    if (place <= last) refuse("malformed", `section ${id} out of order or repeated`, at)
    last = place
    readSection(id, section, draft, rules)
    if (!section.done) refuse("malformed", `section ${id} is longer than its content`, section.at)
  }
  checkCounts(draft)
  return draft
}
