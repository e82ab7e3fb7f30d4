/** Whether an answer is signed by the service's key, as decided in this browser. */
import { verify } from "@sibyl/core/verify"
import type { Members } from "../visitor/members.ts"

/** The verdict in words. */
export const SignatureLine = ({ body, info }: { readonly body: unknown; readonly info: Members }) => {
  const keys = Array.isArray(info["keys"]) ? { keys: info["keys"], nowMs: Date.now() } : { publicKey: String(info["publicKey"]) }
  const verdict = verify(body, keys)
  return verdict.ok ? (
    <p class="signature good">
      Signature valid <span>by {verdict.publicKey}</span>
    </p>
  ) : (
    <p class="signature bad" role="alert">
      Signature invalid <span>{verdict.message}</span>
    </p>
  )
}
