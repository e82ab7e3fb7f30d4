/** The contract's bytes and its functions' selectors, from the Solidity compiler in the npm package `solc`. */
import { readFileSync } from "node:fs"
import solc from "solc"

/** A compiled contract. */
export interface CompiledContract {
  /** Lowercase hex, to be followed by the constructor's arguments. */
  readonly bytecode: string
  /** The selector of a function by name: four bytes as 8 hex characters. */
  readonly selectorOf: (functionName: string) => string
}

interface CompilerOutput {
  readonly errors?: ReadonlyArray<{ readonly formattedMessage: string }>
  readonly contracts?: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly evm: {
              readonly bytecode: { readonly object: string }
              readonly methodIdentifiers: Readonly<Record<string, string>>
            }
          }
        >
      >
    >
  >
}

const file = "SibylVerifier.sol"

/** Compiles the contract. Warnings count as errors. Takes about a second. */
export const compileContract = (): CompiledContract => {
  const input = {
    language: "Solidity",
    sources: { [file]: { content: readFileSync(new URL(file, import.meta.url), "utf8") } },
    settings: {
      optimizer: { enabled: true, runs: 10_000 },
      evmVersion: "paris",
      outputSelection: { "*": { "*": ["evm.bytecode.object", "evm.methodIdentifiers"] } }
    }
  }
  const output = JSON.parse(String(solc.compile(JSON.stringify(input)))) as CompilerOutput
  const evm = output.contracts?.[file]?.["SibylVerifier"]?.evm
  if (evm === undefined || output.errors !== undefined) {
    throw new Error(output.errors?.map((error) => error.formattedMessage).join("\n") ?? "nothing was compiled")
  }
  const selectors = Object.entries(evm.methodIdentifiers)
  return {
    bytecode: evm.bytecode.object,
    selectorOf: (functionName) => {
      const found = selectors.find(([signature]) => signature.startsWith(`${functionName}(`))
      if (found === undefined) throw new Error(`the contract has no function ${functionName}`)
      return found[1]
    }
  }
}
