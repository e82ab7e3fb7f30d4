/** Whether each request and each run is a line of the log. */
import { Context } from "effect"

/** Without one provided, neither is: a service that is embedded logs only what its operator must know. */
export class AccessLog extends Context.Reference<AccessLog>()("@sibyl/core/AccessLog", { defaultValue: () => ({ isOn: false }) }) {}
