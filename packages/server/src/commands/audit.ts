/** `sibyl audit`: what operators changed. */
import { Command, Options } from "@effect/cli"
import { onStores } from "./onStores.ts"
import { databaseOptions } from "./settingOptions.ts"

/** The command. */
export const auditCommand = Command.make(
  "audit",
  {
    amount: Options.integer("amount").pipe(Options.withDescription("how many, from 1 to 1000 (default: 25)"), Options.withDefault(25)),
    before: Options.integer("before").pipe(
      Options.withDescription("only entries before this one, as the page before says it"),
      Options.optional
    ),
    ...databaseOptions
  },
  ({ amount, before, ...options }) =>
    onStores(options, {
      load: () =>
        import("../admin/auditEntries.ts").then(
          ({ listAuditEntries }) =>
            () =>
              listAuditEntries(amount, before)
        )
    })
).pipe(Command.withDescription("List what operators changed, newest first: when, who, what."))
