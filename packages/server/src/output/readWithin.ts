/** Reads a file that an operator names, up to a bound: a device or a pipe may have no end. */
import { createReadStream } from "node:fs"

/** The file has more bytes than were to be read. */
export class FileTooLong extends Error {
  constructor(mostMib: number) {
    super(`it is larger than ${mostMib} MiB`)
  }
}

const mib = 2 ** 20

/** More than any program or recording. */
const mostOfFileMib = 256

/** More than any key, certificate or configuration. */
const mostOfSettingMib = 16

const readWithin = async (path: string, mostMib: number): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  // One byte more than is allowed tells that there is more.
  for await (const chunk of createReadStream(path, { end: mostMib * mib, highWaterMark: mib })) {
    chunks.push(chunk as Buffer)
    bytes += (chunk as Buffer).length
  }
  if (bytes > mostMib * mib) throw new FileTooLong(mostMib)
  return Buffer.concat(chunks)
}

/** The bytes of a program, a recording or the like. */
export const readFileWithin = (path: string): Promise<Buffer> => readWithin(path, mostOfFileMib)

/** The text of a configuration, a key, or what else is short. */
export const readSettingWithin = async (path: string): Promise<string> => (await readWithin(path, mostOfSettingMib)).toString("utf8")
