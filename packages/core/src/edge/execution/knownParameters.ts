/** The parameters of recent requests by their text, so that a repeated request is neither parsed, checked nor hashed again. */
import { Context, Either, Layer } from "effect"
import type { Failure } from "../../contract/errors.ts"
import { RecentMap } from "../../domain/encoding/recentMap.ts"
import type { ExecuteParameters } from "./executeParameters.ts"

/** Requests per generation; there are two generations. */
const maxRequests = 1_024
/** Longer texts are read each time, which bounds the memory to some 16 MB. */
const maxChars = 4_096

/** Knows what recent request texts mean. */
export class KnownParameters extends Context.Tag("@sibyl/core/KnownParameters")<
  KnownParameters,
  {
    /**
     * What `read` answers for this text, which must depend on the text and the limit alone. The same parameters are the same object, by
     * which everything that is derived from them is memoized: data request, drId, key of the last result. A refusal is not kept.
     */
    readonly read: <E extends Failure>(
      text: string,
      maxInputBytes: number,
      read: () => Either.Either<ExecuteParameters, E>
    ) => Either.Either<ExecuteParameters, E>
  }
>() {
  /** In memory. */
  static readonly layer: Layer.Layer<KnownParameters> = Layer.sync(KnownParameters, () => {
    const known = new RecentMap<ExecuteParameters>(maxRequests)
    return {
      read: (text, maxInputBytes, read) => {
        if (text.length > maxChars) return read()
        const name = `${maxInputBytes} ${text}`
        const before = known.get(name)
        if (before !== undefined) return Either.right(before)
        const parameters = read()
        if (Either.isRight(parameters)) known.set(name, parameters.right)
        return parameters
      }
    }
  })
}
