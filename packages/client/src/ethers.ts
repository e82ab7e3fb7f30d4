/** For ethers: the verifier contract's interface, and an answer as its arguments. Nothing of ethers is imported. */
export { verifierArguments } from "./contracts/verifierArguments.ts"
export type { Hex, RequestArgument, ResultArgument, SignedAnswer, SignedParts, VerifierArguments } from "./contracts/verifierArguments.ts"

const request =
  "tuple(string version, bytes32 execProgramId, bytes execInputs, uint64 execGasLimit, bytes32 tallyProgramId, bytes tallyInputs, uint64 tallyGasLimit, uint16 replicationFactor, bytes consensusFilter, uint128 gasPrice, bytes memo) request"

const result =
  "tuple(string version, bytes32 drId, bool consensus, uint8 exitCode, bytes result, uint64 blockHeight, uint64 blockTimestamp, uint128 gasUsed, bytes paybackAddress, bytes servicePayload) result"

/** For `new Contract(address, verifierAbi, runner)`: `await contract.verify(...verifierArguments(answer))`. */
export const verifierAbi: ReadonlyArray<string> = [
  "function signer() view returns (address)",
  `function verify(${request}, ${result}, bytes signature) view returns (bool)`,
  `function check(${request}, ${result}, bytes signature) view returns (uint8)`
]
