import type { OpenStores } from '../actions/act.ts'
import type { CheckedAction, CheckedActions } from '../actions/action.ts'
import { PathTable } from '../batch/path-table.ts'
import {
  type BatchTarget,
  locksOf,
  type PlacedRequest,
  placeRequests,
  type SpelledRequest,
} from '../batch/place-requests.ts'
import { type BatchRequest, readRequests } from '../batch/requests.ts'
import type { BatchPart, PartAnswer } from '../batch/run-batch.ts'
import { type BodyProblem, CrudError, invalid, type Problem, preconditionFailed, problemOfRequest } from '../errors.ts'
import { type Address, deletedPath, linkedPath } from '../model/collection-path.ts'
import { DEFAULT_LIMITS } from '../model/descriptors/default-limits.ts'
import type { Id } from '../model/ids/id-kind.ts'
import { idKindIn, wholeId } from '../model/ids/short-id.ts'
import type { Link, Model } from '../model/model.ts'
import { type Mount, mountsOf, recordPath } from '../model/mount.ts'
import { onceFor } from '../model/once-for.ts'
import { type Operation, serves } from '../model/operations.ts'
import { readPlaceOfLink } from '../planning/body/patch-marks.ts'
import { etagOf } from '../writing/reads/client-json.ts'
import type { Precondition } from '../writing/write-call.ts'
import type { JsonStore } from './json-store.ts'
import type { Stores } from './stores.ts'
import type { BatchOptions } from './types/batch-methods.ts'
import type { Asked } from './types/write-options.ts'

/** What a batch of the store is carried out with. */
interface StoreBatch {
  readonly stores: Stores
  readonly storeIn: (stores: Stores) => JsonStore
  readonly openFor: (stores: Stores) => OpenStores
  readonly asked: Asked
  readonly limits: Readonly<Record<'batch' | 'maxDepth', number>>
}

/** A request, as the store is called for it. */
interface StoreCall {
  readonly store: JsonStore
  readonly open: OpenStores
  readonly at: Address
  readonly id: Id | undefined
  readonly to: Id | undefined
  readonly body: unknown
  readonly by: readonly string[]
  readonly asked: Asked
}

/** What the store answers a request of a batch. */
interface StoreAnswer extends PartAnswer {
  readonly status: number
  readonly location?: string | undefined
  readonly etag?: string | undefined
}

interface StoreTarget extends BatchTarget {
  problems?(call: StoreCall): readonly Problem[]
  run(call: StoreCall): Promise<StoreAnswer>
}

/** Carries out requests as one write of the store. */
export async function batchOf(
  { stores, storeIn, openFor, asked, limits }: StoreBatch,
  given: unknown,
  { dryRun = false, returns }: BatchOptions = {},
): Promise<object> {
  const problems: BodyProblem[] = []
  const requests = readRequests({ requests: given }, limits.batch, problems)
  if (problems.length > 0) throw new CrudError(invalid(problems))
  const table = tableOf(stores.model)(stores.actions)
  const { placed, refusal, sampled, spelled } = placeRequests(requests, table, limits.maxDepth, problems)
  const callOf = (one: PlacedRequest<StoreTarget>, { params, body }: SpelledRequest, there = stores): StoreCall => {
    const { at, id, to } = addressed(one, params)
    const readsBack = returns === undefined
    const terms = { ...asked, readsBack, precondition: matching(one.request), maxAffected: one.request.maxAffected }
    return { store: storeIn(there), open: openFor(there), at, id, to, body, by: keyIn(one.search), asked: terms }
  }
  const parts = placed.map((one): BatchPart<StoreAnswer> => {
    const sample = sampled(one, problems)
    const { at, id } = problemsOf(
      one,
      problems,
      () => {
        const call = callOf(one, sample)
        return { call, found: one.target.problems?.(call) ?? [] }
      },
      sample.isAboutSample,
    ) ?? { at: undefined, id: undefined }
    return {
      as: one.request.as,
      locks: at === undefined || one.request.method === 'GET' ? [] : locksOf(one, at, id, sample.named),
      run: ({ db, end, names }) => one.target.run(callOf(one, spelled(one, names), stores.in(db, end))),
    }
  })
  if (problems.length > 0) throw new CrudError(invalid(problems))
  if (refusal !== undefined) throw refusal
  const effects = returns === undefined ? undefined : { areAnswer: true }
  const done = await storeIn(stores).batch(parts, { ...asked, rollsBack: dryRun, effects })
  if (done.effects !== undefined) return done.effects.shown
  return { answers: done.answers.map((one) => shown(one, dryRun)) }
}

