import { defineResources, type Model } from 'fastify-crud'

// The tests of the contract hold for records that are kept when they are deleted, too. With TEST_SOFT_DELETE=true, all resources of a model
// have `softDelete` that can have it.

const isTested = process.env.TEST_SOFT_DELETE !== undefined

/** The column of the moment. Tests name none so. */
const COLUMN = 'goneAt'

export function withTestSoftDelete<Tested extends Model>(model: Tested): Tested {
  if (!isTested) return model
  const descriptors = Object.entries(model.descriptors)
  if (descriptors.some(([, { softDelete }]) => softDelete !== undefined)) return model
  const without = withoutSoftDelete(model)
  const entries = descriptors.map(([key, one]) => [key, without.has(key) ? one : { ...one, softDelete: COLUMN }])
  const options = model.tenant === undefined ? {} : { tenant: model.tenant }
  return defineResources(Object.fromEntries(entries), options as never) as Model as Tested
}

/** The resources that cannot have it, and all that own these, are owned by them, or share a table with them. */
function withoutSoftDelete({ resources }: Model): ReadonlySet<string> {
  const found = new Set<string>()
  const all = [...resources.values()]
  for (const { key, idColumns, isWritable, links, tenant } of all) {
    if (idColumns.length > 1 || !isWritable || links.some(({ needs }) => needs) || tenant?.isOwnId) found.add(key)
  }
  for (let size = -1; size < found.size; ) {
    size = found.size
    for (const { key, table, ownedBy } of all) {
      const related = [
        ...ownedBy.map(({ target }) => target.key),
        ...all.filter((one) => one.table === table).map((one) => one.key),
      ]
      if ([key, ...related].some((one) => found.has(one))) for (const one of [key, ...related]) found.add(one)
    }
  }
  return found
}

/** Whether a row of a table is one that a test may count. */
export function isThere(row: Readonly<Record<string, unknown>>): boolean {
  return !isTested || row[COLUMN] === undefined || row[COLUMN] === null
}
