/** Runs of Sibyl on more than one machine. */
/// <reference types="node" preserve="true" />

// The connection to NATS.
export { type NatsMessage, NatsConnection, type NatsServerFacts } from "./connection/natsConnection.ts"
export { NatsForbidden, NatsMisconfigured, NatsRefused, NatsSilent, NatsUnreachable } from "./connection/natsErrors.ts"
export type { NatsOptions, NatsTls } from "./connection/natsOptions.ts"

// Feeds that servers share.
export { layerNatsFeedRelay } from "./feeds/natsFeedRelay.ts"

// Edges: the runtime whose programs run on executors.
export { layerRemoteRuntime, type RemoteRuntimeOptions } from "./edge/layerRemoteRuntime.ts"

// A look at a net from outside.
export type { NetRole } from "./survey/roleSubjects.ts"
export { type SeenExecutor, surveyNet, type NetSurvey } from "./survey/surveyNet.ts"

// Executors.
export { Executor, type ExecutorOptions } from "./executor/executor.ts"
