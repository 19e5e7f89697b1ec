import { tableInText } from '../../asking/policies/has-text.ts'
import type { PolicySet } from '../../asking/policies/read-policies.ts'
import type { Model } from '../../model/model.ts'
import type { QueryContext } from '../../sql/context.ts'
import { placedExpressions } from './placed-expressions.ts'

/** Throws a TypeError that lists all by which a tenant could see what is another's. */
export function checkTenants(model: Model, context: QueryContext, set: PolicySet | undefined): void {
  if (context.tenants === undefined) return
  const problems = [...problemsOfShared(model, set), ...problemsOfText(model, context, set)]
  if (problems.length > 0) throw new TypeError(problems.join('\n'))
}

/** What all tenants share is where the values of one would reach the others. */
function problemsOfShared({ resources }: Model, set: PolicySet | undefined): readonly string[] {
  const open = [...resources.values()].filter(
    ({ tenant, isPublic, isRoot }) => tenant === undefined && isRoot && !isPublic,
  )
  return open
    .filter((resource) => !set?.rules.has(resource))
    .map(({ key }) => `policies.${key}: is missing; every tenant would see all records: say who may, or public: true`)
}

/** No condition can be added to SQL text. */
function problemsOfText(model: Model, context: QueryContext, set: PolicySet | undefined): readonly string[] {
  const own = namesOfTenantTables(context)
  return placedExpressions(model, set).flatMap(({ place, expression }) => {
    const table = tableInText(expression, own)
    if (table === undefined) return []
    const why = `its SQL text reads the table '${table}', so the rows of all tenants would count`
    return [`${place}: ${why}; compare its tenant with my.tenant, or use Kysely's builder`]
  })
}

/** As the model and as the database have them. */
function namesOfTenantTables({ tenants, names }: QueryContext): readonly string[] {
  return [...(tenants?.tables ?? [])].flatMap(([table, rows]) => {
    if (rows.every(({ tenant }) => tenant === undefined)) return []
    const bare = table.slice(table.lastIndexOf('.') + 1)
    return [bare, names.column(bare)]
  })
}
