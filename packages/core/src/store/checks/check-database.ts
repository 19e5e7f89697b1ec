import type { PolicySet } from '../../asking/policies/read-policies.ts'
import type { Model, Resource } from '../../model/model.ts'
import type { QueryContext } from '../../sql/context.ts'
import { problemsOfColumns } from '../../sql/dialect/database.ts'
import { checkComputed } from './check-computed.ts'
import { checkStored } from './check-stored.ts'
import { checkTenants } from './check-tenants.ts'

/** Throws a TypeError for what the database cannot do, or would show to the wrong ones. It is not asked. */
export function checkDatabase(model: Model, context: QueryContext, set: PolicySet | undefined): void {
  checkColumns(model, context)
  checkStored(model, context)
  checkComputed(model, context)
  checkTenants(model, context, set)
}

function checkColumns({ resources }: Model, { db }: QueryContext): void {
  const problems = [...resources.values()].flatMap((resource) =>
    problemsOfColumns(db, columnsOf(resource)).map((problem) => `${resource.key}: ${problem}`),
  )
  if (problems.length > 0) throw new TypeError(problems.join('\n'))
}

function columnsOf({ idColumns, members, softDelete, tenant, where }: Resource): readonly string[] {
  const others = [softDelete?.column, tenant?.column, where?.column].filter((column) => column !== undefined)
  return [...new Set([...idColumns, ...members.map(({ column }) => column), ...others])]
}
