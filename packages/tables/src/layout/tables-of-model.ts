import type { Model } from '@fastify-crud/core'
import { checkModel } from '@fastify-crud/core/internal'
import { linkTable } from './link-table.ts'
import { resourceTable } from './resource-table.ts'
import { sharedTable } from './shared-table.ts'
import type { TenantKeys } from './table-keys.ts'
import type { TableLayout } from './table-layout.ts'

/**
 * The tables of a model: the resources' in an order in which every foreign key that cannot be null names an earlier
 * table (or its own), then the link tables. Two links that are the two directions of one association share a table.
 *
 * `given`: whether keys begin with the tenant. Default: as the model says.
 */
export function tableLayout(model: Model, given?: TenantKeys): readonly TableLayout[] {
  checkModel(model)
  const keys = given ?? model.tenant?.keys ?? 'whole'
  const resources = [...model.resources.values()].sort((a, b) => a.rank - b.rank)
  const links = new Map<string, TableLayout>()
  for (const link of [...model.resources.values()].flatMap((resource) => resource.links)) {
    const key = link.table.toLowerCase()
    if (!links.has(key)) links.set(key, linkTable(link, keys))
  }
  const byTable = Map.groupBy(
    resources.map((resource) => resourceTable(resource, keys)),
    ({ key }) => key,
  )
  return [...[...byTable.values()].map(sharedTable), ...links.values()]
}
