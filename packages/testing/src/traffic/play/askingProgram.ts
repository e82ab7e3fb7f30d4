/** A program that asks an upstream over HTTP, for targets whose upstream can be made to fail. */
import { assemble } from "../../wasm/assemble.ts"

/** The host that it asks; the service under test has to lead it to an upstream of the test. */
export const askedHost = "upstream.test"

const action = JSON.stringify({ url: `http://${askedHost}/`, options: { method: "Get", headers: {}, body: [] } })

/**
 * Exits with 0 if the upstream has answered, with 5 if not: the third character of the answer is that of `{"Fulfilled":` or `{"Rejected":`.
 * As the tally it exits with 0.
 */
export const askingProgram: Uint8Array = assemble(`
import http_fetch
import call_result_write
import args_sizes_get
import execution_result
import proc_exit
memory 40
data 1024 ${JSON.stringify(action)}
data 80 "42"
local length
  i32.const 80
  i32.const 2
  call execution_result
  i32.const 0
  i32.const 4
  call args_sizes_get
  drop
  ;; the tally alone has three arguments beside the program's name, and no network
  i32.const 3
  i32.const 0
  i32.load
  i32.lt_u
  if tally
    return
  end
  i32.const 1024
  i32.const ${action.length}
  call http_fetch
  local.set length
  i32.const 4096
  local.get length
  call call_result_write
  i32.const 4098
  i32.load8_u
  i32.const 70 ;; F
  i32.ne
  if rejected
    i32.const 5
    call proc_exit
  end`)
