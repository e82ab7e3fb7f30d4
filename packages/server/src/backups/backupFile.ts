/**
 * The form of a backup: a copy of the database (a SQLite file, or an archive of `pg_dump`), the manifest as JSON, and one last line of fixed
 * length with the manifest's length and the SHA-256 of everything before the sum. Every byte of the file is covered.
 */
import { createHash } from "node:crypto"
import { appendFileSync, createReadStream, createWriteStream, statSync } from "node:fs"
import { open } from "node:fs/promises"
import { pipeline } from "node:stream/promises"
import { Effect, Either, Schema } from "effect"
import { CommandFailed } from "../output/failure.ts"
import { notRead } from "../output/fileReason.ts"
import { Manifest } from "./manifest.ts"

const Form = Schema.parseJson(Manifest)
const encode = Schema.encodeSync(Form)
const decode = Schema.decodeUnknownEither(Form, { onExcessProperty: "error" })

const lengthDigits = 10
const sumDigits = 64
const lastLine = /^\nsibyl-backup 1 (\d{10}) ([0-9a-f]{64})\n$/
const beforeSum = (manifestBytes: number): string => `\nsibyl-backup 1 ${String(manifestBytes).padStart(lengthDigits, "0")} `
const lastLineBytes = beforeSum(0).length + sumDigits + 1

/** No manifest is longer. */
const mostManifestBytes = 65_536

const sumOf = async (file: string, end: number, onBytes?: (done: number) => void, signal?: AbortSignal) => {
  const hash = createHash("sha256")
  let done = 0
  if (end > 0) {
    for await (const chunk of createReadStream(file, { end: end - 1, highWaterMark: 1_048_576 })) {
      hash.update(chunk as Buffer)
      done += (chunk as Buffer).length
      onBytes?.(done)
      signal?.throwIfAborted()
    }
  }
  return hash
}

/** Turns a copy of a database into a backup, in its place. Nothing is written once `signal` is aborted: the copy is removed then. */
export const completeBackup = async (
  file: string,
  manifest: Manifest,
  onBytes?: (done: number) => void,
  signal?: AbortSignal
): Promise<void> => {
  const text = encode(manifest)
  const head = `${text}${beforeSum(Buffer.byteLength(text))}`
  const hash = await sumOf(file, statSync(file).size, onBytes, signal)
  signal?.throwIfAborted()
  appendFileSync(file, `${head}${hash.update(head).digest("hex")}\n`)
}

/** A backup whose every byte is the one that was written. */
export interface SoundBackup {
  readonly file: string
  readonly manifest: Manifest
  /** The length of the copy of the database, with which the file begins. */
  readonly copyBytes: number
}

const bad = (file: string, why: string): CommandFailed => new CommandFailed({ message: `${file} ${why}` })

const readAt = async (file: string, start: number, length: number): Promise<string> => {
  const opened = await open(file, "r")
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(length), 0, length, start)
    return buffer.subarray(0, bytesRead).toString("latin1")
  } finally {
    await opened.close()
  }
}

/** What a copy is of. */
export type DatabaseKind = Manifest["database"]

const beginnings: Readonly<Record<DatabaseKind, string>> = { SQLite: "SQLite format 3\0", PostgreSQL: "PGDMP" }

/** What the copy seems to be by its first bytes; `undefined` of what is no backup. Only `readBackup` knows. */
const beginningOf = async (file: string): Promise<DatabaseKind | undefined> => {
  const begin = await readAt(file, 0, beginnings.SQLite.length)
  return begin.startsWith(beginnings.SQLite) ? "SQLite" : begin.startsWith(beginnings.PostgreSQL) ? "PostgreSQL" : undefined
}

const read = async (file: string, onBytes?: (done: number, all: number) => void): Promise<SoundBackup | CommandFailed> => {
  const { size } = statSync(file)
  const end = await readAt(file, Math.max(0, size - lastLineBytes), Math.min(size, lastLineBytes))
  const [, length = "", sum = ""] = lastLine.exec(end) ?? []
  const manifestBytes = Number(length)
  const copyBytes = size - lastLineBytes - manifestBytes
  if (length === "" || manifestBytes > mostManifestBytes || copyBytes < 0) {
    return (await beginningOf(file)) === undefined
      ? bad(file, "is no backup of sibyl backup")
      : bad(file, "is truncated or altered: it has not the end of a backup")
  }
  const covered = size - sumDigits - 1
  const hash = await sumOf(file, covered, (done) => onBytes?.(done, covered))
  if (hash.digest("hex") !== sum) return bad(file, "is altered: its bytes are not those that were written")
  const manifest = decode(await readAt(file, copyBytes, manifestBytes).then((text) => Buffer.from(text, "latin1").toString()))
  return Either.match(manifest, {
    onLeft: () => bad(file, "is of a form that this version does not know: restore it with the version that made it, or a newer one"),
    onRight: (known) => ({ file, manifest: known, copyBytes })
  })
}

const reading = <A>(file: string, work: () => Promise<A>): Effect.Effect<A, CommandFailed> =>
  Effect.tryPromise({ try: work, catch: (cause) => new CommandFailed({ message: notRead(file, cause) }) })

/** What a backup is of, by its first bytes alone; `undefined` if that is not to be seen. */
export const seemsOf = (file: string): Effect.Effect<DatabaseKind | undefined, CommandFailed> => reading(file, () => beginningOf(file))

/** Reads a backup and checks every byte of it. */
export const readBackup = (file: string, onBytes?: (done: number, all: number) => void): Effect.Effect<SoundBackup, CommandFailed> =>
  reading(file, () => read(file, onBytes)).pipe(Effect.flatMap((found) => (found instanceof CommandFailed ? found : Effect.succeed(found))))

/** Writes the copy of the database, without what follows it, to a file that is there and empty: it keeps its mode. */
export const writeCopy = ({ copyBytes, file }: SoundBackup, target: string): Effect.Effect<void, CommandFailed> =>
  Effect.tryPromise({
    try: () =>
      pipeline(createReadStream(file, { end: copyBytes - 1, highWaterMark: 1_048_576 }), createWriteStream(target, { flags: "r+" })),
    catch: (cause) => bad(target, `cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`)
  })
