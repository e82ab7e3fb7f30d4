/** The port that deletes old reports (decision D11: kept for a time, last results always). */
import { Context, type Effect } from "effect"

/** Deletes reports that the service need not keep. Charges stay in the journal. */
export class Retention extends Context.Tag("@sibyl/core/Retention")<
  Retention,
  {
    /**
     * Deletes reports executed before `beforeMs`, at most `maxReports` of them, oldest first, and returns how many it deleted. The newest
     * report of each request stays, and so does its newest with exit code 0.
     */
    readonly sweep: (beforeMs: number, maxReports: number) => Effect.Effect<number>
    /**
     * Deletes the oldest reports of every project that has more than `keptOfProject`, at most `maxReports` in total, and returns how many
     * it deleted. Reports that {@link sweep} always keeps are kept here too. A store may count voided runs as if they had a report: it then
     * keeps fewer, never more.
     */
    readonly trim: (keptOfProject: number, maxReports: number) => Effect.Effect<number>
  }
>() {}
