/** Programs that ask for HTTP, and the upstream that they ask. */
import type { createServer } from "node:http"

/** What a program hands to `http_fetch` to ask for a host's root. */
export const actionFor = (host: string): string =>
  JSON.stringify({ url: `http://${host}/`, options: { method: "Get", headers: {}, body: [] } })

/** Assembler text: asks for the action at `at` so many times, `between` after each, and ends well. It counts down in `left`. */
export const fetchLoop = (times: number, at: number, action: string, between = ""): string => `
i32.const ${times}
local.set left
loop next
  i32.const ${at}
  i32.const ${action.length}
  call http_fetch
  drop
${between}
  local.get left
  i32.const 1
  i32.sub
  local.tee left
  br_if next
end
i32.const 0
call proc_exit
`

/** Listens on a free port of loopback, and answers which. */
export const portOf = async (server: ReturnType<typeof createServer>): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}