/** What is wrong with one request, before anything is done. */
function problemsOf(
  { index }: PlacedRequest,
  problems: BodyProblem[],
  check: () => { readonly call: StoreCall; readonly found: readonly Problem[] },
  isAboutSample: (problem: BodyProblem) => boolean,
): StoreCall | undefined {
  const add = (found: readonly Problem[]) => {
    problems.push(...found.map((one) => problemOfRequest(one, index)).filter((one) => !isAboutSample(one)))
  }
  try {
    const { call, found } = check()
    add(found)
    return call
  } catch (error) {
    if (!(error instanceof CrudError) || error.code !== 'CRUD_ERR_INVALID') throw error
    add(error.errors)
    return undefined
  }
}

function shown({ status, location, etag, json }: StoreAnswer, isUndone: boolean): object {
  return {
    status,
    ...(location !== undefined && !isUndone && { location }),
    ...(etag !== undefined && !isUndone && { etag }),
    ...(json !== undefined && { body: JSON.parse(json) }),
  }
}

/** The address that a path names, and the ids in it. */
function addressed(
  { target: { mount, link }, search }: PlacedRequest,
  params: Readonly<Record<string, string>>,
): Pick<StoreCall, 'at' | 'id' | 'to'> {
  const { path } = mount
  const wrong: Problem[] = []
  const read = (name: string, kind: ReturnType<typeof idKindIn>): Id => {
    const id = kind.fromPath(params[name] ?? '')
    if (id !== undefined) return id
    const message = `the ${name} in the path ${kind.pathProblem}`
    wrong.push({ parameter: name, message, keyword: 'id', params: { type: kind.name } })
    return ''
  }
  const owners = mount.owners.map(({ owns, param }) => read(param, owns.source.id))
  const id = 'id' in params ? wholeId(path.resource, read('id', idKindIn(path)), owners.at(-1)) : undefined
  const to = link === undefined || !(link.param in params) ? undefined : read(link.param, link.link.target.id)
  if (search !== '' && keyIn(search).length === 0)
    wrong.push({ parameter: 'path', message: "a path of the store has no query but 'by'", keyword: 'format' })
  if (wrong.length > 0) throw new CrudError(invalid(wrong))
  return { at: { path, owners }, id, to }
}

function keyIn(search: string): readonly string[] {
  const by = new URLSearchParams(search).get('by')
  return by === null ? [] : by.split(',')
}

function matching({ ifMatch }: BatchRequest): Precondition | undefined {
  if (ifMatch === undefined) return undefined
  return ({ exists, json }) => {
    const tag = json === undefined ? undefined : etagOf(json)
    const matches = ifMatch === '*' ? exists : tag !== undefined && ifMatch.split(',').some((one) => one.trim() === tag)
    return matches ? undefined : preconditionFailed('ifMatch is not the ETag of the current record: read it again')
  }
}

/** The paths of a store, which are those of its service. */
const tableOf = onceFor((model: Model) => onceFor((actions: CheckedActions) => tableWith(model, actions)))

