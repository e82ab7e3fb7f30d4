// Signatures for threads, each made five hundred times, so that a thread that is ended is nearly always within one.
import { loadNativeSignatures } from "../../../dist/service/nativeSignatures.js"

let native
export const sign = (digest, secret) => {
  native ??= loadNativeSignatures()
  for (let times = 1; times < 500; times += 1) native.sign(digest, secret)
  return native.sign(digest, secret)
}
