/** Audits of `GET /data-proxy/{public_key}` (D19). */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { type Audit, audit } from "../audit.ts"
import { type Check, matches, same } from "../check.ts"
import { type Answer, send } from "./call.ts"
import type { Target } from "./target.ts"
import { isError, jsonType, refusesParameter } from "./wireForms.ts"

/** Asks without a key, because none is needed. */
const ask = (target: Target, publicKey: string): Promise<Answer> => send(target, { path: `/data-proxy/${publicKey}`, key: null })

/** All accepted forms of a key. */
const spellings = (compressed: string): ReadonlyArray<string> => {
  const uncompressed = secp256k1.Point.fromHex(compressed).toHex(false)
  return [compressed, uncompressed, compressed.toUpperCase(), uncompressed.toUpperCase()]
}

const freshKey = (): string => secp256k1.Point.BASE.multiply(secp256k1.Point.Fn.fromBytes(secp256k1.utils.randomSecretKey())).toHex(true)

const shows = (answer: Answer, record: object): ReadonlyArray<Check> => [
  same("status", answer.status, 200),
  matches("content type", answer.header("content-type"), jsonType),
  same("the record, with its members in order", answer.json, record)
]

const answersUnregistered = audit<Target>(
  "REST-PROXY-001",
  "MUST",
  "interface.md#get-data-proxypublic_key/D19",
  "a key that is not registered is answered with 200, an empty name, the fee 0 and the key as in the request",
  async (target) => {
    const keys = spellings(freshKey())
    const answers = await Promise.all(keys.map((publicKey) => ask(target, publicKey)))
    return answers.flatMap((answer, index) => shows(answer, { registered: false, name: "", publicKey: keys[index], fee: "0" }))
  }
)

const answersRegistered = audit<Target>(
  "REST-PROXY-002",
  "MUST",
  "interface.md#get-data-proxypublic_key/D19",
  "a registered key is answered with its name and fee, however it is written, and the key as in the request",
  async (target) => {
    const { dataProxy } = target
    if (dataProxy === undefined) return { skip: "the target has no registered data proxy" }
    const { fee, name } = dataProxy
    const keys = spellings(dataProxy.publicKey)
    const answers = await Promise.all(keys.map((publicKey) => ask(target, publicKey)))
    return answers.flatMap((answer, index) => shows(answer, { registered: true, name, publicKey: keys[index], fee }))
  }
)

const refusesMalformed = audit<Target>(
  "REST-PROXY-003",
  "MUST",
  "D13/D19",
  "anything but a public key of 33 or 65 bytes is refused with 400, which names the parameter",
  async (target) => {
    const good = freshKey()
    const offTheCurve = `02${"ff".repeat(32)}`
    const malformed = ["02", good.slice(2), `${good}00`, `05${good.slice(2)}`, good.replace(/..$/, "zz"), offTheCurve]
    const answers = await Promise.all(malformed.map((publicKey) => ask(target, publicKey)))
    return answers.flatMap((answer, index) => refusesParameter(malformed[index] ?? "", answer, "public_key"))
  }
)

const allowsGetOnly = audit<Target>(
  "REST-PROXY-004",
  "MUST",
  "D13/D19",
  "any method other than GET is 405 with Allow: proxies are registered by the operator, not over this interface",
  async (target) => {
    const path = `/data-proxy/${freshKey()}`
    const methods = ["POST", "PUT", "DELETE"]
    const answers = await Promise.all(methods.map((method) => send(target, { method, path })))
    return answers.flatMap((answer, index) => [
      ...isError(methods[index] ?? "", answer, 405, "MethodNotAllowed"),
      matches("allow", answer.header("allow"), /(^|, *)GET(,|$)/)
    ])
  }
)

/** The record of a data proxy. */
export const dataProxyAudits: ReadonlyArray<Audit<Target>> = [answersUnregistered, answersRegistered, refusesMalformed, allowsGetOnly]
