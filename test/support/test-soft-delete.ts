import { defineResources, type Model } from 'fastify-crud'

// The tests of the contract hold for records that are kept when they are deleted, too. With TEST_SOFT_DELETE=true, all resources of a model
// have `softDelete` that can have it.

const isTested = process.env.TEST_SOFT_DELETE !== undefined

/** The column of the moment. Tests name none so. */
export const GONE_AT = 'goneAt'

export function withTestSoftDelete<Tested extends Model>(model: Tested): Tested {
  const saysSo = Object.values(model.descriptors).some(({ softDelete }) => softDelete !== undefined)
  return isTested && !saysSo ? withSoftDelete(model) : model
}

/** The model with `softDelete`, or a trash, wherever a deleted record is no more in the way of others than one that is removed. */
export function withSoftDelete<Tested extends Model>(model: Tested, hasTrash = false): Tested {
  const without = withoutSoftDelete(model)
  const softDelete = hasTrash ? { column: GONE_AT, trash: { purge: true } } : GONE_AT
  const entries = Object.entries(model.descriptors).map(([key, one]) => [
    key,
    without.has(key) ? one : { ...one, softDelete },
  ])
  const options = model.tenant === undefined ? {} : { tenant: model.tenant }
  return defineResources(Object.fromEntries(entries), options as never) as Model as Tested
}

/** The resources that cannot have it, and then those that own these, that they own, that need them, and that share a table with them. */
function withoutSoftDelete({ resources }: Model): ReadonlySet<string> {
  const all = [...resources.values()]
  const found = new Set<string>()
  const add = (key: string) => {
    if (found.has(key)) return
    found.add(key)
    const one = all.find((other) => other.key === key)
    for (const { target } of one?.ownedBy ?? []) add(target.key)
    for (const { target } of one?.owns ?? []) add(target.key)
    for (const { needs, source } of one?.referencedBy ?? []) if (needs) add(source.key)
    for (const other of all) if (other.table === one?.table) add(other.key)
  }
  for (const { key, idColumns, isWritable, links, tenant } of all) {
    if (idColumns.length > 1 || !isWritable || links.some(({ needs }) => needs) || tenant?.isOwnId) add(key)
  }
  return found
}

/** Whether a row of a table is that of a record which is not deleted. */
export function isThere(row: Readonly<Record<string, unknown>>): boolean {
  return row[GONE_AT] === undefined || row[GONE_AT] === null
}
