/** What a long command is doing, for people who wait: on stderr, so that stdout is the answer alone. */

/** Tells a step, or how far it is. */
export type Progress = (text: string) => void

/** Lines on stderr; one line that is written over on a terminal. Nothing for scripts. */
export const progressOf = (json: boolean): Progress => {
  if (json) return () => {}
  const { isTTY } = process.stderr
  let last = ""
  return (text) => {
    if (text === last) return
    last = text
    process.stderr.write(isTTY ? `\r\u001B[K${text}` : `${text}\n`)
  }
}

/** Ends the line that is written over. */
export const endProgress = (json: boolean): void => {
  if (!json && process.stderr.isTTY) process.stderr.write("\r\u001B[K")
}

/** How far a step is, in whole tenths, so that few lines are written. */
export const shareText = (step: string, done: number, all: number): string =>
  all === 0 ? step : `${step}: ${Math.floor((done * 10) / all) * 10} %`
