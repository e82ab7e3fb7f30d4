/** The result of decoding a program's action. */

/** The decoded request; why it is refused with a rejected promise; or that it is no action at all. */
export type Reading<Request> =
  | { readonly kind: "request"; readonly request: Request }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "unreadable" }

/** No action. */
export const unreadable = { kind: "unreadable" } as const

/** An action that asks for something that no program may have. */
export const refusedAs = (message: string) => ({ kind: "refused", message }) as const
