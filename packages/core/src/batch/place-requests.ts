import { type BodyProblem, CrudError, type Refusal } from '../errors.ts'
import type { Address } from '../model/collection-path.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Resource } from '../model/model.ts'
import type { Operation } from '../model/operations.ts'
import { idInBody } from '../planning/body/id-of-body.ts'
import { wholeIdInBody } from '../planning/body/owners-in-body.ts'
import {
  bodyWithIds,
  type NamedRecord,
  type Naming,
  paramsWithIds,
  type RequestTarget,
  realNaming,
  sampleNaming,
} from './new-ids.ts'
import type { PathTable } from './path-table.ts'
import type { BatchRequest } from './requests.ts'
import type { BatchLock } from './run-batch.ts'

/** What a method of a path leads to. */
export interface BatchTarget extends RequestTarget {
  /** Of its path, with parameters, such as `/book/:id`. */
  readonly pattern: string
  /** Undefined: an action of the application's. */
  readonly operation: Operation | undefined
}

/** A request of a batch, and what it leads to. */
export interface PlacedRequest<Target extends BatchTarget = BatchTarget> {
  readonly index: number
  readonly request: BatchRequest
  readonly target: Target
  /** The texts in place of the path's parameters, and the query behind the path, with its `?`. */
  readonly params: Readonly<Record<string, string>>
  readonly search: string
}

/** A request with the ids of new records in place of their names. */
export interface SpelledRequest {
  readonly params: Readonly<Record<string, string>>
  readonly body: unknown
}

export interface PlacedRequests<Target extends BatchTarget> {
  readonly names: ReadonlyMap<string, NamedRecord>
  readonly placed: readonly PlacedRequest<Target>[]
  /** Why one of them leads to nothing: the first one. */
  readonly refusal: CrudError | undefined
  /** For the checks before anything is done: with ids that no record has. Adds names that mean nothing to the
   * problems. */
  sampled(placed: PlacedRequest<Target>, problems: BodyProblem[]): SampledRequest
  /** Once earlier requests are done. */
  spelled(placed: PlacedRequest<Target>, ids: ReadonlyMap<string, Id>): SpelledRequest
}

export interface SampledRequest extends SpelledRequest {
  /** The parameters that have a name in place of an id. */
  readonly named: ReadonlySet<string>
  /** The ids that stand for others. */
  readonly samples: ReadonlySet<Id>
  /** Whether a problem is about an id that stands for another one. */
  isAboutSample(problem: BodyProblem): boolean
}

/** Finds what the requests of a batch lead to. `most`: how deep bodies are looked into. Adds what is wrong with their
 * names to the problems. */
export function placeRequests<Target extends BatchTarget>(
  requests: readonly BatchRequest[],
  table: PathTable<Target>,
  most: number,
  problems: BodyProblem[],
): PlacedRequests<Target> {
  const found = requests.map((request, index) => place(request, index, table))
  const placed = found.flatMap((one) => ('refusal' in one ? [] : [one]))
  const names = namesIn(placed, problems)
  const spell = ({ request, target, params }: PlacedRequest<Target>, naming: Naming): SpelledRequest => ({
    params: paramsWithIds(target, params, naming),
    body: bodyWithIds(target, request.body, naming, most),
  })
  return {
    names,
    placed,
    refusal: found.flatMap((one) => ('refusal' in one ? [new CrudError(one.refusal)] : []))[0],
    sampled(one, into) {
      const places = new Set<string>()
      const samples = new Set<Id>()
      const noteSample = (pointer: string, id: Id) => {
        places.add(pointer.replace(/\/\$new$/, ''))
        samples.add(id)
      }
      const sampled = spell(one, sampleNaming(one.index, names, into, noteSample))
      const named = new Set(Object.keys(one.params).filter((name) => one.params[name] !== sampled.params[name]))
      return { ...sampled, named, samples, isAboutSample: ({ pointer }) => places.has(pointer) }
    },
    spelled: (one, ids) => spell(one, realNaming(names, ids)),
  }
}

function place<Target extends BatchTarget>(
  request: BatchRequest,
  index: number,
  table: PathTable<Target>,
): PlacedRequest<Target> | { readonly refusal: Refusal } {
  const { method, path } = request
  const [name = '', ...query] = path.split('?')
  const found = table.find(name)
  const refuse = (code: Refusal['code'], words: string) => {
    return { refusal: { code, detail: `request ${index}: ${words}`, errors: [], request: index } }
  }
  if (found === undefined) return refuse('CRUD_ERR_NOT_FOUND', 'there is nothing at its path')
  const target = found.methods.get(method)
  if (target === undefined) {
    const allowed = [...found.methods.keys()].join(', ') || 'nothing'
    return refuse('CRUD_ERR_METHOD', `${method} is not allowed here (allowed: ${allowed})`)
  }
  const search = query.length === 0 ? '' : `?${query.join('?')}`
  return { index, request, target, params: found.params(target), search }
}

function namesIn(placed: readonly PlacedRequest[], problems: BodyProblem[]): ReadonlyMap<string, NamedRecord> {
  const names = new Map<string, NamedRecord>()
  for (const one of placed) {
    const { index, request, target } = one
    const { as } = request
    if (as === undefined) continue
    const pointer = `/requests/${index}/as`
    if (names.has(as)) problems.push({ pointer, message: 'another request has this name', keyword: 'uniqueItems' })
    else if (!createsOne(one))
      problems.push({
        pointer,
        message: 'names the record that a request creates: this one creates none',
        keyword: 'not',
      })
    else names.set(as, { index, resource: target.mount.path.resource })
  }
  return names
}

/** Whether a request creates one record, or may do so: a PUT by unique values finds it, or creates it. */
function createsOne({ request: { body }, target: { operation, link }, params, search }: PlacedRequest): boolean {
  if (Array.isArray(body) || link !== undefined) return false
  if (operation === 'create') return true
  return operation === 'replace' && !('id' in params) && /[?&]by=/.test(search)
}

/** The path of a request, behind the prefix of its service. */
export function spelledPath({ target: { pattern } }: PlacedRequest, { params }: SpelledRequest): string {
  return pattern.replaceAll(/(?<=\/):([^/]*)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

/** The records that a write names: their topmost owners are locked before anything is done. `at`, `id`: of its path.
 * `named`: the parameters that have a name in place of an id. */
export function locksOf(
  { target: { mount, operation }, request: { body } }: PlacedRequest,
  at: Address,
  id: Id | undefined,
  named: ReadonlySet<string>,
): readonly BatchLock[] {
  const { resource, isTopLevel } = mount.path
  const possible = (of: Resource, ids: readonly (Id | undefined)[]) =>
    ids.flatMap((one) => (one === undefined || of.id.fromJson(one) === undefined ? [] : [{ resource: of, id: one }]))
  const [owner] = mount.owners
  if (owner !== undefined) return named.has(owner.param) ? [] : possible(owner.owns.source, [at.owners[0]])
  if (id !== undefined) return named.has('id') || operation === 'create' ? [] : possible(resource, [id])
  if (operation !== 'replace' && operation !== 'patch') return []
  const idOf = (one: unknown) => (isTopLevel ? wholeIdInBody(resource, one) : idInBody(resource, one))
  return possible(resource, [body].flat().map(idOf))
}
