/** Every audit of an adapter as tests of vitest, in one line: `describeAdapter("my adapter", serve)`. */
import { type DataProxies, HttpFetch, type Network, type ProgramRuntime, type Service, type Signer } from "@sibyl/core"
import { Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { adapterAudits } from "./adapters/adapterAudits.ts"
import { makeMirrorService } from "./adapters/mirrorService.ts"
import type { Audit } from "./audits/audit.ts"
import { failureText } from "./audits/printReport.ts"
import { restAudits } from "./audits/every/restAudits.ts"
import { operatorOf } from "./audits/provision/operator.ts"
import { provisionTarget } from "./audits/provision/provisionTarget.ts"
import { wsAudits } from "./audits/every/wsAudits.ts"
import type { WsTarget } from "./audits/ws/wsTarget.ts"
import { openMemoryService } from "./memoryService.ts"

/** A service on a listening server. */
export interface ServedService {
  /** Address and path prefix, without a trailing slash: `http://127.0.0.1:8080/oracle`. */
  readonly baseUrl: string
  /** Ends the server, with connections that are still open. */
  readonly stop: () => Promise<unknown>
}

/** Serves a service through the adapter under test, on a free port of loopback. */
export type ServeService = (service: Service) => Promise<ServedService>

/** What else is tested. */
export interface DescribeAdapterOptions {
  /** Runs programs, such as `layerProgramRuntime()` of `@sibyl/vm`: the audits of REST and WebSocket are made, too. */
  readonly machine?: Layer.Layer<ProgramRuntime, never, DataProxies | HttpFetch | Network | Signer>
  /** Whether unknown paths are answered with the service's 404; default `false`: they are another's. */
  readonly standAlone?: boolean
  /** Why the adapter opens no WebSockets, if it does not: their audits are skipped with this reason. */
  readonly withoutWebSockets?: string
}

/** Short, so that the audits of silent clients do not take a minute; long enough that a slow reader is not a silent client. */
const pingIntervalMs = 5_000

/** Longer than the longest audit. */
const timeout = 120_000

/** Audits that open a WebSocket, or are refused one. */
const needsWebSockets = ({ id }: Pick<Audit<never>, "id">): boolean => /^(?:WS|ADAPTER-SOCKET|ADAPTER-UPGRADE)-/.test(id)

/** A test for each audit, in their order, because the last ones may end the service. What cannot be made is skipped with the reason. */
const describeAudits = <Target>(
  title: string,
  audits: ReadonlyArray<Audit<Target>>,
  target: () => Target,
  withoutWebSockets?: string
): void => {
  describe(title, () => {
    for (const audit of audits) {
      it(`${audit.id} ${audit.title}`, { timeout }, async ({ skip }) => {
        if (withoutWebSockets !== undefined && needsWebSockets(audit)) skip(withoutWebSockets)
        const result = await audit.run(target())
        if (result.kind === "skipped") skip(result.reason)
        expect(result.kind, result.kind === "failed" ? `\n${result.failures.map(failureText).join("\n")}` : undefined).toBe("passed")
      })
    }
  })
}

const describeSeam = (serve: ServeService, withoutWebSockets?: string): void => {
  let served: ServedService
  beforeAll(async () => {
    served = await serve(makeMirrorService())
  })
  afterAll(() => served.stop())
  describeAudits("requests, answers and sockets reach the service as they are", adapterAudits, () => served, withoutWebSockets)
}

const describeInterface = (
  serve: ServeService,
  machine: NonNullable<DescribeAdapterOptions["machine"]>,
  { standAlone = false, withoutWebSockets }: DescribeAdapterOptions
): void => {
  let target: WsTarget
  let stop: () => Promise<unknown>
  beforeAll(async () => {
    const memory = await openMemoryService(Layer.provide(machine, HttpFetch.layerClosed), { limits: { pingIntervalMs } })
    const served = await serve(memory.service)
    stop = async () => {
      // The service first: it closes its WebSockets, which many servers do not track.
      await memory.close()
      await served.stop()
    }
    const { baseUrl } = served
    target = { ...(await provisionTarget(memory, { baseUrl, standAlone })), operator: operatorOf(memory), pingIntervalMs, loadShare: 0.1 }
  }, timeout)
  afterAll(() => stop())
  describeAudits("REST", restAudits, () => target)
  describeAudits("WebSocket", wsAudits, () => target, withoutWebSockets)
}

/** Defines the tests: the adapter audits and, with a `machine`, every audit of REST and WebSocket over the adapter. */
export const describeAdapter = (name: string, serve: ServeService, options: DescribeAdapterOptions = {}): void => {
  const { machine, withoutWebSockets } = options
  describe(`${name}: the seam`, () => describeSeam(serve, withoutWebSockets))
  if (machine !== undefined) describe(`${name}: the interface`, () => describeInterface(serve, machine, options))
}
