/** The result of a phase. */
import { execution_result } from "./host"
import { JsonObject } from "./jsonObject"
import { Uint256 } from "./uint256"

/** Sets the result; the last call counts. */
export function setResult(bytes: Uint8Array): void {
  execution_result(bytes.dataStart, bytes.length)
}

/** Sets the result to the UTF-8 bytes of a text. */
export function setResultText(text: string): void {
  setResult(Uint8Array.wrap(String.UTF8.encode(text)))
}

/** Sets the result to a JSON object. */
export function setResultJson(object: JsonObject): void {
  setResultText(object.toString())
}

/** Sets the result to the 32 big-endian bytes that EVM readers decode as a `uint256`. */
export function setResultUint256(value: Uint256): void {
  setResult(value.toBytes())
}
