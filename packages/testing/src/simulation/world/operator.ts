/** The operator of a simulated service, who changes its stores directly and at the time of the simulation. */
import { Effect } from "effect"
import type { SimClock } from "../../clock/simClock.ts"
import type { OperatorPorts, SimulatedDatabase } from "./database.ts"

/** An operator. */
export interface Operator {
  readonly ports: OperatorPorts
  /** Does something at once. */
  readonly run: <A, E>(work: Effect.Effect<A, E>) => Promise<A>
}

/** The operator of these stores, which may be opened anew while servers start. */
export const operatorOn = (clock: SimClock, database: SimulatedDatabase): Operator => ({
  get ports() {
    return database.operator
  },
  run: (work) => Effect.runPromise(Effect.withScheduler(Effect.withClock(work, clock), clock.scheduler))
})
