import { mayHide } from '../asking/policies/rights.ts'
import { type BodyProblem, invalid, notUnique, type Refusal, refused, stillNeeded } from '../errors.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Resource } from '../model/model.ts'
import type { Doing, OrderedStep } from '../planning/order/ordered.ts'
import { refusals } from '../rules/stages/refusals.ts'
import { databaseErrorKind, isFromDatabase, subjectOf } from '../session/database-errors.ts'
import { causeOf } from '../session/session.ts'
import type { PlannedSteps } from './attempt.ts'
import { lookUpOutside } from './plan-write.ts'
import { StepError } from './run-group.ts'
import type { WriteCall, WriteParts } from './write-call.ts'

/** How the application's `errors` explain an error of the database; undefined if they do not. `planned`: undefined if
 * it failed before. */
export async function applicationRefusal(
  parts: WriteParts,
  call: WriteCall,
  error: unknown,
  planned: PlannedSteps | undefined,
): Promise<Refusal | undefined> {
  const { errors } = parts
  const failed = error instanceof StepError ? error : undefined
  const cause = causeOf(error)
  if (errors === undefined || !isAboutData(cause) || isSwap(failed?.doing, cause)) return undefined
  const isShown = await mayTell(parts, call, failed, planned)
  const refusing = refusals()
  // Without a step of its own, the row is not known.
  const row = { pointer: failed?.pointer ?? '', isInBody: failed !== undefined && isRowInBody(failed), isShown }
  const { key: resource } = failed === undefined ? call.at.path.resource : resourceIn(failed.step)
  await errors(cause, { ...refusing.of(row), resource })
  return refusing.refusal()
}

/** Whether it is the data that the database refuses: it would refuse them again. */
function isAboutData(error: unknown): boolean {
  const subject = subjectOf(error)
  return subject === 'data' || (subject === 'statement' && isFromDatabase(error))
}

/** A link's pointer leads to its id, and a step of several rows has none. */
function isRowInBody({ step: { step }, pointer }: StepError): boolean {
  return pointer !== undefined && (step === 'insert' || step === 'update')
}

function resourceIn(step: OrderedStep): Resource {
  return 'relation' in step ? step.relation.source : step.resource
}

/** Whether the caller may see all rows that may have been refused. */
async function mayTell(
  parts: WriteParts,
  call: WriteCall,
  failed: StepError | undefined,
  planned: PlannedSteps | undefined,
): Promise<boolean> {
  const { rights } = parts.context
  if (rights === undefined && (planned === undefined || planned.hidden.size === 0)) return true
  if (planned === undefined) return false
  const steps = failed === undefined ? planned.steps : [failed.step]
  const isHideable = (resource: Resource) => planned.hidden.has(resource) || mayHide(rights, resource)
  for (const step of steps) {
    switch (step.step) {
      // A body names only what its sender may see, and what it adds itself.
      case 'insert':
      case 'update':
      case 'park':
      case 'swap':
      case 'link':
      case 'unlink':
      case 'number':
        break
      case 'clear':
      case 'release':
      case 'unlinkAll':
        if (isHideable(step.relation.source) || isHideable(step.relation.target)) return false
        break
      case 'delete':
      case 'stamp':
      case 'restore':
        if (planned.hidden.has(step.resource)) return false
        if (mayHide(rights, step.resource) && !(await areShown(parts, call, step.resource, step.ids))) return false
        break
    }
  }
  return true
}

/** Whether the caller sees all of them. The write is undone by now. */
async function areShown(
  parts: WriteParts,
  { requestContext }: WriteCall,
  resource: Resource,
  ids: readonly Id[],
): Promise<boolean> {
  const { existing } = await lookUpOutside(parts, { existing: new Map([[resource, new Set(ids)]]) }, requestContext)
  return ids.every((id) => existing.get(resource)?.has(id))
}

/** Whether the tables cannot do a swap of unique values: there is no room for temporary ones, or they are in use. */
function isSwap(doing: Doing | undefined, error: unknown): boolean {
  const kind = databaseErrorKind(error)
  return (
    (doing === 'park' && (kind === 'value' || kind === 'check' || kind === 'unique')) ||
    (doing === 'swap' && kind === 'unique')
  )
}

/** What the client is told of a constraint that only the database knows; undefined if it was not one. `pointers`: where
 * it is. */
export function databaseRefusal(error: unknown, doing: Doing, pointers: readonly string[]): Refusal | undefined {
  const at = (message: string, keyword: string): BodyProblem[] =>
    pointers.map((pointer) => ({ pointer, message, keyword }))
  const kind = databaseErrorKind(error)
  if (isSwap(doing, error)) {
    const message =
      'has a unique value that another record of this request still holds; this table cannot swap them in one request'
    return notUnique(message, at(message, 'unique'))
  }
  switch (kind) {
    case 'unique':
      return notUnique('a value that must be unique is taken', at('a value that must be unique is taken', 'unique'))
    case 'foreignKey':
      if (doing === 'remove')
        return stillNeeded('it is still needed by other records', at('is still needed by other records', 'stillNeeded'))
      // The plan has found all records that the model's own references name.
      return refused(pointers)
    case 'value':
      return invalid(at('has a value that the database does not accept', 'database'))
    case 'check':
    case 'refused':
      return refused(pointers)
    case 'incomparable':
    case 'forbidden':
    case 'busy':
    case 'timeout':
    case 'poolFull':
    case 'unconnected':
    case 'serverFull':
    case 'stale':
    case 'outdated':
    case 'disconnected':
    case 'unavailable':
    case 'unsupported':
    case 'tooLarge':
    case 'tooDeep':
    case 'other':
      return undefined
  }
}
