#!/usr/bin/env node
// The command's entry. It is committed, so that npm can link it before anything is built.
try {
  await import("../dist/conform/main.js")
} catch (cause) {
  if (cause?.code !== "ERR_MODULE_NOT_FOUND") throw cause
  process.stderr.write(`${cause.message}\nIn a checkout, "npm run build" comes first.\n`)
  process.exitCode = 2
}
