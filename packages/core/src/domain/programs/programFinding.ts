/** What is found in a program without running it. */

/** One finding. `warning`: it can change what is signed, or keep the program from running; `note`: good to know. */
export interface ProgramFinding {
  readonly level: "warning" | "note"
  /** The kind of finding, for scripts. */
  readonly about: "execution" | "tally" | "clock" | "random" | "storage" | "referenceTypes" | "passiveSegments" | "floats" | "memoryMaximum"
  readonly message: string
}
