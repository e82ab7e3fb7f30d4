/** Recordings are read as they were written, and not if anything of them was changed. */
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { publicKeyOfSecret, signDigest } from "../../ports/signer.ts"
import { programIdOf } from "../programs/programId.ts"
import { attestationOf } from "./attestation.ts"
import { recordingDraftOf, type Recording, readRecording, writeRecording } from "./recording.ts"

const bytes = fc.uint8Array({ maxLength: 12 })
const amount = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...Array.from("0123456789abcdef")), minLength: length, maxLength: length })
const phase = fc.record({
  exitCode: fc.nat(255),
  gasUsed: amount,
  result: bytes,
  stdout: fc.string(),
  stderr: fc.string({ unit: "grapheme" })
})
const tape = fc.json({ maxDepth: 2 }).map((text) => JSON.stringify(JSON.parse(text)))
const count = fc.nat()

const parts: fc.Arbitrary<Recording> = fc.record({
  run: fc.record({ id: fc.uuid(), executedAtMs: count, server: fc.string(), signer: hex(66) }),
  dataRequest: fc.record({
    version: fc.constant("0.0.1"),
    execProgramId: hex(64),
    execInputs: bytes,
    execGasLimit: amount,
    tallyProgramId: hex(64),
    tallyInputs: bytes,
    tallyGasLimit: amount,
    replicationFactor: fc.integer({ min: 1, max: 20 }),
    consensusFilter: bytes,
    gasPrice: amount,
    memo: bytes
  }),
  dataResult: fc.record({
    version: fc.constant("0.0.1"),
    drId: hex(64),
    consensus: fc.boolean(),
    exitCode: fc.nat(255),
    result: bytes,
    blockHeight: amount,
    blockTimestamp: amount,
    gasUsed: amount,
    paybackAddress: bytes,
    servicePayload: bytes
  }),
  signature: hex(130),
  execute: phase,
  tally: fc.option(phase),
  source: fc.record({
    chainId: fc.string(),
    execHeight: amount,
    tallyHeight: amount,
    lastResult: fc.option(fc.record({ result: bytes, exitCode: fc.nat(255), blockTimestamp: amount })),
    limits: fc.record({
      execWallClockMs: count,
      tallyWallClockMs: count,
      httpActionBytes: count,
      storageActionBytes: count,
      hostCalls: count,
      hostCallBytes: count,
      memoryPages: count,
      stdoutBytes: count,
      stderrBytes: count,
      resultBytes: count
    })
  }),
  execTapes: fc.array(tape, { minLength: 1, maxLength: 3 }) as fc.Arbitrary<unknown> as fc.Arbitrary<Recording["execTapes"]>,
  tallyTape: fc.option(tape),
  programs: fc.constant({})
})

const secret = new Uint8Array(32).fill(7)

/** The same, signed. */
const signed = (given: Recording): Recording => {
  const digest = recordingDraftOf(given).digestAt(1_795_468_447_476)
  const attestation = attestationOf(digest, 1_795_468_447_476, signDigest(digest, secret))
  return attestation === undefined ? given : { ...given, attestation }
}

/** With programs that have their ids; of version 1 or signed. */
const recording: fc.Arbitrary<Recording> = fc.tuple(parts, bytes, bytes, fc.boolean()).map(([given, exec, tally, isSigned]) => {
  const [execProgramId, tallyProgramId] = [programIdOf(exec), programIdOf(tally)]
  const programs = { [execProgramId]: exec, [tallyProgramId]: tally }
  const whole = { ...given, dataRequest: { ...given.dataRequest, execProgramId, tallyProgramId }, programs }
  return isSigned ? signed(whole) : whole
})

const refusalOf = (text: string) => Either.getOrElse(Either.flip(readRecording(text)), () => undefined)

