/** Compares what a bystander measured during an attack with the targets, and prints the figures. */
import { expect } from "vitest"
import { type Bystanding, wantedUnderAttack, worstOf } from "./attackedServer.ts"

/** Nine of ten durations may be ten times the targets, because tests run beside other work; memory may not. */
const patience = 10
/** The others as well, where the targets are long; where they are short, as long as a machine that stands still for seconds takes. */
const worstMs = (wantedMs: number): number => Math.max(patience * wantedMs, 20_000)

/** Most of the figures are no longer than this. */
const mostOf = (figures: ReadonlyArray<number>): number => figures.toSorted((a, b) => a - b)[Math.floor(0.9 * figures.length) - 1] ?? 0

/** Prints the figures in one line, then asserts that every request was answered in bounded time and memory. */
export const expectUnharmed = (attack: string, { healthMs, runMs, troubles, worstBytes }: Bystanding): void => {
  const ms = (figures: ReadonlyArray<number>): string => `${worstOf(figures).toFixed(0)} ms of ${figures.length}`
  const memory = `${(worstBytes / 1e6).toFixed(0)} MB`
  console.log(`${attack}: /health at worst ${ms(healthMs)}, a bystander's run ${ms(runMs)}, memory ${memory}`)
  expect(troubles).toEqual([])
  expect(healthMs.length).toBeGreaterThan(0)
  expect(runMs.length).toBeGreaterThan(0)
  for (const [figures, wantedMs] of [
    [healthMs, wantedUnderAttack.healthMs],
    [runMs, wantedUnderAttack.runMs]
  ] as const) {
    expect(mostOf(figures)).toBeLessThan(patience * wantedMs)
    expect(worstOf(figures)).toBeLessThan(worstMs(wantedMs))
  }
  expect(worstBytes).toBeLessThan(wantedUnderAttack.worstBytes)
}
