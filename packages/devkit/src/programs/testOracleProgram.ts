/** Oracle Programs in tests: one request to a program, on the same engine as the server. */
import { type BenchOptions, openProgramBench, ProgramRunRefused } from "./programBench.ts"
import type { ProgramOutcome } from "./programOutcome.ts"
import type { ProgramRun } from "./programRun.ts"
import { runNames, unfitNames } from "./runInput.ts"

/** A request to a program, and what differs from a default service. */
export type ProgramTest = ProgramRun & Pick<BenchOptions, "service" | "tariff" | "proxies" | "entropy" | "profile">

const names: Readonly<Record<keyof ProgramTest, true>> = {
  ...runNames,
  service: true,
  tariff: true,
  proxies: true,
  entropy: true,
  profile: true
}

/**
 * Runs both phases of a program and returns the outcome. Without `http` its requests have no answers. For many runs use one
 * {@link openProgramBench}: each call here starts and stops a VM.
 */
export const testOracleProgram = async (asked: ProgramTest): Promise<ProgramOutcome> => {
  const misnamed = unfitNames(asked, names)
  if (misnamed !== undefined) throw new ProgramRunRefused(400, misnamed)
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