function tableWith(model: Model, actions: CheckedActions): PathTable<StoreTarget> {
  const table = new PathTable<StoreTarget>()
  for (const mount of mountsOf(model)) {
    const { resource } = mount.path
    const add = (method: string, suffix: string, target: TargetOfMount[2]) => {
      if (target.operation !== undefined && !serves(resource, target.operation)) return
      const pattern = `${mount.url}${suffix}`
      table.add(pattern, method, { mount, pattern, ...target })
    }
    for (const [method, suffix, target] of targetsOf(mount)) add(method, suffix, target)
    for (const [name, action] of actions.get(resource.key) ?? []) {
      const suffix = action.isOfRecord ? `/:id/$act/${name}` : `/$act/${name}`
      add(action.isRead ? 'GET' : 'POST', suffix, actionTarget(action))
    }
  }
  return table
}

type TargetOfMount = readonly [method: string, suffix: string, target: Omit<StoreTarget, 'mount' | 'pattern'>]

const NO_RECORDS = { hasRecords: false } as const
const RECORDS = { hasRecords: true } as const

function targetsOf({ path, links }: Mount): readonly TargetOfMount[] {
  const { trash } = path.resource
  const list = (operation: Operation, addressOf: (call: StoreCall) => Address): TargetOfMount[2] => ({
    ...NO_RECORDS,
    operation,
    async run(call) {
      const limit = DEFAULT_LIMITS.defaultPage
      return { status: 200, json: await call.store.list(addressOf(call), { limit }, call.asked) }
    },
  })
  const deleted = ({ at }: StoreCall) => ({ ...at, path: deletedPath(at.path) })
  return [
    ['GET', '', list('list', ({ at }) => at)],
    ['GET', '/:id', { ...NO_RECORDS, operation: 'findOne', run: findOne }],
    ['POST', '', { ...RECORDS, operation: 'create', problems: problemsOfBodies('create'), run: create }],
    ['POST', '/:id', { ...RECORDS, operation: 'create', problems: problemsOfBodies('create'), run: create }],
    ['PUT', '', { ...RECORDS, operation: 'replace', problems: problemsOfBodies('replace'), run: replace }],
    ['PUT', '/:id', { ...RECORDS, operation: 'replace', problems: problemsOfBodies('replace'), run: replace }],
    ['PATCH', '', { ...RECORDS, operation: 'patch', problems: problemsOfBodies('patch'), run: patchMany }],
    ['PATCH', '/:id', { ...RECORDS, operation: 'patch', problems: problemsOfBodies('patch'), run: patch }],
    ['DELETE', '/:id', { ...NO_RECORDS, operation: 'delete', run: remove }],
    ...links.flatMap((link): readonly TargetOfMount[] => [
      [
        'GET',
        `/:id/${link.link.name}`,
        list('findOne', ({ at, id }) => ({
          path: linkedPath(at.path, link.link.name),
          owners: [...at.owners, id as Id],
        })),
      ],
      [
        'PUT',
        `/:id/${link.link.name}/:${link.param}`,
        { ...NO_RECORDS, link, operation: 'patch', run: changeLink(link.link, false) },
      ],
      [
        'DELETE',
        `/:id/${link.link.name}/:${link.param}`,
        { ...NO_RECORDS, link, operation: 'patch', run: changeLink(link.link, true) },
      ],
    ]),
    ...(trash === undefined
      ? []
      : ([
          ['GET', '/$deleted', list('deleted', deleted)],
          [
            'GET',
            '/$deleted/:id',
            { ...NO_RECORDS, operation: 'deleted', run: (call) => findOne({ ...call, at: deleted(call) }) },
          ],
          ['POST', '/:id/$restore', { ...NO_RECORDS, operation: 'restore', run: restore }],
          ['DELETE', '/$deleted/:id', { ...NO_RECORDS, operation: 'purge', run: purge }],
        ] satisfies TargetOfMount[])),
  ]
}

