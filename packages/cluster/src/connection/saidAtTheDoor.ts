/** What a NATS server says to a new connection before it hangs up, such as `maximum connections exceeded`: its client tells of a timeout, or of a broken pipe. */
import { connect } from "node:net"
import { Effect } from "effect"

/** How long a server may take, in ms, and how much it may say before that. */
const [patienceMs, mostChars] = [1_000, 65_536]

const refusal = /-ERR '([^'\r\n]{1,200})'/

/** Where to connect to; `server` is `host:port`. */
const doorOf = (server: string): { readonly host: string; readonly port: number } => {
  const { hostname, port } = new URL(`nats://${server}`)
  return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port) }
}

/** Connects, and says nothing; answers why the server does not want us, if it tells. */
export const saidAtTheDoor = (server: string): Effect.Effect<string | undefined> =>
  Effect.async<string | undefined>((resume) => {
    let said = ""
    const socket = connect(doorOf(server))
    const end = (): void => {
      socket.destroy()
      const reason = refusal.exec(said)?.[1]
      // That we say nothing is no reason.
      resume(Effect.succeed(reason === undefined || /timeout/i.test(reason) ? undefined : reason))
    }
    socket.on("error", end).on("close", end)
    socket.on("data", (data) => {
      said += String(data)
      if (refusal.test(said) || said.length > mostChars) end()
    })
    return Effect.sync(() => void socket.destroy())
  }).pipe(Effect.timeoutTo({ duration: patienceMs, onSuccess: (reason) => reason, onTimeout: () => undefined }))
