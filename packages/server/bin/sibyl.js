#!/usr/bin/env node
// The command's entry. It is committed, so that npm can link it before anything is built.
const runtime = typeof globalThis.Bun === "undefined" ? "node" : "bun"
try {
  await import(`../dist/bundle/main.${runtime}.js`)
} catch (error) {
  if (error?.code !== "ERR_MODULE_NOT_FOUND" || !String(error.message).includes("dist/bundle/main")) throw error
  process.stderr.write("sibyl is not built yet: run `npm run build` first\n")
  process.exitCode = 1
}
