/** The Oracle Programs that the audits execute, as assembly text and as modules to deploy. */
import { assemble } from "../../wasm/assemble.ts"
import { decodeInputs, giveResult, inTally, increase, readArguments } from "./programParts.ts"

/** Writes \`length\` bytes at an address to standard output (1) or standard error (2). */
const write = (descriptor: 1 | 2, at: number, length: number): string => `
  i32.const 32
  i32.const ${at}
  i32.store
  i32.const 36
  i32.const ${length}
  i32.store
  i32.const ${descriptor}
  i32.const 32
  i32.const 1
  i32.const 40
  call fd_write
  drop`

const echo = `
import args_sizes_get
import args_get
import execution_result
local start
local from
local to
local character
local value
${readArguments}
${decodeInputs}
  ;; a tally without inputs gives the bytes of the first reveal instead
  ${inTally}
  local.get start
  local.get to
  i32.eq
  i32.and
  if tally
    ;; argument 2 begins with [{"reveal":[
    i32.const 16
    i32.load
    i32.const 12
    i32.add
    local.tee start
    local.tee from
    local.set to
    block read
      local.get from
      i32.load8_u
      i32.const 93 ;; ]
      i32.eq
      br_if read
      loop next
        local.get from
        i32.load8_u
        i32.const 48
        i32.sub
        local.set character
        ${increase("from", 1)}
        local.get character
        i32.const 10
        i32.lt_u
        if digit
          local.get value
          i32.const 10
          i32.mul
          local.get character
          i32.add
          local.set value
          br next
        end
        local.get to
        local.get value
        i32.store8
        ${increase("to", 1)}
        i32.const 0
        local.set value
        local.get character
        i32.const 45 ;; ] less 48
        i32.ne
        br_if next
      end
    end
  end
${giveResult}`

const failing = `
import fd_write
import execution_result
import proc_exit
data 64 "boom"
data 80 "half done"
  i32.const 80
  i32.const 9
  call execution_result
${write(2, 64, 4)}
  i32.const 3
  call proc_exit`

const failingInTally = `
import args_sizes_get
import args_get
import execution_result
import fd_write
import proc_exit
data 64 "boom"
data 80 "revealed"
${readArguments}
  i32.const 80
  i32.const 8
  call execution_result
${inTally}
  if tally
  ${write(2, 64, 4)}
    i32.const 4
    call proc_exit
  end`

const exitingOutOfRange = `
import proc_exit
  i32.const 256
  call proc_exit`

const trapping = `
import execution_result
import proc_exit
data 64 "before"
  i32.const 64
  i32.const 6
  call execution_result
  unreachable`

const trappingInTally = `
import args_sizes_get
import args_get
import execution_result
import proc_exit
${readArguments}
${inTally}
  if tally
    unreachable
  end`

const looping = `
import proc_exit
  loop forever
    br forever
  end`

/** Hashes fifty times, 10^12 gas each, in the execution phase only. */
const gasHungry = `
import args_sizes_get
import args_get
import keccak256
local count
${readArguments}
  ${inTally}
  if tally
    return
  end
  loop more
    i32.const 0
    i32.const 0
    call keccak256
    drop
    ${increase("count", 1)}
    local.get count
    i32.const 50
    i32.lt_u
    br_if more
  end`

const printing = `
import args_sizes_get
import args_get
import fd_write
data 64 "exec out\\n"
data 80 "exec err\\n"
data 96 "tally out\\n"
data 112 "tally err\\n"
${readArguments}
  ${inTally}
  if tally
    ${write(1, 96, 10)}
    ${write(2, 112, 10)}
    return
  end
${write(1, 64, 9)}
${write(2, 80, 9)}`

const environment = `
import environ_sizes_get
import environ_get
import execution_result
memory 40
  i32.const 0
  i32.const 4
  call environ_sizes_get
  drop
  i32.const 8
  i32.const 1024
  call environ_get
  drop
  i32.const 1024
  i32.const 4
  i32.load
  call execution_result`

/** The programs as text, by what they do. */
export const auditProgramTexts = {
  /** The execution phase returns its inputs, the tally its own inputs or, without any, the first reveal. */
  echo,
  /** Returns the result \`half done\`, writes \`boom\` to standard error and exits with 3. */
  failing,
  /** Reveals \`revealed\`; its tally writes \`boom\` to standard error and exits with 4. */
  failingInTally,
  /** Exits with 256, whose low byte is zero. */
  exitingOutOfRange,
  /** Sets the result \`before\`, then traps. */
  trapping,
  /** Traps in its tally without writing anything. */
  trappingInTally,
  /** Never ends. */
  looping,
  /** Uses more than 5 · 10^13 gas. */
  gasHungry,
  /** Writes a line to each output in each phase. */
  printing,
  /** Returns its environment: \`KEY=VALUE\` in order, each ended by a zero byte. */
  environment
} as const

/** The name of a program of the kit. */
export type AuditProgram = keyof typeof auditProgramTexts

/** The modules to deploy. */
export const auditPrograms = Object.fromEntries(
  Object.entries(auditProgramTexts).map(([name, text]) => [name, assemble(text)])
) as Readonly<Record<AuditProgram, Uint8Array>>
