import { withArticle } from '../../errors.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Resource } from '../../model/model.ts'
import type { RecordOwner } from '../rows.ts'

/** The owner of a record: the `ownedBy` relation of the record, and the owner's id. */
export interface Owner {
  readonly relation: string
  readonly id: Id
}

/** Throws a TypeError where the resource has no such relation, or where its records must have an owner and there is none. */
export function ownerOf({ key, ownedBy, isRoot }: Resource, owner: Owner | undefined): RecordOwner | undefined {
  if (owner === undefined && isRoot) return undefined
  const by = ownedBy.find(({ name }) => name === owner?.relation)
  if (owner !== undefined && by !== undefined) return { by, id: owner.id }
  const names = ownedBy.map(({ name }) => `'${name}'`).join(' or ')
  if (owner === undefined) throw new TypeError(`owner: ${withArticle(key)} has an owner, through ${names}; give its id`)
  const through = names === '' ? 'it has no owner' : `its owner is named by ${names}`
  throw new TypeError(`owner: ${withArticle(key)} has no ownedBy relation '${owner.relation}'; ${through}`)
}
