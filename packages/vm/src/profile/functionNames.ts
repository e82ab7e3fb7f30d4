/** What a module's functions are called: by its name section, else by an export, else by their number. */
import { ByteReader } from "../binary/byteReader.ts"
import { externalKind, type ModuleShape } from "../binary/moduleShape.ts"
import { verdictOf } from "../binary/refusal.ts"
import { shortName } from "../binary/shownName.ts"

/** The part of the name section that names functions. */
const functionNamesPart = 1

const headerBytes = 8

/** As one line without control characters. */
const shown = (name: string): string => shortName(name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " "))

const readFunctionNames = (part: ByteReader, functions: number, names: Map<number, string>): void => {
  for (let left = part.count("names", functions); left > 0; left -= 1) {
    const index = part.u32()
    const name = part.name()
    if (index < functions && name !== "") names.set(index, shown(name))
  }
}

const readNameSection = (section: ByteReader, functions: number, names: Map<number, string>): void => {
  while (!section.done) {
    const id = section.byte()
    const part = section.part(section.u32())
    if (id === functionNamesPart) readFunctionNames(part, functions, names)
  }
}

const readCustomSections = (bytes: Uint8Array, functions: number, names: Map<number, string>): void => {
  const reader = new ByteReader(bytes, headerBytes)
  while (!reader.done) {
    const id = reader.byte()
    const section = reader.part(reader.u32())
    if (id === 0 && section.name() === "name") readNameSection(section, functions, names)
  }
}

/** Functions with the same name are distinguished by their numbers. */
const apart = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const count = new Map<string, number>()
  for (const name of names) count.set(name, (count.get(name) ?? 0) + 1)
  return names.map((name, index) => ((count.get(name) ?? 0) > 1 ? `${name} (${index})` : name))
}

/**
 * The name of each function by its index. `symbols` is a build of the same sources that has a name section, where `module` has none;
 * a name section that is malformed is ignored from there on.
 */
export const functionNames = (module: ModuleShape, symbols: Uint8Array = module.bytes): ReadonlyArray<string> => {
  const imports = module.imports.filter(({ kind }) => kind === externalKind.function)
  const exported = new Map<number, string>()
  for (const { index, kind, name } of module.exports) if (kind === externalKind.function) exported.set(index, shown(name))
  const named = new Map<number, string>()
  verdictOf(() => readCustomSections(symbols, module.functions.length, named))
  return apart(
    module.functions.map((_, index) => {
      const imported = imports[index]
      if (imported !== undefined) return shown(`${imported.module}.${imported.name}`)
      return named.get(index) ?? exported.get(index) ?? `func ${index}`
    })
  )
}
