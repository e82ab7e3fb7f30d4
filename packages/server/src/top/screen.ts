/** A screen that is drawn again and again: no line flickers, and the terminal is as before when it ends. */
import { Effect, type Scope } from "effect"
import { cut } from "./topLines.ts"

/** A terminal's output. */
export interface Terminal {
  readonly columns?: number
  readonly rows?: number
  readonly write: (text: string) => unknown
  readonly on: (event: "resize", listener: () => void) => unknown
  readonly off: (event: "resize", listener: () => void) => unknown
}

/** The other screen, without a cursor; and back again. */
const enter = "\u001b[?1049h\u001b[?25l"
const leave = "\u001b[?25h\u001b[?1049l"

/**
 * What draws lines on a screen of a size: from its corner, each line to its end and what is left of the old one erased, then everything
 * below. Nothing is erased before it is drawn over, so nothing flickers.
 */
export const frame = (lines: ReadonlyArray<string>, columns: number, rows: number): string => {
  const fitting = lines.length <= rows ? lines : [...lines.slice(0, Math.max(0, rows - 1)), "…"]
  return `\u001b[H${fitting.map((line) => `${cut(line, columns)}\u001b[K`).join("\r\n")}\u001b[J`
}

/** Terminals that do not know their size, such as those of some containers, tell 0. */
const known = (size: number | undefined, usual: number): number => (size === undefined || size === 0 ? usual : size)

/** Takes the terminal's other screen until the scope ends. Returns what draws; a change of its size draws the latest lines again. */
export const openScreen = (terminal: Terminal): Effect.Effect<(lines: ReadonlyArray<string>) => void, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        let latest: ReadonlyArray<string> = []
        const draw = () => void terminal.write(frame(latest, known(terminal.columns, 80), known(terminal.rows, 24)))
        terminal.write(enter)
        terminal.on("resize", draw)
        const show = (lines: ReadonlyArray<string>) => {
          latest = lines
          draw()
        }
        return { draw, show }
      }),
      ({ draw }) =>
        Effect.sync(() => {
          terminal.off("resize", draw)
          terminal.write(leave)
        })
    ),
    ({ show }) => show
  )
