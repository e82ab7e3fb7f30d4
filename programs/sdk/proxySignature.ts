/** The signature of a data proxy over its answer, checked by the program itself. */
import { keccak256, secp256k1Verify } from "./crypto"
import { fromHexText } from "./hex"
import { HttpOptions, HttpResponse } from "./httpFetch"

/**
 * Whether the data proxy with this key (SEC1, hex) signed this answer to this request. The signed message is the
 * Keccak-256 of the final address, of the upper-case method, of the request's body and of the answer's, in this order.
 */
export function isSignedByProxy(
  response: HttpResponse,
  publicKey: string,
  options: HttpOptions = new HttpOptions()
): bool {
  const signature = fromHexText(response.header("x-seda-signature"))
  const key = fromHexText(publicKey)
  if (signature === null || signature.length != 64 || key === null || !isKeyLike(key)) return false
  const message = new Uint8Array(128)
  message.set(keccak256(Uint8Array.wrap(String.UTF8.encode(response.url))))
  message.set(keccak256(Uint8Array.wrap(String.UTF8.encode(options.method.toUpperCase()))), 32)
  message.set(keccak256(options.body), 64)
  message.set(keccak256(response.bytes), 96)
  return secp256k1Verify(message, signature, key)
}

/** The tally phase traps on malformed keys; whether a key is on the curve is checked by the host. */
function isKeyLike(key: Uint8Array): bool {
  return (key.length == 33 && (key[0] | 1) == 3) || (key.length == 65 && key[0] == 4)
}
