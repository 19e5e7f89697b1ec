import { idTaken, notAllowed, placeTaken, type Refusal } from '../errors.ts'
import type { Address } from '../model/address.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Session } from '../session/session.ts'
import { ownerValues } from '../sql/rows/path-condition.ts'
import type { Statements } from '../sql/statements.ts'
import { ownerNotFound } from './owner-at.ts'

/**
 * Why no record can be added at the address: an owner does not exist or may not be edited, the owner has its one record already, or
 * the id is taken. Undefined if a record can be added. `pointer`: where the body has the record.
 */
export async function vacancyRefusal(
  session: Session,
  statements: Statements,
  at: Address,
  id: Id | undefined,
  pointer = '',
): Promise<Refusal | undefined> {
  const { resource, relations } = at.path
  const owns = relations.at(-1)
  if (owns === undefined && id === undefined) return undefined
  const values = { id, ...ownerValues(at.owners) }
  const [vacancy] = await session.rows(statements.vacancy(at.path, id !== undefined), values)
  if (!vacancy?.owners) return ownerNotFound(at, pointer)
  if (!vacancy.allowed) return notAllowed()
  if (owns !== undefined && vacancy.occupied) return placeTaken(owns.source.key, at.owners.at(-1) as Id, owns.name)
  return id !== undefined && vacancy.taken ? idTaken(resource.key, id) : undefined
}
