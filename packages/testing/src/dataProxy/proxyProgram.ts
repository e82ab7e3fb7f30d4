/** Programs that ask data proxies, as modules to deploy. */
import { assemble } from "../audits/programs/assemble.ts"

const increase = (name: string, by: number): string => `
        local.get ${name}
        i32.const ${by}
        i32.add
        local.set ${name}`

/** The value of the hex digit at `from` and an offset. */
const hexDigit = (offset: number): string => `
      local.get from
      i32.load8_u offset=${offset}
      local.tee character
      i32.const 15
      i32.and
      local.get character
      i32.const 6
      i32.shr_u
      i32.const 9
      i32.mul
      i32.add`

/** Where answers are put. */
const buffer = 3_000_000

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
  i32.const 0
  i32.const 4
  call args_sizes_get
  drop
  i32.const 8
  i32.const 1024
  call args_get
  drop
  ;; the tally, which alone has three arguments, gives the text of the reveals
  i32.const 3
  i32.const 0
  i32.load
  i32.lt_u
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
    local.get start
    local.get to
    local.get start
    i32.sub
    call execution_result
    return
  end
  ;; the inputs stand in argument 1 in hex: decode them where they stand
  i32.const 12
  i32.load
  local.tee start
  local.tee from
  local.set to
  block decoded
    loop byte
      local.get from
      i32.load8_u
      i32.eqz
      br_if decoded
      local.get to
      ${hexDigit(0)}
      i32.const 4
      i32.shl
      ${hexDigit(1)}
      i32.or
      i32.store8
      ${increase("from", 2)}
      ${increase("to", 1)}
      br byte
    end
  end
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
 * Execution makes one action N times through a data proxy (inputs: the digit N, then the action) and gives what it was
 * told last; tally gives the reveals.
 */
export const proxyProgram = assemble(text(""))

/** The same, but its execution never ends by itself. */
export const endlessProxyProgram = assemble(text(forever))
