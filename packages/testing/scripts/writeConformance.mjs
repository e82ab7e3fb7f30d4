// Writes docs/CONFORMANCE.md from the checklist in src/conformance/clauses.ts, as built into dist.
import { writeFileSync } from "node:fs"
import { restAudits, wsAudits } from "../dist/index.js"
import { conformanceClauses } from "../dist/conformance/clauses.js"
import { conformancePage } from "../dist/conformance/conformancePage.js"
import { targetGrades } from "../dist/conformance/targetGrades.js"

const page = conformancePage(conformanceClauses, [...restAudits, ...wsAudits], Object.values(targetGrades))
writeFileSync(new URL("../../../docs/CONFORMANCE.md", import.meta.url), page)
