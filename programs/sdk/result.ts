/** The result of a phase. */
import { execution_result } from "./host"

/** Sets the result; the last call counts. */
export function setResult(bytes: Uint8Array): void {
  execution_result(bytes.dataStart, bytes.length)
}

/** Sets the result to the UTF-8 bytes of a text. */
export function setResultText(text: string): void {
  setResult(Uint8Array.wrap(String.UTF8.encode(text)))
}
