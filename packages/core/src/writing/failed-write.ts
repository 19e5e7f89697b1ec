import { CrudError, forbidden, type Refusal } from '../errors.ts'
import { tenantIn } from '../model/callers.ts'
import type { Address } from '../model/collection-path.ts'
import { isInserted } from '../model/descriptors/field-options.ts'
import type { Field, Member, Resource } from '../model/model.ts'
import { ownedTree } from '../model/resource-tree.ts'
import { pointerTo } from '../planning/body/faults.ts'
import { type Doing, traitsOf } from '../planning/order/ordered.ts'
import { constraintColumns, databaseErrorKind } from '../session/database-errors.ts'
import { causeOf } from '../session/session.ts'
import type { QueryContext } from '../sql/context.ts'
import { applicationRefusal, databaseRefusal } from './application-refusal.ts'
import type { Attempt, PlannedSteps } from './attempt.ts'
import { lookUpOutside } from './plan-write.ts'
import { recordTooLarge } from './reads/client-json.ts'
import { StepError } from './run-group.ts'
import type { WriteCall, WriteParts } from './write-call.ts'

/** Why the request is refused, or else the error itself. */
export async function finalError(
  parts: WriteParts,
  call: WriteCall,
  { planned }: Attempt,
  error: unknown,
): Promise<unknown> {
  if (error instanceof CrudError) return error
  if (databaseErrorKind(error) === 'tooLarge') return recordTooLarge(call.at, call.id, parts.context.maxAnswer)
  const step = error instanceof StepError ? error : undefined
  const cause = causeOf(error)
  const notGiven = step && valueNotGiven(parts.context, step)
  if (notGiven !== undefined) return notGiven
  const refusal =
    (await refusalOfTenant(parts, call, cause)) ??
    (await applicationRefusal(parts, call, error, planned)) ??
    databaseRefusal(cause, step?.doing ?? doingOf(planned), refusedPlaces(parts.context, step))
  // The application has to see that its own transaction is to be tried again.
  if (refusal === undefined) return parts.context.db.isTransaction ? cause : error
  return new CrudError(refusal, {
    cause: mayQuoteUnseen(parts.context, call.at, cause) ? withoutValues(cause) : cause,
  })
}

/**
 * What a plan was about that failed without a step: the database has checked a constraint as it committed. Only what a
 * removal leaves behind can still name what is gone.
 */
function doingOf(planned: PlannedSteps | undefined): Doing {
  return planned?.steps.some((step) => traitsOf(step).doing === 'remove') ? 'remove' : 'write'
}

/** Whether the words of a driver's error may quote a value of the record, or of what it owns, that the caller does not
 * see. */
function mayQuoteUnseen({ fieldRights }: QueryContext, { path }: Address, error: unknown): boolean {
  const kind = databaseErrorKind(error)
  if (kind !== 'value' && kind !== 'check' && kind !== 'unique') return false
  return !ownedTree(path.resource).every(({ fields }) => fields.every(fieldRights.sees))
}

const NOT_NULL = new Set(['23502', 'SQLITE_CONSTRAINT_NOTNULL'])

/**
 * The error of a new row for which the database has no value of a field that cannot be null and that the caller may not
 * set. The caller cannot mend that. Undefined if the database refused something else.
 */
function valueNotGiven({ names }: QueryContext, { step, cause }: StepError): Error | undefined {
  const { code, message } = cause as { code?: unknown; message?: unknown }
  if (step.step !== 'insert' || !NOT_NULL.has(String(code))) return undefined
  const isLacking = (field: Field) => step.rows.some(({ values }) => !isInserted(field, values[field.position]))
  const required = step.resource.fields.filter((field) => !field.nullable && isLacking(field))
  const field = required.find(({ column }) => namesColumn(String(message), names.column(column)))
  if (field === undefined) return undefined
  const place = `${step.resource.key}.${field.name}`
  const why = whyLacking(field)
  return new Error(`${place} has no value: ${why}, so its column needs a default or a trigger`, { cause })
}

function whyLacking({ hasDbDefault, access }: Field): string {
  if (hasDbDefault) return 'it has dbDefault'
  return access?.Edit === undefined ? 'it is read-only' : 'not every caller may set it'
}

/** `null value in column "at" of relation …`, in the server's language; `NOT NULL constraint failed: book.at`. */
function namesColumn(message: string, column: string): boolean {
  return message.includes(`"${column}"`) || message.endsWith(`.${column}`)
}

/**
 * Stands for a driver's error whose words may quote a row, as PostgreSQL's do: `Failing row contains (1, …)`. Nobody is
 * to read a write-only value there. It says where to look: the code, and the table, column and constraint if the driver
 * names them.
 */
function withoutValues(error: unknown): Error {
  const { code, table, column, constraint } = error as Readonly<Record<string, unknown>>
  const message = `the database refused a value (${code}); its message may quote a write-only field, so it is left out`
  return Object.assign(new Error(message), { code, table, column, constraint })
}

/**
 * Where in the body the database has refused something: the fields of the row, where its error names them and the
 * caller sees them all, or else the row; the body itself if the row is not known.
 */
function refusedPlaces(context: QueryContext, step: StepError | undefined): readonly string[] {
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

/** Why a write is refused whose tenant does not exist; undefined if it does, or the error is not about what rows
 * name. */
async function refusalOfTenant(
  parts: WriteParts,
  { requestContext }: WriteCall,
  error: unknown,
): Promise<Refusal | undefined> {
  const { tenants, reach } = parts.context
  const tenant = tenantIn(requestContext)
  if (tenants === undefined || reach !== 'one tenant' || tenant === null || databaseErrorKind(error) !== 'foreignKey') {
    return undefined
  }
  const given = new Map([[tenants.of, new Set([tenant])]])
  const found = await lookUpOutside(parts, { given }, requestContext)
  if (found.given.get(tenants.of)?.has(tenant)) return undefined
  return forbidden(`there is no ${tenants.of.key} ${tenant}`, [])
}
