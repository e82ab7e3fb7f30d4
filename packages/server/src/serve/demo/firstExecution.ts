/** One execution over the server's own REST interface as any client does it, judged by `verify` as any client would. */
import { ExecuteResponse, InfoRecord, SummaryRecord } from "@sibyl/core"
import { type Refused, verify } from "@sibyl/core/verify"
import { Effect, Option, Schema } from "effect"
import { btcUsd } from "./btcUsd.ts"
import { unknownHost } from "../../output/unknownHost.ts"
import { DemoFailed } from "./demoFailed.ts"
import type { Demo } from "./demoProject.ts"
import { priceHost } from "./demoUpstream.ts"

/** What the demonstration tells a person about its execution. */
export interface DemoExecution {
  readonly programId: string
  readonly pair: string
  readonly resultHex: string
  /** US dollars times 10^8. */
  readonly priceE8: bigint
  readonly execGas: bigint
  readonly tallyGas: bigint
  readonly creditsUsed: bigint
  readonly creditsRemaining: bigint
  readonly drId: string
  readonly publicKey: string
  readonly signatureValid: boolean
  /** Why `verify` refuses the response; `undefined` when it accepts it. */
  readonly refusal: Refused | undefined
  readonly durationMs: number
}

const Failed = Schema.parseJson(Schema.Struct({ data: Schema.Struct({ execute: Schema.Struct({ stderr: Schema.String }) }) }))

/** What the program itself says of its failure, which is shorter than the whole answer; else the answer. */
const reasonIn = (body: string): string =>
  Option.match(Schema.decodeOption(Failed)(body), {
    onNone: () => body,
    onSome: ({ data }) => (data.execute.stderr.trim() === "" ? body : data.execute.stderr.trim())
  })

/** Longer than the limits of a run allow, beside its wait for a worker. */
const patienceMs = 60_000

const answerTo = async (url: string, key: string, ms: number): Promise<readonly [Response, body: string]> => {
  try {
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` }, signal: AbortSignal.timeout(ms) })
    return [response, await response.text()]
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "TimeoutError") throw error
    const message = `a first execution was not answered within ${ms / 1_000} s: its run does not end, look at the log of the server, and of executors if it has some`
    throw new DemoFailed({ message })
  }
}

/** The JSON of an answer; rejects with {@link DemoFailed} when it is none of success, or does not come in time. */
export const fetchJson = async (url: string, key: string, ms = patienceMs): Promise<unknown> => {
  const [response, body] = await answerTo(url, key, ms)
  if (!response.ok) throw new DemoFailed({ message: `a first execution was answered ${response.status}: ${reasonIn(body)}` })
  return JSON.parse(body)
}

const execute = async ({ cryptoPriceId, key, url }: Demo): Promise<DemoExecution> => {
  const query = new URLSearchParams({
    execProgramId: cryptoPriceId,
    execInputs: JSON.stringify({ id: btcUsd }),
    includeSummary: "true",
    includeDebugInfo: "true"
  })
  const answered = await fetchJson(`${url}/execute?${query}`, key)
  const response = Schema.decodeUnknownSync(ExecuteResponse)(answered)
  const { publicKey } = Schema.decodeUnknownSync(InfoRecord)(await fetchJson(`${url}/info`, key))
  const verdict = verify(answered, { publicKey, programId: cryptoPriceId, requireSuccess: true })
  const { dataResult } = response.data
  const summary = Schema.decodeUnknownSync(SummaryRecord)(response.data.summary)
  return {
    programId: cryptoPriceId,
    pair: "BTC/USD",
    resultHex: dataResult.result,
    priceE8: BigInt(`0x${dataResult.result}`),
    execGas: BigInt(summary.gasUsed.exec),
    tallyGas: BigInt(summary.gasUsed.tally),
    creditsUsed: BigInt(summary.creditsUsed),
    creditsRemaining: BigInt(summary.creditsRemaining),
    drId: dataResult.drId,
    publicKey,
    signatureValid: verdict.ok,
    refusal: verdict.ok ? undefined : verdict,
    durationMs: summary.durationMs
  }
}

/** A program is told only that a host has no public address; a person needs to know whether DNS is the cause. */
const withDns = (failure: DemoFailed): Effect.Effect<never, DemoFailed> =>
  /no public address/.test(failure.message)
    ? Effect.flatMap(unknownHost(`https://${priceHost}`), (why) =>
        why === undefined ? failure : new DemoFailed({ message: `${failure.message} (${why})` })
      )
    : failure

/** Executes crypto-price for BTC/USD. */
export const firstExecution = (demo: Demo): Effect.Effect<DemoExecution, DemoFailed> =>
  Effect.tryPromise({
    try: () => execute(demo),
    catch: (cause) => (cause instanceof DemoFailed ? cause : new DemoFailed({ message: `the first execution failed: ${String(cause)}` }))
  }).pipe(Effect.catchAll(withDns))
