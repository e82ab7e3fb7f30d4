/** A whole service whose programs reach data proxies by host names, and the result of one execution. */
import { type Limits, toWebHandler } from "@sibyl/core"
import { endlessProxyProgram, type MemoryService, openMemoryService, proxyProgram } from "@sibyl/testing"
import { layerProxiedProgramRuntime } from "@sibyl/vm"
import { layerHttpFetch } from "@sibyl/vm/http"
import { Layer } from "effect"

/** The network of the services under test. */
export const chainId = "sibyl-1-test"

/** Enough gas that only the time limit ends an endless program. */
const gasLimits = { exec: 4n * 10n ** 18n, tally: 10n ** 14n }

/** A request through a data proxy, in the form of the ABI. */
export interface Action {
  readonly url: string
  readonly public_key?: string
  readonly options?: {
    readonly method?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: ReadonlyArray<number>
    readonly timeout_ms?: number
  }
}

/** The result of an execution: the program's last request, the costs, the reveals. */
export interface ProxiedOutcome {
  readonly status: number
  /** `Fulfilled` or `Rejected`. */
  readonly promise: string
  readonly response: { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly url: string }
  /** The body of the answer, or the reason why there is none. */
  readonly text: string
  readonly stderr: string
  readonly cost: Readonly<Record<"base" | "gas" | "dataProxies" | "total", string>>
  readonly creditsUsed: string
  readonly dataProxies: ReadonlyArray<{ readonly publicKey: string; readonly fee: string; readonly calls: number }>
  /** The keys in the reveal. */
  readonly revealedKeys: ReadonlyArray<string>
  /** The whole response body. */
  readonly raw: string
}

/** A service with its own project. */
export interface ProxiedService extends Pick<MemoryService, "registerProxy" | "deploy" | "close"> {
  /** Compressed, 66 lowercase hex characters: the signer of proofs. */
  readonly publicKey: string
  /** Makes the request several times in one execution. */
  readonly run: (action: Action, times?: number, endless?: boolean) => Promise<ProxiedOutcome>
  readonly send: (path: string, body?: object) => Promise<Response>
  readonly execProgramId: string
}

interface Answer {
  readonly data: {
    readonly execute: { readonly result: string; readonly stderr: string }
    readonly tally?: { readonly result: string }
    readonly summary: Pick<ProxiedOutcome, "cost" | "creditsUsed" | "dataProxies">
  }
}

const decoded = (bytes: ReadonlyArray<number>): string => Buffer.from(bytes).toString("utf8")

const toldBy = (status: number, raw: string): ProxiedOutcome => {
  const { data } = JSON.parse(raw) as Answer
  const text = data.execute.result === "" ? "{}" : data.execute.result
  const promise = JSON.parse(text) as Readonly<Record<string, ReadonlyArray<number>>>
  const [kind = "", bytes = []] = Object.entries(promise)[0] ?? []
  const response = (bytes.length === 0 ? { bytes: [] } : JSON.parse(decoded(bytes))) as ProxiedOutcome["response"] & {
    readonly bytes: ReadonlyArray<number>
  }
  const reveals = JSON.parse(data.tally?.result ?? "[]") as ReadonlyArray<{
    readonly proxy_public_keys: ReadonlyArray<string>
  }>
  return {
    status,
    promise: kind,
    response,
    text: decoded(response.bytes),
    stderr: data.execute.stderr,
    ...data.summary,
    revealedKeys: reveals.flatMap(({ proxy_public_keys: keys }) => keys),
    raw
  }
}

/** Opens a service; `hosts` are the names by which its programs reach origins on loopback. */
export const openProxiedService = async (
  hosts: Readonly<Record<string, string>>,
  limits: Partial<Limits> = {}
): Promise<ProxiedService> => {
  const machine = layerProxiedProgramRuntime({ workers: 1 }).pipe(Layer.provide(layerHttpFetch({ hostOverrides: hosts })))
  const memory = await openMemoryService(machine, { limits })
  const handle = toWebHandler(memory.service)
  const [execProgramId, endlessId] = [await memory.deploy(proxyProgram), await memory.deploy(endlessProxyProgram)]
  const { projectId } = await memory.createProject({ organizationSlug: "proxied", gasLimits })
  await memory.grant(projectId, 1_000_000_000n)
  const key = await memory.issueKey(projectId)

  const send: ProxiedService["send"] = async (path, body) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const more = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
    return (await handle(new Request(`http://service${path}`, { headers, ...more }))) ?? Response.error()
  }
  const { publicKey } = (await (await send("/info")).json()) as { readonly publicKey: string }
  return {
    registerProxy: memory.registerProxy,
    deploy: memory.deploy,
    close: memory.close,
    publicKey,
    execProgramId,
    send,
    run: async (action, times = 1, endless = false) => {
      const response = await send("/execute", {
        execProgramId: endless ? endlessId : execProgramId,
        execInputs: `${times}${JSON.stringify({ ...action, options: action.options ?? {} })}`,
        encoding: "utf8",
        includeDebugInfo: true,
        includeSummary: true
      })
      return toldBy(response.status, await response.text())
    }
  }
}
