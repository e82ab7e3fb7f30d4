/** Programs that call data proxies, as modules to deploy. */
import { assemble } from "../../wasm/assemble.ts"
import { decodeInputs, giveResult, inTally, increase, readArguments } from "./programParts.ts"

/** The address for answers. */
const buffer = 3_000_000

// oxlint-disable-next-line max-lines-per-function -- one program: a template of instructions
const text = (ending: string): string => `
import args_sizes_get
import args_get
import proxy_http_fetch
import call_result_write
import execution_result
memory 160
local start
local from
local to
local character
local left
local size
${readArguments}
  ;; the tally gives the text of the reveals
${inTally}
  if tally
    i32.const 16
    i32.load
    local.tee start
    local.set to
    block ended
      loop next
        local.get to
        i32.load8_u
        i32.eqz
        br_if ended
        ${increase("to", 1)}
        br next
      end
    end
${giveResult}
    return
  end
${decodeInputs}
  ;; their first character is the number of requests, the rest is the action
  local.get start
  i32.load8_u
  i32.const 48
  i32.sub
  local.set left
  loop again
    local.get start
    i32.const 1
    i32.add
    local.get to
    local.get start
    i32.sub
    i32.const 1
    i32.sub
    call proxy_http_fetch
    local.set size
    i32.const ${buffer}
    local.get size
    call call_result_write
    local.get left
    i32.const 1
    i32.sub
    local.tee left
    br_if again
  end
  i32.const ${buffer}
  local.get size
  call execution_result${ending}`

const forever = `
  loop forever
    br forever
  end`

/**
 * The execution phase makes one request N times through a data proxy (inputs: the digit N, then the action) and returns the last answer;
 * the tally returns the reveals.
 */
export const proxyProgram = assemble(text(""))

/** The same, but its execution never ends by itself. */
export const endlessProxyProgram = assemble(text(forever))
