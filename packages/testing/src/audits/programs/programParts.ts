/** Parts that the kit's programs share, as assembly text. */

/**
 * Reads the arguments: their count to address 0, the bytes of their text to 4, pointers to them from 8, their text from 1024. Memory grows by what
 * they take, for which most need not.
 */
export const readArguments = `
  i32.const 0
  i32.const 4
  call args_sizes_get
  drop
  block fits
    i32.const 4
    i32.load
    i32.const 64000
    i32.lt_u
    br_if fits
    i32.const 4
    i32.load
    i32.const 16
    i32.shr_u
    i32.const 1
    i32.add
    memory.grow
    drop
  end
  i32.const 8
  i32.const 1024
  call args_get
  drop`

/** Pushes 1 in the tally phase, which alone has three arguments beside the program's name. */
export const inTally = `
  i32.const 3
  i32.const 0
  i32.load
  i32.lt_u`

/** The value of the hex digit at \`from\` plus an offset: its low four bits, and 9 more for a letter. */
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

/** Adds to a local. */
export const increase = (name: string, by: number): string => `
      local.get ${name}
      i32.const ${by}
      i32.add
      local.set ${name}`

/** Sets the bytes between two addresses as the result. */
export const giveResult = `
  local.get start
  local.get to
  local.get start
  i32.sub
  call execution_result`

/** Decodes the inputs in place, from the hex in argument 1: from `start` to `to`. Locals: start, from, to, character. */
export const decodeInputs = `
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
  end`
