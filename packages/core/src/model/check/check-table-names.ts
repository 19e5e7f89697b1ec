import type { ModelProblem } from '../../errors.ts'
import type { ResourceDraft } from '../define/resource-draft.ts'
import type { Link } from '../model.ts'
import { checkSharedTables } from './check-shared-tables.ts'

/** Names that the queries use themselves, or names of functions that SQL allows in place of a table. */
export const RESERVED = /^(?:crud_|json_each$|json_tree$)/i

/** Two links may share one only if they are the two directions of one association. */
export function checkTableNames(drafts: ReadonlyMap<string, ResourceDraft>, problems: ModelProblem[]): void {
  const resources = new Map<string, string>()
  for (const draft of drafts.values()) {
    if (RESERVED.test(draft.table))
      problems.push({ place: `${draft.key}.table`, message: `'${draft.table}' is a name that queries use` })
    resources.set(draft.table.toLowerCase(), draft.key)
  }
  const links = new Map<string, Link>()
  for (const link of [...drafts.values()].flatMap((draft) => draft.links)) {
    const place = `${link.source.key}.relations.${link.name}`
    const table = link.table.toLowerCase()
    if (RESERVED.test(link.table))
      problems.push({ place, message: `its link table cannot be called '${link.table}': queries use that name` })
    const owner = resources.get(table)
    if (owner !== undefined)
      problems.push({ place, message: `its link table '${link.table}' is the table of ${owner} already` })
    const other = links.get(table)
    if (other !== undefined && !areDirectionsOfOne(link, other)) {
      problems.push({
        place,
        message: `its link table '${link.table}' is that of ${other.source.key}.relations.${other.name} already, with other columns or records`,
      })
    }
    links.set(table, link)
  }
  checkSharedTables(drafts, problems)
  checkRoutes(drafts, problems)
}

function areDirectionsOfOne(a: Link, b: Link): boolean {
  const backwards =
    a.fromColumn === b.toColumn && a.toColumn === b.fromColumn && a.source === b.target && a.target === b.source
  return backwards && a.table === b.table && !a.needs && !b.needs
}

/** No two resources at the top of the service have the same path segment. */
function checkRoutes(drafts: ReadonlyMap<string, ResourceDraft>, problems: ModelProblem[]): void {
  const routes = new Map<string, string>()
  for (const draft of drafts.values()) {
    if (!draft.isRoot && !draft.isTopLevel) continue
    const other = routes.get(draft.route)
    if (other !== undefined)
      problems.push({ place: `${draft.key}.route`, message: `'${draft.route}' is the route of ${other} already` })
    routes.set(draft.route, draft.key)
  }
}
