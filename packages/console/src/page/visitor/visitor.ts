/** What all views know of the person in front of them: the key, and the programs to choose from. */
import { useEffect, useState } from "preact/hooks"
import { namedPrograms, type OfferedProgram, offeredPrograms } from "./service.ts"

/** The key in memory, and what it opens. */
export interface Visitor {
  readonly key: string
  readonly setKey: (key: string) => void
  /** Those of whoever mounted the console, then those that have a name for this key. */
  readonly programs: ReadonlyArray<OfferedProgram>
  /** Reads the names again, for the key as it is. */
  readonly readNames: () => void
  /** Why there are no programs; empty if there are. */
  readonly fault: string
}

/** One for all views of the page. */
export const useVisitor = (): Visitor => {
  const [key, setKey] = useState("")
  const [offered, setOffered] = useState<ReadonlyArray<OfferedProgram>>([])
  const [named, setNamed] = useState<ReadonlyArray<OfferedProgram>>([])
  const [fault, setFault] = useState("")
  useEffect(() => {
    offeredPrograms().then(setOffered, () => setFault("The list of programs could not be read."))
  }, [])
  const readNames = (): void => {
    if (key !== "") namedPrograms(key).then(setNamed, () => setNamed([]))
  }
  return { key, setKey, programs: [...offered, ...named], readNames, fault }
}
