/**
 * Gives the event loop a turn after each test. A file of tests that never wait would otherwise not read what vitest answers to its reports
 * before its last one has ended, and vitest counts each report as failed that has no answer after a minute.
 */
import { afterEach } from "vitest"

// Tests may replace it.
const { setImmediate: inNextTurn } = globalThis

afterEach(() => new Promise<void>((resolve) => void inNextTurn(resolve)))