function problemsOfBodies(operation: 'create' | 'replace' | 'patch') {
  return ({ store, at, id, body, by, asked }: StoreCall): readonly Problem[] => {
    const isOfMany = Array.isArray(body) || by.length > 0 || (operation === 'patch' && id === undefined)
    if (isOfMany && !Array.isArray(body) && operation === 'patch') return [NO_ARRAY]
    if (!isOfMany) return store.bodyProblems({ at, operation, body, id }, asked)
    return store.bodyProblemsOfMany({ at, operation, body, by: by.length > 0 ? by : undefined }, asked)
  }
}

const NO_ARRAY: Problem = { pointer: '', message: 'must be an array of records with their ids', keyword: 'type' }

function actionTarget(action: CheckedAction): TargetOfMount[2] {
  const given = ({ body, open }: StoreCall) => ({ action, body, query: undefined, open })
  return {
    ...NO_RECORDS,
    operation: undefined,
    problems: (call) => call.store.actionProblems(given(call)),
    async run(call) {
      const { json, isOutOfSight } = await call.store.act(call.at, call.id, given(call), call.asked)
      const tag = action.isOfRecord && action.answer === undefined && json !== undefined ? etagOf(json) : undefined
      return { status: json === undefined && isOutOfSight ? 204 : 200, etag: tag, json }
    },
  }
}

async function findOne({ store, at, id, asked }: StoreCall): Promise<StoreAnswer> {
  const json = await store.find(at, id as Id, undefined, asked)
  return { status: 200, etag: etagOf(json), json }
}

async function create({ store, at, id: inPath, body, asked }: StoreCall): Promise<StoreAnswer> {
  if (Array.isArray(body)) return { status: 201, json: (await store.createMany(at, body, asked)).json }
  return madeRecord(at, await store.create(at, body, inPath, asked))
}

function madeRecord(at: Address, { id, json }: { readonly id: Id; readonly json: string | undefined }): StoreAnswer {
  return { status: 201, id, location: recordPath(at, id), etag: json && etagOf(json), json }
}

async function replace({ store, at, id, body, by, asked }: StoreCall): Promise<StoreAnswer> {
  if (by.length > 0 && Array.isArray(body))
    return { status: 200, json: (await store.upsertMany(at, body, by, asked)).json }
  if (by.length > 0) {
    const one = await store.upsert(at, body, by, asked)
    return one.isNew ? madeRecord(at, one) : { ...written(one), id: one.id }
  }
  if (Array.isArray(body)) return { status: 200, json: (await store.replaceMany(at, body, asked)).json }
  return written(await store.replace(at, id, body, asked))
}

async function patch({ store, at, id, body, asked }: StoreCall): Promise<StoreAnswer> {
  return written(await store.patch(at, id as Id, body, asked))
}

async function patchMany({ store, at, body, asked }: StoreCall): Promise<StoreAnswer> {
  return { status: 200, json: (await store.patchMany(at, body, asked)).json }
}

function written({ json }: { readonly json: string | undefined }): StoreAnswer {
  return { status: 200, etag: json && etagOf(json), json }
}

async function remove({ store, at, id, asked }: StoreCall): Promise<StoreAnswer> {
  await store.delete(at, id as Id, asked)
  return { status: 204 }
}

function changeLink(link: Link, isRemoved: boolean) {
  return async ({ store, at, id, to, body, asked }: StoreCall): Promise<StoreAnswer> => {
    const problems: Problem[] = []
    const place = isRemoved ? undefined : readPlaceOfLink(link, body, problems)
    if (problems.length > 0) throw new CrudError(invalid(problems))
    await store.changeLink(at, id as Id, { link, to: to as Id, isRemoved, place }, asked)
    return { status: 204 }
  }
}

async function restore({ store, at, id, asked }: StoreCall): Promise<StoreAnswer> {
  return written(await store.restore(at, id as Id, asked))
}

async function purge({ store, at, id, asked }: StoreCall): Promise<StoreAnswer> {
  await store.purge(at, id as Id, asked)
  return { status: 204 }
}
