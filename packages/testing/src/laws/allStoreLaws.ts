/** All laws of the stores, by store, for implementations that have all of them. */
import type {
  AuditTrail,
  DataProxies,
  DurableFeeds,
  FeedLeases,
  Freshness,
  Idempotency,
  ProgramNames,
  ProgramStorage,
  ProgramStore,
  Retention,
  Tickets
} from "@sibyl/core"
import type { Layer } from "effect"
import { accountLaws } from "./accountLaws.ts"
import { dataProxyLaws } from "./dataProxyLaws.ts"
import { directoryLaws } from "./directoryLaws.ts"
import { durableFeedLaws } from "./durableFeedLaws.ts"
import { feedLeaseLaws } from "./feedLeaseLaws.ts"
import { freshnessLaws } from "./freshnessLaws.ts"
import { idempotencyLaws } from "./idempotencyLaws.ts"
import { keptAnswerLaws } from "./keptAnswerLaws.ts"
import { keyLaws } from "./keyLaws.ts"
import type { Law } from "./form/law.ts"
import { ledgerLaws } from "./ledgerLaws.ts"
import { programNameLaws } from "./programNameLaws.ts"
import { programStorageLaws } from "./programStorageLaws.ts"
import { programStoreLaws } from "./programStoreLaws.ts"
import { provisioningLaws } from "./provisioningLaws.ts"
import { resultStoreLaws } from "./resultStoreLaws.ts"
import { retentionLaws } from "./retentionLaws.ts"
import { auditTrailLaws } from "./auditTrailLaws.ts"
import type { Stores } from "./form/stores.ts"
import { ticketLaws } from "./ticketLaws.ts"
import { timestampLaws } from "./timestampLaws.ts"

/** Every store that has laws, over one state. */
export type AllStores =
  | Stores
  | AuditTrail
  | DataProxies
  | DurableFeeds
  | FeedLeases
  | Freshness
  | Idempotency
  | ProgramNames
  | ProgramStorage
  | ProgramStore
  | Retention
  | Tickets

/** The laws over stores from `makeStores`, which must be new and empty each time. */
export const allStoreLaws = (makeStores: () => Layer.Layer<AllStores>): Readonly<Record<string, ReadonlyArray<Law>>> => ({
  directory: directoryLaws(makeStores),
  provisioning: provisioningLaws(makeStores),
  keys: keyLaws(makeStores),
  accounts: accountLaws(makeStores),
  ledger: ledgerLaws(makeStores),
  results: resultStoreLaws(makeStores),
  timestamps: timestampLaws(makeStores),
  storage: programStorageLaws(makeStores),
  retention: retentionLaws(makeStores),
  idempotency: idempotencyLaws(makeStores),
  "durable feeds": durableFeedLaws(makeStores),
  "leases of feeds": feedLeaseLaws(makeStores),
  "kept answers": keptAnswerLaws(makeStores),
  programs: programStoreLaws(makeStores),
  tickets: ticketLaws(makeStores),
  "program names": programNameLaws(makeStores),
  "audit trail": auditTrailLaws(makeStores),
  "data proxies": dataProxyLaws(makeStores),
  freshness: freshnessLaws(makeStores)
})
