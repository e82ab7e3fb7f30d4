/** Compares what a bystander measured during an attack with the targets, and prints the figures. */
import { expect } from "vitest"
import { type Bystanding, wantedUnderAttack, worstOf } from "./attackedServer.ts"

/** Durations may be ten times the targets, because tests run beside other work; memory may not. */
const patience = 10

/** Prints the figures in one line, then asserts that every request was answered in bounded time and memory. */
export const expectUnharmed = (attack: string, { healthMs, runMs, troubles, worstBytes }: Bystanding): void => {
  const ms = (figures: ReadonlyArray<number>): string => `${worstOf(figures).toFixed(0)} ms of ${figures.length}`
  const memory = `${(worstBytes / 1e6).toFixed(0)} MB`
  console.log(`${attack}: /health at worst ${ms(healthMs)}, a bystander's run ${ms(runMs)}, memory ${memory}`)
  expect(troubles).toEqual([])
  expect(healthMs.length).toBeGreaterThan(0)
  expect(runMs.length).toBeGreaterThan(0)
  expect(worstOf(healthMs)).toBeLessThan(wantedUnderAttack.healthMs * patience)
  expect(worstOf(runMs)).toBeLessThan(wantedUnderAttack.runMs * patience)
  expect(worstBytes).toBeLessThan(wantedUnderAttack.worstBytes)
}
