/** Which tests run on Bun as well as on Node, which on Deno, and which files take longest. */
import { readdirSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Every test file of the repository, as a path from its root. */
export const testFiles = (): ReadonlyArray<string> =>
  ["packages", "examples", "test"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
      .map(({ name, parentPath }) => relative(root, join(parentPath, name)).replaceAll("\\", "/"))
      .filter((path) => !/\/(?:node_modules|dist)\//.test(path))
  )

/**
 * Tests that show nothing on Bun beyond what they show on Node: files, and folders with a slash at the end. They run on Node only, except
 * those in {@link onBunToo}.
 */
export const onNodeAlone: ReadonlyArray<string> = [
  // Core is mostly pure: `onBunToo` covers its few uses of the runtime, and the audits of both adapters run all of it on Bun.
  "packages/core/src/",
  // Seeded faults show that audits and judges can fail, on any runtime.
  "packages/testing/src/adapters/",
  "packages/testing/src/audits/",
  "packages/adapter-express/src/wsAuditsUnderLoad.test.ts",
  "packages/testing/src/clock/",
  "packages/testing/src/conformance/",
  "packages/testing/src/feeds/",
  "packages/testing/src/soak/",
  // On simulated time; the server's and the adapters' tests send traffic to Bun.
  "packages/testing/src/traffic/",
  "packages/adapter-express/src/socketFaults.test.ts",
  "packages/adapter-express/src/wsFaultMatrix.test.ts",
  "packages/adapter-express/src/wsFaults.test.ts",
  // From Node they audit a Bun process: on Bun they would audit the same server again.
  "packages/adapter-bun/src/restAudits.test.ts",
  "packages/adapter-bun/src/traffic.test.ts",
  "packages/adapter-bun/src/wsAudits.test.ts",
  // Without a runtime: a model of the network, with time of its own. The server's tests run the client on both.
  "packages/client/src/bundle.test.ts",
  "packages/client/src/contract.test.ts",
  "packages/client/src/feedFaults.test.ts",
  "packages/client/src/feeds/",
  "packages/client/src/ground/",
  // The repository's files and packages.
  "test/",
  // Programs, their build, and the guest SDK in a bare engine; `machineAgrees` and others run the programs in our VM on both runtimes.
  "packages/devkit/src/programs/build.test.ts",
  "packages/devkit/src/programs/cryptoPrice.test.ts",
  "packages/devkit/src/programs/equitySession.test.ts",
  "packages/devkit/src/programs/metalsIndex.test.ts",
  "packages/devkit/src/programs/mutatedAnswers.test.ts",
  "packages/devkit/src/programs/programsPage.test.ts",
  "packages/devkit/src/programs/sdk.test.ts",
  "packages/devkit/src/programs/sdkHost.test.ts",
  "packages/server/src/commandLine/commandHelp.test.ts",
  "packages/server/src/commandLine/documentedCommands.test.ts",
  // Commands on a database, whose stores and files other tests use on both.
  "packages/server/src/admin/announcedKey.test.ts",
  "packages/server/src/backups/backups.test.ts",
  // The kit's command; its audits run on both.
  "packages/server/src/conform.test.ts",
  // What is served against what is documented: the same texts on both.
  "packages/server/src/documentedTraffic.test.ts",
  "packages/server/src/crash/auditLedger.test.ts",
  "packages/server/src/crash/keyRotation.test.ts",
  "packages/server/src/input/",
  // Pure figures and lines; the command itself runs on both.
  "packages/server/src/top/exposition.test.ts",
  "packages/server/src/top/topLines.test.ts",
  "packages/server/src/top/metricNames.test.ts",
  // Generators, a compiler and their clients, each a process of Node; what is served is the same text on both.
  "packages/server/src/generatedClients.test.ts",
  // The page in a browser, which a process of Node drives.
  "packages/server/src/serve/console.test.ts",
  "packages/server/src/serve/consoleFeeds.test.ts",
  "packages/server/src/serve/pages.test.ts",
  // Each of these starts servers on Node and on Bun itself.
  "packages/server/src/serve/serve.test.ts",
  "packages/server/src/serve/listen/",
  // The contract runs in an EVM.
  "examples/evm-verifier/",
  // Adapters for Node's own http, and for Hono on it.
  "examples/custom-adapter/",
  "examples/hono-adapter/",
  // On Deno alone.
  "examples/deno-adapter/"
]

/** At least one test of each room of core, first those that use parts of the runtime. */
export const onBunToo: ReadonlyArray<string> = [
  "packages/core/src/contract/api.test.ts",
  "packages/core/src/domain/accounts/apiKey.test.ts",
  "packages/core/src/domain/credits/price.test.ts",
  "packages/core/src/domain/dataProxies/proxyProof.test.ts",
  // TextDecoder, base64, numbers in JSON.
  "packages/core/src/domain/encoding/bytes.test.ts",
  "packages/core/src/domain/tickets/ticket.test.ts",
  "packages/core/src/domain/encoding/losslessJson.test.ts",
  "packages/core/src/domain/encoding/resultEncoding.test.ts",
  "packages/core/src/domain/protocol/protocolVectors.test.ts",
  "packages/core/src/domain/protocol/resultSignature.test.ts",
  // Regular expressions with Unicode classes.
  "packages/core/src/domain/reports/failureReason.test.ts",
  "packages/core/src/domain/recordings/recording.test.ts",
  "packages/core/src/domain/settings/displayName.test.ts",
  "packages/core/src/domain/feeds/feedRunId.test.ts",
  "packages/core/src/services/sharedFeeds/fanOut.test.ts",
  "packages/core/src/domain/runs/runPlaces.test.ts",
  "packages/core/src/edge/access/unauthorized.test.ts",
  // Compression and entity tags of the served documents.
  "packages/core/src/edge/docs/docs.test.ts",
  "packages/core/src/edge/execution/query.test.ts",
  "packages/core/src/edge/feeds/durableFeeds.test.ts",
  "packages/core/src/edge/lifecycle.test.ts",
  "packages/core/src/edge/observing/observedRequests.test.ts",
  "packages/core/src/edge/rest/statuses.test.ts",
  // Request, Response, streams and abort signals.
  "packages/core/src/edge/tickets/tickets.test.ts",
  "packages/core/src/edge/transport/webHandler.test.ts",
  "packages/core/src/edge/ws/connections.test.ts",
  "packages/core/src/services/execution.test.ts",
  "packages/core/src/services/admission/admission.test.ts",
  "packages/core/src/services/credits/charging.test.ts",
  "packages/core/src/services/phases/replication.test.ts",
  "packages/core/src/services/retries/retries.test.ts",
  "packages/core/src/services/settings/settingsMemory.test.ts",
  "packages/core/src/ports/auditTrail/auditedStores.test.ts",
  "packages/core/src/ports/signing/rotatingSigner.test.ts",
  "packages/core/src/domain/signingKeys/rotation.test.ts",
  "packages/core/src/ports/escrow/escrowLedger.test.ts",
  "packages/core/src/ports/metrics/effectMetrics.test.ts",
  "packages/core/src/ports/logs/logFailed.test.ts",
  "packages/core/src/services/feeds/feed.test.ts",
  "packages/core/src/services/fibers/detachedRuns.test.ts",
  "packages/core/src/verify.test.ts",
  "packages/core/src/verify/forms.test.ts"
]

/** Whether a test file, as a path from the root, runs on Bun. */
export const runsOnBun = (path: string): boolean => onBunToo.includes(path) || !onNodeAlone.some((begin) => path.startsWith(begin))

/** Whether a test file, as a path from the root, runs on Deno: its own server, the gas of both phases, and what of core uses the runtime. */
export const runsOnDeno = (path: string): boolean =>
  path.startsWith("examples/deno-adapter/") || path === "packages/vm/src/pass/vectors.test.ts" || onBunToo.includes(path)

/** Whether a test file runs on Node: all but those of another runtime's own server. */
export const runsOnNode = (path: string): boolean => !path.startsWith("examples/deno-adapter/")

/** What depends on the version of Node: the engine, Node's own modules, native code, processes and their rights. */
export const onContainersNode: ReadonlyArray<string> = [
  "packages/vm/src/",
  "packages/core/src/domain/encoding/",
  "packages/core/src/edge/transport/",
  "packages/core/src/services/fibers/",
  "packages/sql/src/sqlite/",
  "packages/telemetry/src/",
  "packages/adapter-express/src/index.test.ts",
  "packages/server/src/attacks/workerDeaths.test.ts",
  "packages/server/src/client.test.ts",
  "packages/server/src/crash/kill.test.ts",
  "packages/server/src/replay/",
  "packages/server/src/serve/listen/connections.test.ts",
  "packages/server/src/serve/listen/shutdown.test.ts",
  "packages/server/src/serve/metrics/",
  "packages/server/src/service/"
]

/** Whether a test file also runs on the Node of the container, where that is not the one at hand. */
export const runsOnContainersNode = (path: string): boolean => onContainersNode.some((begin) => path.startsWith(begin))

/** Files that wait or start many processes: they start first, so that none is left when all others are done. */
export const longest: ReadonlyArray<string> = [
  "packages/adapter-bun/src/wsAudits.test.ts",
  "packages/adapter-express/src/wsAudits.test.ts",
  "packages/adapter-express/src/wsFaults.test.ts",
  "test/packages.test.ts",
  "packages/server/src/attacks/floods.test.ts",
  "packages/server/src/crash/kill.test.ts",
  "packages/server/src/crash/secrets.test.ts",
  "packages/server/src/attacks/upstreams.test.ts",
  "packages/sql/src/crash.test.ts",
  "packages/adapter-express/src/socketFaults.test.ts",
  "packages/testing/src/adapters/adapterAudits.test.ts",
  "packages/adapter-express/src/index.test.ts",
  "packages/adapter-bun/src/index.test.ts",
  "packages/vm/src/runtimeSoak.test.ts",
  "packages/server/src/attacks/leavingCallers.test.ts"
]
