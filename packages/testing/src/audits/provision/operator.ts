/** The operator of the WebSocket audits, made from the means that there are. */
import { Lacking } from "../lacking.ts"
import type { Operator } from "../ws/wsTarget.ts"
import { type Means, meansOf, type Provisioner } from "./means.ts"
import { auditedCredits } from "./preparedKeys.ts"

/** With what an audit may shut a service down, if there is a way. */
export interface DrainableMeans extends Means {
  /** Shuts the service down, while its server goes on and refuses requests with 503. */
  readonly drain?: () => Promise<void>
}

/** The operator of a service on which keys can be made. */
export const operatorWith = (makeKey: NonNullable<Means["makeKey"]>, { drain, revokeKey }: DrainableMeans): Operator => ({
  freshKey: (validForMs) =>
    makeKey({ credits: auditedCredits, ...(validForMs === undefined ? {} : { expiresAtMs: Date.now() + validForMs }) }),
  revoke: async (apiKey) => {
    if (revokeKey === undefined) throw new Lacking("the operator cannot revoke a key")
    await revokeKey(apiKey)
  },
  drain
})

/** What operates a service in this process. */
export interface OperatorMeans extends Provisioner {
  readonly service: { readonly dispose: () => Promise<void> }
}

/** The operator of a service in this process. */
export const operatorOf = (provisioner: OperatorMeans): Operator => {
  const { makeKey, revokeKey } = meansOf(provisioner)
  return operatorWith(makeKey, { revokeKey, drain: () => provisioner.service.dispose() })
}
