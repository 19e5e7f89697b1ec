import { idTaken, notAllowed, notFound, placeTaken, type Refusal, together, unknownReference } from '../errors.ts'
import { type Address, type CollectionPath, resourcesInAddress } from '../model/collection-path.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Resource } from '../model/model.ts'
import { noSuchRecord, pointerTo } from '../planning/body/faults.ts'
import { chosenId } from '../planning/public/plan-create.ts'
import { groupBy, type RecordOwner } from '../planning/rows.ts'
import type { RowOwner } from '../rules/rows/tree.ts'
import { inPortions, pipelineAll, type Session } from '../session/session.ts'
import { ownerValues } from '../sql/rows/path-condition.ts'
import type { Statements } from '../sql/statements.ts'
import { idSqlOf } from '../sql/text/member-id-sql.ts'
import type { Row } from '../sql/text/prepare.ts'
import type { BulkCreate, WriteParts } from './write-call.ts'

/**
 * Why no record can be added at the address: an owner does not exist or may not be edited, the owner has its one record
 * already, or the id is taken. Undefined if a record can be added.
 */
export async function vacancyRefusal(
  session: Session,
  statements: Statements,
  at: Address,
  id: Id | undefined,
): Promise<Refusal | undefined> {
  if (at.path.relations.length === 0 && id === undefined) return undefined
  return refusalOf(await readVacancy(session, statements, at, id), at, id)
}

/** Why not all new records can be added. All owners at the end of one path are looked at together, each once. */
export async function vacanciesRefusal(
  parts: WriteParts,
  session: Session,
  created: readonly BulkCreate[],
): Promise<Refusal | undefined> {
  const refused = new Map<BulkCreate, Refusal>()
  const asked = groupBy(created, ({ at }) => at.path).map(([path, ofPath]) => async () => {
    const [{ at, draft }] = ofPath as [BulkCreate]
    const id = draft.pointer === '' ? chosenId(draft, undefined, at.owners.at(-1)) : undefined
    if (path.relations.length === 0 && id === undefined) return
    const owners = new Set(ofPath.map((one) => one.at.owners.at(-1) as Id))
    const vacancies = !hasOwners(path)
      ? NONE_FOUND
      : owners.size > 1
        ? await readVacancies(parts, session, path, [...owners])
        : new Map([[at.owners.at(-1), await readVacancy(session, parts.statements, at, id)]])
    for (const one of ofPath) {
      const refusal = refusalOf(vacancies.get(one.at.owners.at(-1) as Id), one.at, id, one.draft.pointer)
      if (refusal !== undefined) refused.set(one, refusal)
    }
  })
  await pipelineAll(session, asked)
  const refusals = created.flatMap((one) => refused.get(one) ?? [])
  const [first] = refusals
  if (first === undefined) return undefined
  // All of the kind that comes first.
  return together(refusals.filter(({ code }) => code === first.code) as [Refusal, ...Refusal[]])
}

const NONE_FOUND: ReadonlyMap<Id | undefined, Row> = new Map()

/** Whether the owner that a body names was found: the path of one that was not begins with a resource which others
 * own. */
function hasOwners({ relations }: CollectionPath): boolean {
  const [top] = relations
  return top === undefined || top.source.isRoot
}

async function readVacancy(
  session: Session,
  statements: Statements,
  { path, owners }: Address,
  id: Id | undefined,
): Promise<Row | undefined> {
  const [vacancy] = await session.rows(statements.vacancy(path, id !== undefined), { id, ...ownerValues(owners) })
  return vacancy
}

async function readVacancies(
  { context, statements }: WriteParts,
  session: Session,
  path: CollectionPath,
  owners: readonly Id[],
): Promise<ReadonlyMap<Id | undefined, Row>> {
  const found = new Map<Id | undefined, Row>()
  const { encodeList } = idSqlOf(context, path.relations.at(-1)?.source ?? path.resource)
  await inPortions(context.dialect, owners, async (some) => {
    const json = (await session.value<string>(statements.vacancies(path), { ids: encodeList(some) })) as string
    for (const [index, areThere, allowed, occupied] of JSON.parse(json) as [number, ...unknown[]][])
      found.set(some[index], { owners: areThere, allowed, occupied })
  })
  return found
}

/** `pointer`: where the body has the record. */
function refusalOf(vacancy: Row | undefined, at: Address, id: Id | undefined, pointer?: string): Refusal | undefined {
  const { resource, relations } = at.path
  const owns = relations.at(-1)
  if (!vacancy?.owners) return ownerNotFound(at, pointer)
  if (!vacancy.allowed) return notAllowed()
  if (owns !== undefined && vacancy.occupied) return placeTaken(owns.source.key, at.owners.at(-1) as Id, owns.name)
  return id !== undefined && vacancy.taken ? idTaken(resource.key, id) : undefined
}

/** The owner of the records at an address, as far as the address tells. */
export function ownerAt(at: Address): RowOwner {
  return ownerInPath(at) ?? ownerAtTop(at.path.resource)
}

/** The owner that the path names; undefined if it names none. */
export function ownerInPath({ path, owners }: Address): RecordOwner | undefined {
  const owns = path.relations.at(-1)
  return owns && { by: owns.inverse, id: owners.at(-1) as Id }
}

/** The owner of a record that a path begins with: there is none, or nobody knows it where such records may have one. */
export function ownerAtTop({ ownedBy }: Resource): RowOwner {
  return ownedBy.length === 0 ? null : undefined
}

/** Why nothing is done at an address: one of its owners is not there. The path has named it, or else the body, in the
 * record at the pointer. */
export function ownerNotFound({ path, owners }: Address, pointer = ''): Refusal {
  const owner = ownerInPath({ path, owners })
  if (path.isTopLevel && owner !== undefined) {
    const { foreignKey, target } = owner.by
    return unknownReference([{ pointer: pointerTo(pointer, foreignKey), ...noSuchRecord(target, owner.id) }])
  }
  const { key } = resourcesInAddress(path).at(-1) ?? path.resource
  return notFound(key, owners.at(-1) ?? '')
}
