/** The simulation of whole services, for Sibyl itself and for authors of stores. */
/// <reference types="node" preserve="true" />
export { type SimulationFailure, type SimulationPlan, type SimulationReport, simulate } from "./simulate.ts"
export type { OpenHold, OperatorPorts, ProjectBooks, SimulatedDatabase, StorePorts } from "./world/database.ts"
export { type Fate, type FaultKind, faultKinds, Faults, type StoreTrouble } from "./world/faults.ts"
export { Gate } from "./world/gate.ts"
export { ProcessTime } from "./world/processTime.ts"
export { SeededRandom } from "./world/seededRandom.ts"
export { InvariantBroken } from "./world/violation.ts"
export { type DatabaseGround, inMemory, type MakeDatabase } from "./world/world.ts"
