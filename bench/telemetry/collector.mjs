/** A collector for the benchmark, a process of its own: takes whatever is pushed to it, and forgets it. */
import { createServer } from "node:http"

const server = createServer((request, response) => {
  request.resume().once("end", () => response.writeHead(200, { "content-type": "application/json", "content-length": 2 }).end("{}"))
})
server.listen(0, "127.0.0.1", () => process.send(server.address().port))
process.once("disconnect", () => process.exit())
