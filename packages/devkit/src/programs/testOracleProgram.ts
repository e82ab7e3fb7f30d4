/** Oracle Programs in tests: one request to a program, on the very engine that the server runs. */
import { type BenchOptions, openProgramBench, type ProgramRun } from "./programBench.ts"
import type { ProgramOutcome } from "./programOutcome.ts"

/** A request to a program, and what differs from a plain service. */
export type ProgramTest = ProgramRun & Pick<BenchOptions, "service" | "tariff" | "proxies" | "entropy" | "profile">

/**
 * Runs both phases of a program and answers what they left. Without `http` nobody answers its requests. For many runs
 * {@link openProgramBench} once: each call here starts a machine and ends it.
 */
export const testOracleProgram = async (asked: ProgramTest): Promise<ProgramOutcome> => {
  const { entropy, profile, proxies, service, tariff, ...run } = asked
  const bench = await openProgramBench({
    ...(entropy === undefined ? {} : { entropy }),
    ...(profile === undefined ? {} : { profile }),
    ...(proxies === undefined ? {} : { proxies }),
    ...(service === undefined ? {} : { service }),
    ...(tariff === undefined ? {} : { tariff })
  })
  try {
    return await bench.run(run)
  } finally {
    await bench.close()
  }
}
