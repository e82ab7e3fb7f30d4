/** A short session with the WebSocket interface, message by message: the example of the documentation. */
import { toHex } from "../../domain/encoding/bytes.ts"

/** One message of the session. */
export interface SessionStep {
  readonly from: "client" | "service"
  /** The name of its kind in the document. */
  readonly kind: string
  readonly note: string
  readonly payload: Readonly<Record<string, unknown>>
}

const programId = "d1e9e129c77e4a0d6b1b0a7f3c5f8f4e9b3a2d6c7e8f90112233445566778899"
const feedId = "5f0c4e0a-63b7-4a57-9d3b-0e6d2d7c8a11"
const runId = "0c2d1f5e-7a34-4c1b-8f60-9b1e2a3c4d5e"
const btcUsd = "e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43"
const startedAt = 1_795_176_000_000
const inputs = { id: btcUsd, output_format: "json" }

const hexOf = (value: unknown): string => toHex(new TextEncoder().encode(JSON.stringify(value)))

const response = (price: number, timestampMs: number) => ({
  _tag: "ExecuteResponse",
  data: {
    id: runId,
    requestId: runId,
    dataRequest: {
      consensusFilter: "00",
      execGasLimit: "300000000000000",
      execInputs: hexOf(inputs),
      execProgramId: programId,
      gasPrice: "0",
      memo: "",
      replicationFactor: 1,
      tallyGasLimit: "50000000000000",
      tallyInputs: "",
      tallyProgramId: programId,
      version: "0.0.1"
    },
    dataResult: {
      drId: "d2715cd6675c8a0743f1e0c9b8a7968574635241302f1e0d0c0b0a0908070605",
      gasUsed: "24355097064375",
      blockHeight: "0",
      blockTimestamp: String(timestampMs),
      consensus: true,
      exitCode: 0,
      version: "0.0.1",
      result: hexOf({ price }),
      paybackAddress: "",
      servicePayload: ""
    },
    signature: `${"3f9a5c7e1b2d4f60".repeat(8)}00`,
    result: { price }
  }
})

/** Connect, start a feed, read two results, stop it. */
export const exampleSession: ReadonlyArray<SessionStep> = [
  {
    from: "service",
    kind: "Authorized",
    note: "The upgrade was accepted. Wait for this message before you send anything.",
    payload: {
      jsonrpc: "2.0",
      method: "authorized",
      params: {
        apiKeyId: "k_7Qm2",
        apiKeyExpiresAt: null,
        organizationId: "8d2c2b1e-5a0f-4f3b-9c58-1f2e3d4c5b6a",
        organizationSlug: "acme",
        projectId: "b7f5a1c2-3d4e-4f60-8a9b-0c1d2e3f4a5b",
        remainingCreditsSnapshot: "999974",
        usedCreditsSnapshot: "26"
      }
    }
  },
  {
    from: "client",
    kind: "FeedStartRequest",
    note: "The price of BTC/USD four times a second.",
    payload: {
      jsonrpc: "2.0",
      id: "1",
      method: "feed.start",
      params: {
        mode: "FIXED",
        periodicityMs: 250,
        execute: { execProgramId: programId, execInputs: inputs, encoding: "json" }
      }
    }
  },
  {
    from: "service",
    kind: "FeedStartReply",
    note: "The feed is running.",
    payload: { jsonrpc: "2.0", id: "1", result: { feedId } }
  },
  {
    from: "service",
    kind: "FeedResult",
    note: "Run 0.",
    payload: {
      jsonrpc: "2.0",
      method: "feed.result",
      params: { feedId, seq: 0, scheduledAt: startedAt, startedAt, result: response(96_243.12, startedAt + 41) }
    }
  },
  {
    from: "service",
    kind: "FeedResult",
    note: "Run 1 could not be paid for. The feed goes on.",
    payload: {
      jsonrpc: "2.0",
      method: "feed.result",
      params: {
        feedId,
        seq: 1,
        scheduledAt: startedAt + 250,
        startedAt: startedAt + 251,
        error: {
          _tag: "InsufficientCredits",
          code: 36003,
          error: "the balance does not cover this execution",
          message: "the balance does not cover this execution",
          details: { required: "1351", remaining: "1204" }
        }
      }
    }
  },
  {
    from: "client",
    kind: "FeedStopRequest",
    note: "Enough.",
    payload: { jsonrpc: "2.0", id: "2", method: "feed.stop", params: { feedId } }
  },
  {
    from: "service",
    kind: "FeedStopReply",
    note: "Nothing of this feed follows.",
    payload: { jsonrpc: "2.0", id: "2", result: { feedId } }
  },
  {
    from: "client",
    kind: "FeedStopRequest",
    note: "The same once more.",
    payload: { jsonrpc: "2.0", id: "3", method: "feed.stop", params: { feedId } }
  },
  {
    from: "service",
    kind: "ErrorReply",
    note: "It is gone.",
    payload: {
      jsonrpc: "2.0",
      id: "3",
      error: {
        _tag: "FeedNotFound",
        code: 32001,
        error: "no feed of this connection has this id",
        message: "no feed of this connection has this id",
        details: { feedId }
      }
    }
  }
]

const { data: succeeded } = response(0, startedAt)
const failedText = "The execution phase ended with exit code 1."

/** The answer to a run whose program failed, as REST sends it with status 599. */
export const failedExample = {
  _tag: "FailedExecutionResponse",
  error: failedText,
  message: failedText,
  data: { ...succeeded, dataResult: { ...succeeded.dataResult, exitCode: 1, result: "" }, result: "" }
} as const
