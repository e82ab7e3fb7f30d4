/** Why the demonstration could not be given. */
import { Data } from "effect"

/** The example programs are not there, or an execution could not be had. */
export class DemoFailed extends Data.TaggedError("DemoFailed")<{ readonly message: string }> {}
