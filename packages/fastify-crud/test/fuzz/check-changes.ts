import type { Resource } from '@fastify-crud/core/internal'
import type { Model } from 'fastify-crud'
import type { Action } from '../../src/access/authorize.ts'
import { type Caller, mayDo } from './callers.ts'
import type { TableChange } from './stored-rows.ts'

/** What of these changes the caller had no right to. */
export function forbiddenChanges(model: Model, caller: Caller, changes: readonly TableChange[]): string[] {
  const resources = [...model.resources.values()]
  return changes.flatMap((change) => {
    const { table, added, removed, changed } = change
    const resource = resources.find((one) => one.table === table)
    const isAllowed =
      resource === undefined
        ? mayLink(caller, resources, table)
        : (added === 0 || mayDo(caller, 'Add', resource.key)) &&
          (removed === 0 || mayDo(caller, 'Delete', resource.key)) &&
          (changed === 0 || mayDo(caller, 'Edit', resource.key) || mayClearIn(caller, resource))
    return isAllowed ? [] : [`${caller.name} may not change ${JSON.stringify(change)}`]
  })
}

/**
 * What of these changes, made by a PUT or PATCH of a record of `edited`, is about records that the caller does not see. They stay as
 * they are, unless their owner goes, and no body adds a link to one.
 */
export function changesOfHidden(
  model: Model,
  caller: Caller,
  edited: Resource,
  changes: readonly TableChange[],
): string[] {
  const isHidden = ({ key }: Resource): boolean => !mayDo(caller, 'View', key)
  const losing = new Set(changes.filter(({ removed }) => removed > 0).map(({ table }) => table))
  const resources = [...model.resources.values()]
  return changes.flatMap((change) => {
    const { table, added, removed, changed } = change
    const resource = resources.find((one) => one.table === table)
    const link = resources.flatMap(({ links }) => links).find((one) => one.table === table)
    const isUnseen = resource !== undefined && resource !== edited && isHidden(resource)
    const isUnseenLink = link !== undefined && isHidden(link.target)
    const goesWith = resource?.ownedBy.map(({ target }) => target.table) ?? [link?.source.table ?? '']
    const goesAlong = goesWith.some((owner) => losing.has(owner))
    const isWrong =
      (isUnseen && (changed > 0 || (removed > 0 && !goesAlong))) ||
      (isUnseenLink && (added > 0 || (removed > 0 && !goesAlong)))
    return isWrong ? [`${caller.name} does not see, and has changed ${JSON.stringify(change)}`] : []
  })
}

/** Links come with a record that may be written, and go with one that may be deleted. */
function mayLink(caller: Caller, resources: readonly Resource[], table: string): boolean {
  const writes: readonly Action[] = ['Add', 'Edit', 'Delete']
  const links = resources.flatMap(({ links }) => links.filter((link) => link.table === table))
  return links.some(
    ({ source, target }) =>
      writes.some((action) => mayDo(caller, action, source.key)) || mayDo(caller, 'Delete', target.key),
  )
}

/** A foreign key is cleared where the record that it names is deleted: nobody is asked about that. */
function mayClearIn(caller: Caller, { references }: Resource): boolean {
  return references.some(({ needs, target }) => !needs && mayDo(caller, 'Delete', target.key))
}
