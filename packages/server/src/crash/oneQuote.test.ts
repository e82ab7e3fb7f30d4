/** Many concurrent requests on a balance for one, under a flat price, through the real server: one runs, the others are refused. */
import { auditPrograms } from "@sibyl/testing"
import { afterEach, expect, test } from "vitest"
import { readLedgerTables } from "./testdata/ledgerTables.ts"
import { executions, flatPrice, tally } from "./testdata/flatPrice.ts"
import { auditLedger } from "@sibyl/sql"
import { describeKinds, Site } from "./testdata/site.ts"

let site: Site | undefined

afterEach(() => site?.close())

describeKinds("200 at once on a balance of one quote", (kind) => {
  test("one succeeds, 199 are refused, and the balance is 0", async () => {
    site = await Site.open(kind, flatPrice.configuration)
    const programId = await site.deploy(auditPrograms.echo)
    const { key, projectId } = await site.tenant(flatPrice.credits)
    const { url } = await site.start()
    const authorization = `Bearer ${key}`

    const quoted = await fetch(`${url}/execute?dryRun=true&execProgramId=${programId}`, {
      method: "POST",
      headers: { authorization }
    })
    expect(await quoted.json()).toMatchObject({ data: { quote: { worstCase: `${flatPrice.credits}` } } })

    const answers = await executions([url], 200, { key, programId })
    expect(tally(answers)).toEqual({ 200: 1, 403: 199 })
    const tags = new Set(answers.filter(({ status }) => status === 403).map(({ json }) => json["_tag"]))
    expect([...tags]).toEqual(["InsufficientCredits"])

    const project = await fetch(`${url}/project`, { headers: { authorization } })
    const credits = { remaining: "0", used: `${flatPrice.credits}`, held: "0" }
    expect(await project.json()).toMatchObject({ credits })
    const ledger = await readLedgerTables(site.database, projectId)
    expect(auditLedger(ledger)).toEqual([])
    expect(ledger.journal.filter(({ kind }) => kind === "hold")).toHaveLength(1)
  })
})
