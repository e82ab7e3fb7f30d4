// Signatures for threads, each made five hundred times, so that a thread that is ended is nearly always within one.
import { sign as signOnce } from "../../../dist/service/signing/threadSignatures.js"

export const sign = (digest, secret) => {
  for (let times = 1; times < 500; times += 1) signOnce(digest, secret)
  return signOnce(digest, secret)
}
