/** A client of a feed in plain WebSocket code: the price of BTC/USD four times a second. Run it with `node client.js`. */
import { WebSocket } from "ws"

const { ORACLE_KEY, ORACLE_URL = "ws://127.0.0.1:8717/ws/v1", PROGRAM_ID } = process.env
const btcUsd = "e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43"

const socket = new WebSocket(ORACLE_URL, { headers: { Authorization: `Bearer ${ORACLE_KEY}` } })

socket.on("message", (frame) => {
  const { error, method, params } = JSON.parse(frame)
  if (method === "authorized") {
    const execute = { execProgramId: PROGRAM_ID, execInputs: { id: btcUsd, output_format: "json" }, encoding: "json" }
    socket.send(
      JSON.stringify({
        jsonrpc: "2.0",
        id: "1",
        method: "feed.start",
        params: { mode: "FIXED", periodicityMs: 250, execute }
      })
    )
  }
  if (method === "feed.result") console.log(params.seq, params.result?.data.result.price ?? params.error.error)
  if (error) console.error(error.error)
})
socket.on("close", (code, reason) => console.log(`closed with ${code} ${reason}`))
socket.on("error", (error) => console.error(error.message))
