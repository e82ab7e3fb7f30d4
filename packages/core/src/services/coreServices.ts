/** Composes the core's services over the ports. */
import { Layer } from "effect"
import { ChainHead } from "../ports/chainHead.ts"
import { DataProxies } from "../ports/dataProxies.ts"
import type { Directory } from "../ports/directory.ts"
import { Entropy } from "../ports/entropy.ts"
import { FeedRelay } from "../ports/feeds/feedRelay.ts"
import { Freshness } from "../ports/freshness.ts"
import type { DurableFeeds } from "../ports/feeds/durableFeeds.ts"
import type { FeedLeases } from "../ports/feeds/feedLeases.ts"
import type { Idempotency } from "../ports/idempotency.ts"
import type { Ledger } from "../ports/ledger.ts"
import type { ProgramNames } from "../ports/programNames.ts"
import type { ProgramRuntime } from "../ports/programRuntime.ts"
import type { ProgramStorage } from "../ports/programStorage.ts"
import type { ProgramStore } from "../ports/programStore.ts"
import type { ResultStore } from "../ports/resultStore.ts"
import type { Retention } from "../ports/retention.ts"
import type { Signer } from "../ports/signer.ts"
import type { Tickets } from "../ports/tickets/tickets.ts"
import { SharedLimits } from "./settings/sharedLimits.ts"
import { StoreOutage } from "../ports/logs/storeOutage.ts"
import { StoreCheck } from "../ports/storeCheck.ts"
import { Admission } from "./admission/admission.ts"
import { Credits } from "./credits/credits.ts"
import { Execution } from "./execution.ts"
import { Executors } from "./phases/executors.ts"
import { FeedNews } from "./feeds/feedNews.ts"
import { Feeds } from "./feeds/feeds.ts"
import { LeaseKeeper } from "./feeds/leaseKeeper.ts"
import { SharedFeeds } from "./sharedFeeds/sharedFeeds.ts"
import { History } from "./history.ts"
import { Intake } from "./admission/intake.ts"
import { PhaseRun } from "./phases/phaseRun.ts"
import { layerCheckedPricing, Pricing } from "./phases/pricing.ts"
import { Quotes } from "./quotes.ts"
import { Readiness } from "./readiness.ts"
import { layerRetentionSweep } from "./retentionSweep.ts"
import { ResultAges } from "./phases/resultAges.ts"
import { Retries } from "./retries/retries.ts"
import { Options, resolveOptions, type ServiceOptions } from "./settings/serviceOptions.ts"
import { RunLog } from "./logs/runLog.ts"
import { Signing } from "./phases/signing.ts"
import { Tally } from "./phases/tally.ts"

/** The ports that a service requires. */
export type RequiredPorts =
  | Directory
  | DurableFeeds
  | FeedLeases
  | Idempotency
  | Ledger
  | ProgramNames
  | ProgramRuntime
  | ProgramStorage
  | ProgramStore
  | ResultStore
  | Retention
  | Signer
  | Tickets

/** The ports with a default, which an embedder may replace. */
export type DefaultedPorts = ChainHead | DataProxies | Entropy | FeedRelay | Freshness | Pricing | SharedLimits | StoreCheck

/**
 * The defaults: no chain, no data proxies, the runtime's randomness, the standard tariff, a server of one process, stores that are always
 * reachable.
 */
export const layerDefaultPorts: Layer.Layer<DefaultedPorts> = Layer.mergeAll(
  ChainHead.layerNone,
  DataProxies.layerMemory(),
  Entropy.layer,
  FeedRelay.layerAlone,
  Freshness.layerUnknown,
  Pricing.layerFromTariff(),
  SharedLimits.layerAlone,
  StoreCheck.layerNone
)

/** Every service of the core, for applications that compose layers themselves. */
export type CoreServices =
  | Admission
  | Credits
  | Execution
  | Executors
  | FeedNews
  | Feeds
  | History
  | Intake
  | LeaseKeeper
  | Options
  | PhaseRun
  | Quotes
  | Readiness
  | ResultAges
  | Retries
  | RunLog
  | SharedFeeds
  | Signing
  | StoreOutage
  | Tally

/** All services of one network over the ports. */
export const layerCoreServices = (options: ServiceOptions): Layer.Layer<CoreServices, never, RequiredPorts | DefaultedPorts> =>
  Layer.mergeAll(Quotes.layer, History.layer, Readiness.layer).pipe(
    Layer.provideMerge(Execution.layer),
    Layer.provideMerge(PhaseRun.layer),
    Layer.provideMerge(Layer.merge(Executors.layer, Tally.layer)),
    Layer.provideMerge(Signing.layer),
    Layer.provideMerge(Credits.layer),
    Layer.provideMerge(SharedFeeds.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        Admission.layer,
        FeedNews.layer,
        Feeds.layer,
        Intake.layer,
        LeaseKeeper.layer,
        ResultAges.layer,
        Retries.layer,
        RunLog.layer,
        layerRetentionSweep
      )
    ),
    Layer.provideMerge(Layer.succeed(Options, resolveOptions(options))),
    Layer.provideMerge(StoreOutage.layer),
    Layer.provide(layerCheckedPricing)
  )
