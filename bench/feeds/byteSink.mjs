/** A thread that opens a raw WebSocket and counts the received bytes, so that no client's parser is measured with the service. */
import { connect } from "node:net"
import { workerData } from "node:worker_threads"

const { port, seen } = workerData
const request = [
  "GET /ws/v1 HTTP/1.1",
  `Host: 127.0.0.1:${port}`,
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
  "",
  ""
]
const socket = connect(port, "127.0.0.1", () => socket.write(request.join("\r\n")))
socket.on("data", (chunk) => Atomics.add(seen, 0, BigInt(chunk.length)))
