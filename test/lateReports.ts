/**
 * A test process reports each result to vitest, which fails the whole run if it has not answered a report within a minute. On a busy
 * machine that happens although the results have come. Such answers are counted here in place of failing the run, and each test must have
 * its result at the end. Every other error outside of a test fails the run as before.
 */
import type { Reporter, TestModule, Vitest } from "vitest/node"

const isLateReport = (error: unknown): boolean =>
  (error as { readonly message?: unknown } | undefined)?.message === '[vitest-worker]: Timeout calling "onTaskUpdate"'

/** The tests that have not ended, and the files of which vitest knows no end. */
const withoutResult = (modules: ReadonlyArray<TestModule>): ReadonlyArray<string> =>
  modules.flatMap((module) => [
    ...(["passed", "failed", "skipped"].includes(module.state()) ? [] : [module.moduleId]),
    ...[...module.children.allTests("pending")].map(({ fullName }) => `${module.moduleId} > ${fullName}`)
  ])

/** A reporter beside vitest's own. */
export class LateReports implements Reporter {
  private late = 0

  onInit({ state }: Pick<Vitest, "state">): void {
    const take = state.catchError.bind(state)
    state.catchError = (error, type) => {
      if (isLateReport(error)) this.late += 1
      else take(error, type)
    }
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const missing = withoutResult(modules)
    if (this.late > 0) process.stdout.write(`${this.late} reports of results were answered late.\n`)
    if (missing.length === 0) return
    process.stdout.write(`Without a result:\n${missing.join("\n")}\n`)
    process.exitCode = 1
  }
}
