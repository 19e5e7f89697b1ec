import { CrudError, notFound, type Problem } from '../errors.ts'
import { linkParam } from '../model/collection-path.ts'
import { type LinkChange, linkDraft, NOTHING_HIDDEN, readingOf } from '../planning/body/draft.ts'
import { PLACE_OF_LINK } from '../planning/body/patch-marks.ts'
import { noLookups } from '../planning/decide/lookups.ts'
import { lookUp } from './plan-write.ts'
import { write } from './write.ts'
import type { CallTerms, UpdateCall, WriteParts, Written } from './write-call.ts'

/** A write of one link by its address. */
export interface LinkCall extends CallTerms, Pick<UpdateCall, 'id'> {
  readonly change: LinkChange
  /** Resources whose records the client may not see. */
  readonly hidden: UpdateCall['draft']['reading']['hidden'] | undefined
}

/**
 * Adds or removes one link: a PATCH of the record, of which nothing else is read, unless the terms or rules ask for it.
 * Where it adds one, fails with `CRUD_ERR_NOT_FOUND` if the client
 * knows of no such record at the other end.
 */
export async function writeLink(
  parts: WriteParts,
  { change, hidden, ...terms }: LinkCall,
): Promise<Pick<Written, 'plan' | 'effects'>> {
  const { fieldRights } = parts.context
  const draft = linkDraft(change, readingOf('patch', { fieldRights, hidden: hidden ?? NOTHING_HIDDEN }))
  const call: UpdateCall = { ...terms, operation: 'patch', draft, link: change.link, readsBack: false }
  try {
    const { plan, effects } = await write(parts, call)
    if (!change.isRemoved && !isPossible(change)) throw new CrudError(unknownTarget(change))
    return { plan, effects }
  } catch (error) {
    if (!(error instanceof CrudError) || isAboutPlace(error)) throw error
    if (!change.isRemoved && (await isUnknown(parts, call, change, error))) {
      throw new CrudError(unknownTarget(change), { cause: error })
    }
    throw aboutPath(error, linkParam(call.at.path, change.link))
  }
}

/** The place is all that the request has a body for. */
function isAboutPlace({ errors }: CrudError): boolean {
  return errors.length > 0 && errors.every(({ pointer }) => pointer === PLACE_OF_LINK)
}

function isPossible({ link, to }: LinkChange): boolean {
  return link.target.id.fromJson(to) !== undefined
}

function unknownTarget({ link, to }: LinkChange) {
  return notFound(link.target.key, to)
}

/**
 * Whether the path names no record at the other end, which comes before the policies on the record and before
 * `If-Match`: those are asked first, because only then nothing more has to be read.
 */
async function isUnknown(
  { statements, sessions }: WriteParts,
  { requestContext, draft }: UpdateCall,
  change: LinkChange,
  { code }: CrudError,
): Promise<boolean> {
  if (code === 'CRUD_ERR_UNKNOWN_REFERENCE') return true
  if (code !== 'CRUD_ERR_FORBIDDEN' && code !== 'CRUD_ERR_PRECONDITION') return false
  const { target } = change.link
  if (!isPossible(change) || draft.reading.hidden.has(target)) return true
  const lookups = { ...noLookups, existing: new Map([[target, new Set([change.to])]]) }
  const { existing } = await sessions.use(requestContext, (session) => lookUp(statements, session, lookups))
  return existing.get(target)?.has(change.to) !== true
}

/** The error of a request without a body: what would be wrong with the body is wrong with the path. */
function aboutPath(error: CrudError, parameter: string): CrudError {
  const [first] = error.errors
  if (first === undefined) return error
  const errors = error.errors.map(({ pointer: _, ...fault }): Problem => ({ parameter, ...fault }))
  const place = `${first.pointer}: `
  const detail = error.message.startsWith(place) ? error.message.slice(place.length) : error.message
  const { code, status, blockers, cause } = error
  return new CrudError({ code, detail, errors, status, ...(blockers && { blockers }) }, { cause })
}
