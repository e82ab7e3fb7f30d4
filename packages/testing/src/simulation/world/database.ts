/** What a simulation needs of the stores of a service: to be opened by each life of each process, and to be looked into from outside. */
import type {
  Accounts,
  DurableFeeds,
  ExecutionReport,
  JournalEntry,
  Keys,
  KeptAnswer,
  Network,
  ProgramStore,
  Provisioning,
  RequiredPorts,
  Freshness,
  Entropy,
  ProgramRuntime,
  Signer
} from "@sibyl/core"
import type { Effect, Layer } from "effect"
import type { Gate } from "./gate.ts"
import type { ProcessTime } from "./processTime.ts"

/** The ports that a database provides. */
export type StorePorts = Exclude<RequiredPorts, ProgramRuntime | Signer>

/** One hold that is neither posted nor voided. */
export interface OpenHold {
  readonly holdId: string
  readonly amount: bigint
  /** Milliseconds since the Unix epoch. */
  readonly leaseEndMs: number
  readonly isEscrow: boolean
}

/** Everything that is stored about one project's credits and runs. */
export interface ProjectBooks {
  readonly projectId: string
  readonly granted: bigint
  readonly used: bigint
  readonly held: bigint
  /** Oldest first. */
  readonly journal: ReadonlyArray<JournalEntry>
  readonly openHolds: ReadonlyArray<OpenHold>
  /** In the order in which they were charged. */
  readonly reports: ReadonlyArray<ExecutionReport>
  /** The answers that are kept under idempotency keys. */
  readonly keptAnswers: ReadonlyArray<KeptAnswer>
}

/** How an operator reaches the stores: no fault is injected there. */
export interface OperatorPorts {
  readonly accounts: Accounts["Type"]
  readonly feeds: DurableFeeds["Type"]
  readonly keys: Keys["Type"]
  readonly programs: ProgramStore["Type"]
  readonly provisioning: Provisioning["Type"]
}

/** The stores of one network, which outlive the processes that use them. */
export interface SimulatedDatabase {
  /** What it is, for the trace. */
  readonly name: string
  /** The stores of one life of a process. Opening them recovers what a crash has left. */
  readonly open: (gate: Gate, time: ProcessTime) => Promise<Layer.Layer<StorePorts | Freshness, never, Entropy | Network>>
  /** The process that had them was killed. */
  readonly killed: (gate: Gate) => void
  readonly operator: OperatorPorts
  readonly books: (projectId: string) => Promise<ProjectBooks>
  /** Returns the holds whose leases have ended, as the next operation of any server would. */
  readonly expireHolds: (projectId: string) => Effect.Effect<void>
  readonly close: () => Promise<void>
}
