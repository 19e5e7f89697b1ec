import type { Member, Resource } from '../model/model.ts'
import { pointerTo } from '../planning/body/pointer.ts'
import { constraintColumns } from '../session/constraint-columns.ts'
import type { QueryContext } from '../sql/context.ts'
import type { StepError } from './step-error.ts'

/**
 * Where in the body the database has refused something: the fields of the row, where its error names them and the caller sees them all,
 * or else the row; the body itself if the row is not known.
 */
export function refusedPlaces(context: QueryContext, step: StepError | undefined): readonly string[] {
  if (step?.pointer === undefined) return ['']
  const { pointer, step: refused, cause } = step
  // The pointers of the others lead to a field already.
  if (refused.step !== 'insert' && refused.step !== 'update') return [pointer]
  const { resource } = refused
  // No body names the owner, nor the column that tells the resources of a table apart.
  const unnamed = [...resource.ownedBy, ...(resource.where === undefined ? [] : [resource.where])]
  const isUnnamed = (column: string) => unnamed.some((one) => context.names.column(one.column) === column)
  const columns = constraintColumns(cause).filter((column) => !isUnnamed(column))
  const fields = columns.map((column) => visibleMember(context, resource, column))
  const isNamed = fields.length > 0 && fields.every((field) => field !== undefined)
  return isNamed ? fields.map((field) => pointerTo(pointer, field?.property ?? '')) : [pointer]
}

function visibleMember({ names, fieldRights }: QueryContext, resource: Resource, column: string): Member | undefined {
  const member = resource.members.find((one) => names.column(one.column) === column)
  return member?.kind === 'field' && !fieldRights.sees(member) ? undefined : member
}
