/** Programs that make HTTP requests, and their upstream. */
import type { createServer } from "node:http"

/** The action for `http_fetch` that requests a host's root. */
export const actionFor = (host: string): string =>
  JSON.stringify({ url: `http://${host}/`, options: { method: "Get", headers: {}, body: [] } })

/** Assembler text: makes the host call at `at` repeatedly, runs `between` after each, and exits with 0. `left` counts down. */
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

/** Listens on a free loopback port and returns it. */
export const portOf = async (server: ReturnType<typeof createServer>): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}