describe("a recording", () => {
  it("is read as it was written", () => {
    fc.assert(
      fc.property(recording, (given) => {
        const text = writeRecording(given)
        const read = Either.getOrThrow(readRecording(text))
        expect(writeRecording(read)).toBe(text)
        expect([read.dataRequest.execInputs, read.dataResult.gasUsed, read.execTapes, read.attestation]).toEqual([
          given.dataRequest.execInputs,
          given.dataResult.gasUsed,
          given.execTapes,
          given.attestation
        ])
      })
    )
  })

  it("is not read if one character was changed, left out or added anywhere, and what is wrong is named", () => {
    const visible = fc.string({ unit: fc.constantFrom(...Array.from('abz019"{}[],:.-+e\\ éÿ')), minLength: 0, maxLength: 1 })
    fc.assert(
      fc.property(recording, fc.nat(), visible, fc.boolean(), (given, place, character, adds) => {
        const text = writeRecording(given)
        const at = place % text.length
        const changed = text.slice(0, at) + character + text.slice(adds ? at : at + 1)
        fc.pre(changed !== text)
        const refusal = refusalOf(changed)
        expect(refusal, changed.slice(Math.max(0, at - 20), at + 20)).toMatchObject({
          part: expect.stringMatching(/./),
          message: expect.stringMatching(/./)
        })
      }),
      { numRuns: 2_000 }
    )
  })

  it("names the part that was changed", () => {
    const [given] = fc.sample(recording, { seed: 1, numRuns: 1 })
    if (given === undefined) throw new Error("no sample")
    const whole = JSON.parse(writeRecording(given)) as Record<string, unknown>
    expect(given.attestation).toBeUndefined()
    for (const name of Object.keys(given)) {
      expect(refusalOf(JSON.stringify({ ...whole, [name]: "other" }))).toEqual({
        part: name,
        message: "was changed: it does not have its digest"
      })
      const { [name]: _, ...without } = whole
      expect(refusalOf(JSON.stringify(without))).toEqual({ part: name, message: "is missing" })
    }
    expect(refusalOf(JSON.stringify({ ...whole, version: 3 }))).toMatchObject({ part: "version" })
    expect(refusalOf(JSON.stringify({ ...whole, format: "other" }))).toMatchObject({ part: "format" })
    expect(refusalOf(JSON.stringify({ ...whole, more: 1 }))).toEqual({ part: "more", message: "is no part of a recording" })
    const { execProgramId } = given.dataRequest
    expect(refusalOf(writeRecording({ ...given, programs: {} }))).toEqual({ part: "programs", message: `do not have ${execProgramId}` })
    const others = { ...given.programs, [execProgramId]: Uint8Array.of(1, 2, 3) }
    expect(refusalOf(writeRecording({ ...given, programs: others }))).toEqual({
      part: "programs",
      message: `have other bytes under ${execProgramId}`
    })
    expect(refusalOf(JSON.stringify(whole, null, 2))).toMatchObject({ part: "file" })
    expect(refusalOf("[]")).toEqual({ part: "file", message: "is not a JSON object" })
  })

  it("names its signer, who has signed all of its parts and the time", () => {
    const [given, other] = fc.sample(recording, { seed: 1, numRuns: 2 })
    if (given === undefined || other === undefined) throw new Error("no sample")
    const { attestation } = signed(given)
    if (attestation === undefined) throw new Error("not signed")
    expect(attestation.signer).toBe(publicKeyOfSecret(secret))
    const fileWith = (of: Recording, changed: object): string => recordingDraftOf(of).text({ ...attestation, ...changed })
    expect(refusalOf(fileWith(given, {}))).toBeUndefined()
    const foreign = { part: "attestation", message: "is not the signature of the key that it names" }
    expect(refusalOf(fileWith(other, {}))).toEqual(foreign)
    expect(refusalOf(fileWith(given, { signedAtMs: attestation.signedAtMs + 1 }))).toEqual(foreign)
    expect(refusalOf(fileWith(given, { signer: publicKeyOfSecret(new Uint8Array(32).fill(8)) }))).toEqual(foreign)
    expect(refusalOf(fileWith(given, { signer: "02" }))).toMatchObject({ part: "attestation.signer" })
    expect(refusalOf(fileWith(given, { signedAtMs: 9e15 }))).toMatchObject({ part: "attestation.signedAtMs" })
    expect(refusalOf(fileWith(given, { more: 1 }))).toMatchObject({ part: "attestation.more" })
    const { attestation: _, ...unsigned } = JSON.parse(fileWith(given, {})) as Record<string, unknown>
    expect(refusalOf(JSON.stringify(unsigned))).toEqual({ part: "attestation", message: "is missing" })
    expect(refusalOf(JSON.stringify({ ...unsigned, version: 1, attestation }))).toEqual({
      part: "attestation",
      message: "is no part of a recording of version 1"
    })
  })
})
