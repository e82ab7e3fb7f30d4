/** What the demonstration tells a person of a response's signature is what `verify` said. */
import { verify } from "@sibyl/core/verify"
import { expect, it } from "vitest"
import { signatureText } from "./showDemo.ts"

const publicKey = `02${"11".repeat(32)}`

it("shows the reason of a refusal, and calls only an accepted response valid", () => {
  const verdict = verify({ data: { dataRequest: {}, dataResult: {}, signature: "" } }, { publicKey })
  if (verdict.ok) throw new Error("an empty record was accepted")
  expect(signatureText({ publicKey, refusal: verdict })).toContain(`NOT valid: malformed, ${verdict.message}`)
  expect(signatureText({ publicKey, refusal: undefined })).toContain(`signature valid, by ${publicKey}`)
})
