/**
 * Several `sibyl serve` in one process, each with the settings and the database that it is given; tells their addresses. Each import of the
 * command line under another query is another command, and takes its arguments and its environment from the process, as ever.
 */
const services = JSON.parse(process.argv[2])

const outside = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SIBYL_")))

/** The document that a command prints has ended. */
const readDocument = () =>
  new Promise((resolve) => {
    let text = ""
    process.stdout.write = (chunk) => {
      text += chunk
      try {
        resolve(JSON.parse(text))
      } catch {
        // More of it is to come.
      }
      return true
    }
  })

const urls = []
for (const [at, { database, settings }] of services.entries()) {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, outside, settings)
  process.argv = [process.execPath, "sibyl", "serve", "--json", "--port", "0", "--workers", "1", "--database", `sqlite:${database}`]
  const document = readDocument()
  await import(`../../packages/server/dist/bundle/main.node.js?service=${at}`)
  urls.push((await document).url)
}
process.send(urls)
process.once("disconnect", () => process.exit())
