import { sql } from 'kysely'
import type { Selection } from '../../asking/select/selection.ts'
import { selection, wholeRecordAt } from '../../asking/select/selections.ts'
import type { CollectionPath } from '../../model/collection-path.ts'
import type { Resource } from '../../model/model.ts'
import { ownedTree } from '../../model/owned-tree.ts'
import type { QueryContext } from '../context.ts'
import { CHANGED, type Pipelining } from '../dialect/dialect.ts'
import { amongIds } from '../rows/among-ids.ts'
import { idSlot, idSqlOf, rowId } from '../text/id-sql-of.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { type Sql, slot } from '../text/sql-text.ts'
import { storedRows } from '../text/stored-rows.ts'
import { jsonArrayQuery, jsonTuple } from './json-text.ts'
import { answerAt } from './read-queries.ts'
import { recordJson } from './record-json.ts'

const known = new WeakMap<Resource, readonly Selection[]>()

/** The links that a record shows with all that it owns: a selection for each resource that has some. */
export function linksShownIn(resource: Resource): readonly Selection[] {
  let selections = known.get(resource)
  if (selections === undefined) {
    selections = ownedTree(resource).flatMap((owned) => {
      const links = owned.links.filter(({ carried }) => carried)
      const properties = links.map((link) => ({ kind: 'link', link, records: undefined }) as const)
      return links.length === 0 ? [] : [selection({ resource: owned, ignoresPolicies: false, properties })]
    })
    known.set(resource, selections)
  }
  return selections
}

/**
 * The whole record, as the statement `record` gives it. Fails with {@link CHANGED} unless rows have the links that are expected: for each
 * of {@link linksShownIn}, the rows with the ids in the slots `rows0`, `rows1` …, and the JSON of all in the slot `links`. One statement
 * reads both, so that they show one moment.
 */
export function answerWithLinksQuery(context: QueryContext, path: CollectionPath, pipelining: Pipelining): Prepared {
  const { resource } = path
  const links = linksShownIn(resource).map((one, index) => linksJson(context, one, slot(`rows${index}`)))
  const check = pipelining.failUnlessSame(sql`select ${jsonTuple(links)} as json`, slot('links'), CHANGED)
  const record = answerAt(context, path, idSlot(context, resource), wholeRecordAt(path, context.fieldRights))
  const [answer, checked] = [sql.id('crud_whole'), sql.id('crud_checked')]
  return prepare(
    context.db,
    sql`select ${answer}.json as json, ${checked}.${sql.id('same')} as same from (${record}) as ${answer} cross join (${check}) as ${checked}`,
  )
}

function linksJson(context: QueryContext, links: Selection, ids: Sql): Sql {
  const { resource } = links
  const rows = amongIds(context, resource, ids, storedRows(context, resource, 't'))
  const order = idSqlOf(context, resource).orderAsCompared(rowId(resource, 't'))
  return sql`(${jsonArrayQuery(recordJson(context, links, 't', 'whole'), sql`from ${rows}`, order)})`
}
