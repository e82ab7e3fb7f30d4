/** The container's health check: whether the server in this container answers `GET /health` with 200. */
const { SIBYL_PORT: port = "8717", SIBYL_PREFIX: prefix = "" } = process.env

try {
  const { status } = await fetch(`http://127.0.0.1:${port}${prefix}/health`, { signal: AbortSignal.timeout(4_000) })
  process.exitCode = status === 200 ? 0 : 1
} catch {
  process.exitCode = 1
}
