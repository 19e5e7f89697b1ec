import { type ModelProblem, withArticle } from '../../errors.ts'
import { problemOfFieldName } from '../check/names.ts'
import { isObject } from '../is-object.ts'
import { whyUnwritten } from '../operations.ts'
import { fieldCheck } from '../values/field-check.ts'
import type { JsonSchema } from '../values/schema-facts.ts'
import { buildingOf, type ResourceDraft, unseenField } from './resource-draft.ts'

const MOMENT: JsonSchema = Object.freeze({ type: 'string', format: 'date-time' })

const checkMoment = fieldCheck(MOMENT, 'string')

/** Gives a resource the column of its deleted records. Only statements know it: no body sets it, no answer shows it,
 * and no query names it. */
export function buildSoftDelete(draft: ResourceDraft): void {
  const declared = buildingOf(draft).descriptor.softDelete
  if (declared === undefined) return
  const { column: name, trash } = typeof declared === 'string' ? { column: declared } : declared
  const moment = { schema: MOMENT, storage: 'string', check: checkMoment, keepsOrder: false, position: -1 } as const
  draft.softDelete = unseenField(draft, name, moment)
  draft.trash = trash && Object.freeze({ purges: trash !== true && trash.purge === true })
}

/** What is wrong with the form of `softDelete`; undefined: nothing. */
export function problemOfSoftDelete(declared: unknown): string | undefined {
  if (!isObject(declared)) return problemOfColumn(declared, "such as 'deletedAt'")
  const { column, trash, ...others } = declared
  const isTrash = trash === undefined || trash === true || (isObject(trash) && Object.keys(trash).every(isPurge))
  const purge = isObject(trash) ? trash.purge : undefined
  if (Object.keys(others).length > 0 || !isTrash || (purge !== undefined && typeof purge !== 'boolean')) return FORM
  return problemOfColumn(column, `such as ${FORM_OF_COLUMN}`)
}

const isPurge = (name: string): boolean => name === 'purge'

const FORM_OF_COLUMN = "{ column: 'deletedAt' }"
const FORM =
  "must be a name, or have 'column' and 'trash': { column: 'deletedAt', trash: true } or trash: { purge: true }"

function problemOfColumn(name: unknown, example: string): string | undefined {
  const misnamed = problemOfFieldName(name as string)
  return misnamed && `must name a column, ${example}: ${misnamed}`
}

/** Refuses `softDelete` where a deleted record could not come back as it was, and trees of which only a part would come
 * back. */
export function checkSoftDelete(draft: ResourceDraft, problems: ModelProblem[]): void {
  checkOwners(draft, problems)
  const { key, softDelete, idColumns, links, names, where, tenant } = draft
  if (softDelete === undefined) return
  const refuse = (message: string) => problems.push({ place: `${key}.softDelete`, message })
  const column = softDelete.column.toLowerCase()
  if (names.has(softDelete.name)) refuse(`'${softDelete.name}' is a property of ${key}: the column is none`)
  else if (where?.column.toLowerCase() === column) refuse(`its column '${softDelete.column}' is that of 'where'`)
  else if (tenant?.column.toLowerCase() === column) refuse(`its column '${softDelete.column}' is that of the tenant`)
  if (!draft.isWritable)
    refuse(`has no effect: no request deletes ${withArticle(key)}, which has ${whyUnwritten(draft)}`)
  if (idColumns.length > 1) refuse('is not for ids of several members')
  if (tenant?.isOwnId) refuse('is not for the tenants themselves: purgeTenant removes what a tenant has')
  for (const { name } of links.filter((link) => link.needs)) {
    refuse(
      `the rows of link tables go with a deleted record, so it could not come back without the records that it needs by '${name}': let a resource that it owns need them one by one`,
    )
  }
}

/** A record goes with its owner, and comes back with it. */
function checkOwners({ key, softDelete, ownedBy }: ResourceDraft, problems: ModelProblem[]): void {
  for (const { target } of ownedBy) {
    if ((target.softDelete === undefined) === (softDelete === undefined)) continue
    const [one, other] = softDelete === undefined ? [target.key, key] : [key, target.key]
    const message = `${target.key} owns ${key}, so both have 'softDelete' or none: ${one} has it, and ${other} has not`
    problems.push({ place: `${key}.softDelete`, message })
  }
}
