/** Tells the log when a process may soon open no more files: connections beyond them are reset by the system, and nobody is told. */
import { mostOpenFiles, openFiles } from "@sibyl/telemetry"
import { Effect } from "effect"

const lookMs = 5_000
/** Told from this share of them on, and again only when there were fewer than the second in between. */
const nearly = 0.9
const few = 0.8

const advice =
  "each connection is one, and the system resets those beyond; allow more (ulimit -n, LimitNOFILE=), or find who leaves connections open"

/** What a look tells, after what the last one knew. */
export const tellOpenFiles = (open: number, most: number, wasTold: boolean): "told" | "nearly" | "fewer" | "well" => {
  if (wasTold) return open < few * most ? "fewer" : "told"
  return open >= nearly * most ? "nearly" : "well"
}

const watch = (most: number): Effect.Effect<never> =>
  Effect.suspend(() => {
    let wasTold = false
    return Effect.forever(
      Effect.gen(function* () {
        const open = openFiles() ?? 0
        const look = tellOpenFiles(open, most, wasTold)
        wasTold = look === "told" || look === "nearly"
        if (look === "nearly") yield* Effect.logWarning(`${open} of ${most} files are open: ${advice}`)
        if (look === "fewer") yield* Effect.logInfo(`${open} of ${most} files are open, no longer nearly all`)
        yield* Effect.sleep(lookMs)
      })
    )
  })

/** Looks every 5 s; ends at once where the system does not tell. */
export const watchOpenFiles: Effect.Effect<void> = Effect.suspend(() => {
  const most = mostOpenFiles()
  return most === undefined ? Effect.void : watch(most)
})
