/** Whether a report is what a signing key of its time has signed. */
import type { ExecutionReport, ListedKey } from "@sibyl/core"
import { dataRequestIdOf, dataResultIdOf, fromHex, recoverSigner, signsAt } from "@sibyl/core/internal"

/** Recovers the compressed key, 66 lowercase hex characters, that signed a digest with r‖s‖v; `undefined` if the signature is invalid. */
export type RecoverKey = (digest: Uint8Array, signature: Uint8Array) => string | undefined

/** Checks reports against the signing keys of a database. */
export class ReportCheck {
  readonly #keys: ReadonlyMap<string, ListedKey>
  readonly #recover: RecoverKey

  constructor(keys: ReadonlyArray<ListedKey>, recover: RecoverKey = recoverSigner) {
    this.#keys = new Map(keys.map((key) => [key.publicKey, key]))
    this.#recover = recover
  }

  /** What is wrong with a report, without its content. */
  faultsOf({ dataRequest, dataResult, signature }: ExecutionReport): ReadonlyArray<string> {
    if (dataRequestIdOf(dataRequest) !== dataResult.drId) return ["its request is not the one that was signed"]
    const signer = this.#recover(dataResultIdOf(dataResult), fromHex(signature) ?? new Uint8Array())
    const key = signer === undefined ? undefined : this.#keys.get(signer)
    if (key === undefined) return ["its signature is by no signing key of this database"]
    return signsAt(key, Number(dataResult.blockTimestamp)) ? [] : [`it was signed by ${key.publicKey} outside of that key's time`]
  }
}
