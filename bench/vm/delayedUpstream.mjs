/** An upstream in its own process: answers every request after so many ms; prints its port. */
import { createServer } from "node:http"

const delayMs = Number(process.argv[2])

const server = createServer((_, response) => {
  setTimeout(() => response.end('{"price":"63521.50"}'), delayMs)
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`))
