/** The program's own durable keys and values. Execution phase only: a program that links these cannot run as a tally. */
import { toHex } from "./hex"
import { storage_delete, storage_read, storage_write } from "./host"
import { HostPromise, takePromise } from "./hostPromise"
import { parseJsonAt } from "./json"
import { jsonString } from "./jsonWriter"
import { fail } from "./process"

/** The value of a key (at most 256 bytes), `null` if there is none. A refusal by the host ends the program. */
export function storageRead(key: Uint8Array): Uint8Array | null {
  const action = keysAction(key)
  const answer = settled(storage_read(changetype<usize>(action), action.byteLength))
  return parseJsonAt(answer.start, answer.length).get(toHex(key)).bytes()
}

/** Sets the value (at most 1,024 bytes) of a key. It is stored if the program ends with exit code 0. */
export function storageWrite(key: Uint8Array, value: Uint8Array): void {
  const pair = jsonString(toHex(key)) + ":" + jsonString(toHex(value))
  const action = String.UTF8.encode("{\"values\":{" + pair + "}}")
  settled(storage_write(changetype<usize>(action), action.byteLength))
}

/** Deletes a key, whether or not it exists. */
export function storageDelete(key: Uint8Array): void {
  const action = keysAction(key)
  settled(storage_delete(changetype<usize>(action), action.byteLength))
}

function keysAction(key: Uint8Array): ArrayBuffer {
  return String.UTF8.encode("{\"keys\":[" + jsonString(toHex(key)) + "]}")
}

function settled(length: u32): HostPromise {
  const answer = takePromise(length)
  return answer.isFulfilled ? answer : fail<HostPromise>("storage: " + answer.text())
}
