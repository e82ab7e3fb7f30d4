/** The example programs for hosts: their names, example inputs, and once they are built their ids and bytes. */

/** A program's name. */
export type ExampleProgramName = "crypto-price" | "metals-index" | "equity-session"

/** One example program with example inputs. */
export interface ExampleProgram {
  readonly name: ExampleProgramName
  /** What the inputs request, as text. */
  readonly asks: string
  /** `execInputs` for a JSON result. */
  readonly inputs: Readonly<Record<string, unknown>>
}

/** Every example program. */
export const examplePrograms: ReadonlyArray<ExampleProgram>

/** The program's id: the Keccak-256 of its bytes, 64 hex characters. Rejects until the programs are built. */
export const programIdOf: (name: ExampleProgramName) => Promise<string>

/** The path of the program's module, which exists once the programs are built. */
export const programPath: (name: ExampleProgramName) => string

/** The program's bytes. Rejects until the programs are built. */
export const programBytes: (name: ExampleProgramName) => Promise<Uint8Array<ArrayBuffer>>
