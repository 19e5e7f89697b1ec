import fc from 'fast-check'
import { FOUR, idOf, KEYS, KEYS_OF, NINE } from './keys.ts'

/** A request as it is drawn: what it takes from earlier answers is not there yet. */
export interface DrawnRequest {
  /** Of the other tenant, in the one database that has it. */
  readonly isOfOther: boolean
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: unknown
  /** Sends the ETag that was answered last for the path, or one of the other tenant's. */
  readonly match: 'none' | 'own' | 'other' | 'if none'
  /** Goes on behind a page of the same list, of the tenant's own or the other's. */
  readonly after: 'none' | 'own' | 'other'
  /** What a write would like; undefined: nothing. */
  readonly prefer: string | undefined
}

const OWN = KEYS_OF[FOUR] ?? []
/** Mostly one that the tenant has. */
const key = fc.constantFrom(...KEYS, ...OWN, ...OWN, ...OWN)
const idIn = (resource: string) => key.map((one) => idOf(resource, one))
const ref = (resource: string) => fc.record({ id: idIn(resource) })
const refs = (resource: string) => fc.uniqueArray(ref(resource), { maxLength: 3, selector: ({ id }) => id })
const foreignKey = (resource: string) => fc.option(idIn(resource), { freq: 4 })
const READS = ['GET', 'GET', 'GET', 'HEAD']
const WRITES = ['POST', 'POST', 'POST', 'PUT', 'PUT', 'PATCH', 'PATCH', 'PATCH', 'PATCH', 'DELETE']
/** Below an owner, mostly the record that it has at first. */
function nearId(resource: string, below: string | undefined): fc.Arbitrary<string> {
  const any = idIn(resource)
  if (below === undefined || resource === 'folder') return any
  return fc.oneof({ weight: 3, arbitrary: fc.constant(idOf(resource, below)) }, { weight: 1, arbitrary: any })
}

const orgId = fc.constantFrom(FOUR, NINE, idOf('member', 'q'))
const mostly = fc.nat(4).map((number) => number > 0)

const elements = <Element extends { id: string }>(one: fc.Arbitrary<Element>) =>
  fc.uniqueArray(one, { maxLength: 3, selector: ({ id }) => id })

const cover = fc.record({ id: idIn('cover'), url: key })
const newTask = fc.record(
  { id: idIn('task'), title: key, labelId: idIn('label'), helpers: refs('member') },
  { requiredKeys: ['id', 'title', 'labelId'] },
)
const rarely = <Value>(value: fc.Arbitrary<Value>, weight = 1): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight, arbitrary: value })
/** Where an element goes. */
const placeAmong = (resource: string) => rarely(fc.option(idIn(resource), { freq: 3 }))
const withParts = <Part extends object>(one: fc.Arbitrary<{ id: string }>, parts: fc.Arbitrary<Part>) =>
  // A value that is undefined is not in the JSON that is sent.
  fc.tuple(one, parts).map(([first, second]) => ({ ...first, ...second }))
const task = withParts(newTask, fc.record({ $before: placeAmong('task') }))
/** With where it goes, and what it gets more of. */
const movedTask = withParts(
  newTask,
  fc.record({
    $before: placeAmong('task'),
    projectId: rarely(idIn('project'), 4),
    points: rarely(fc.integer({ min: -3, max: 3 }).map((points) => ({ $add: points }))),
  }),
)
/** What is to be taken away; in a POST and a PUT, nothing is. */
const gone = (resource: string) => fc.record({ id: idIn(resource), $remove: fc.constant(true) })
const orGone = <Element extends { id: string }>(resource: string, one: fc.Arbitrary<Element>) =>
  elements(
    fc.oneof({ weight: 7, arbitrary: one as fc.Arbitrary<{ id: string }> }, { weight: 1, arbitrary: gone(resource) }),
  )
const placedRef = withParts(ref('label'), fc.record({ $before: placeAmong('label') }))
const leaf = fc.record({ id: idIn('folder'), name: key })

const bodies: Readonly<Record<string, fc.Arbitrary<object>>> = {
  org: fc.record({ name: key }),
  country: fc.record({ id: key, name: key }),
  member: fc.record({ id: idIn('member'), email: key }),
  label: fc.record({ id: idIn('label'), name: key }),
  project: fc.record(
    {
      id: idIn('project'),
      name: key,
      code: fc.option(key),
      isOpen: fc.boolean(),
      countryId: fc.constantFrom('AT', 'XX', null),
      leadId: foreignKey('member'),
      reviewerId: foreignKey('member'),
      cover: fc.option(cover),
      tasks: orGone('task', task),
      labels: orGone('label', placedRef),
    },
    { requiredKeys: ['id', 'name'] },
  ),
  cover,
  task: movedTask,
  folder: withParts(
    fc.record(
      { id: idIn('folder'), name: key, aboutId: foreignKey('project'), folders: orGone('folder', leaf) },
      { requiredKeys: ['id', 'name'] },
    ),
    fc.record({ parentId: rarely(foreignKey('folder'), 2), $before: placeAmong('folder') }),
  ),
}

/** The collections, each with the resource of its records. */
const collections: fc.Arbitrary<{ readonly resource: string; readonly path: string; readonly below?: string }> =
  fc.oneof(
    { weight: 6, arbitrary: fc.constant({ resource: 'project', path: '/api/project' }) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        ...['member', 'label', 'folder', 'task'].map((one) => ({ resource: one, path: `/api/${one}` })),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...['org', 'country'].map((one) => ({ resource: one, path: `/api/${one}` }))),
    },
    {
      weight: 2,
      arbitrary: key.map((one) => ({
        resource: 'task',
        path: `/api/project/${idOf('project', one)}/task`,
        below: one,
      })),
    },
    {
      weight: 1,
      arbitrary: key.map((one) => ({
        resource: 'cover',
        path: `/api/project/${idOf('project', one)}/cover`,
        below: one,
      })),
    },
    {
      weight: 1,
      arbitrary: key.map((one) => ({
        resource: 'folder',
        path: `/api/folder/${idOf('folder', one)}/folder`,
        below: one,
      })),
    },
  )

const filters = key.chain((one) =>
  fc.constantFrom<object>(
    { name: one },
    { name: { gte: one } },
    { id: { in: [one, 'q'] } },
    { 'lead.email': one },
    { 'reviewer.email': { ne: one } },
    { labels: { some: { name: one } } },
    { labels: { none: { id: one } } },
    { tasks: { some: { title: one } } },
    { tasks: { every: { 'label.name': { ne: one } } } },
    { tasks: { some: { helpers: { some: { email: { icontains: one } } } } } },
    { taskCount: { gte: 1 } },
    { memberCount: { gte: 4 } },
    { leadId: idOf('member', one) },
    { not: { or: [{ code: one }, { 'cover.url': one }] } },
  ),
)

const projectQueries = fc
  .record(
    {
      filter: filters.map((filter) => JSON.stringify(filter)),
      sort: fc.constantFrom('-name', 'lead.email,-id', '-taskCount,name', 'memberCount', '-count(labels)', 'code'),
      search: fc.constantFrom('a', 'b', 'c', 'q', 'a b', 'A x', 'abc', 'b-b'),
      limit: fc.constantFrom('1', '2', '100'),
      fields: fc.constantFrom(
        'name,count(tasks),lead.email',
        'memberCount,labels.name',
        'tasks.title,tasks.helpers.email',
      ),
      include: fc.constantFrom('org', '-tasks', 'tasks.label'),
      count: fc.constantFrom('none', '1', '100'),
      'nested[tasks][sort]': fc.constantFrom('-title', 'label.name'),
      'nested[labels][filter]': fc.constantFrom('{"name":"a"}', '{"name":{"gte":"b"}}'),
    },
    { requiredKeys: [] },
  )
  .map((query) => {
    // `fields` chooses all that there is.
    const { fields, include, ...others } = query
    const chosen = fields === undefined ? { include } : { fields }
    return Object.entries({ ...others, ...chosen }).filter((pair): pair is [string, string] => pair[1] !== undefined)
  })

const otherQueries = fc.constantFrom<[string, string][]>(
  [],
  [['limit', '1']],
  [
    ['sort', '-id'],
    ['limit', '2'],
  ],
  [['filter', JSON.stringify({ name: 'a' })]],
  [['filter', JSON.stringify({ email: { in: ['a', 'x'] } })]],
)

const NOTHING_BESIDE = {
  isOfOther: false,
  query: '',
  body: undefined,
  match: 'none',
  after: 'none',
  prefer: undefined,
} as const

/** In the place of the id, or the moment, of a write: the newest but so many of the record's history. */
export const NTH_WRITE = /~(\d)~/

/** The histories of records, records as they were, and writes that are undone. */
const ofHistories: fc.Arbitrary<DrawnRequest> = fc
  .tuple(
    fc.constantFrom('project', 'project', 'project', 'member', 'label', 'folder', 'task'),
    fc.constantFrom('history', 'entry', 'at', 'at', 'undo', 'undo', 'preview'),
    fc.nat(4),
    fc.constantFrom('', 'limit=1', 'filter[operation]=patch,undo', 'filter[at][gte]=1960-01-01T00:00:00Z'),
  )
  .chain(([resource, kind, nth, query]) =>
    fc.record({ id: idIn(resource), isOwn: mostly }).map(({ id, isOwn }): DrawnRequest => {
      const path = `/api/${resource}/${id}`
      const common = { ...NOTHING_BESIDE, isOfOther: !isOwn, method: 'GET', query: '' }
      const entry = `${path}/$history/~${nth}~`
      const undo = { ...common, method: 'POST', path: `${entry}/$undo` }
      switch (kind) {
        case 'history':
          return { ...common, path: `${path}/$history`, query }
        case 'entry':
          return { ...common, path: entry }
        case 'at':
          return { ...common, path, query: `at=~${nth}~` }
        case 'undo':
          return undo
        default:
          return { ...undo, prefer: 'return=effects, tx=rollback' }
      }
    }),
  )

/** Actions, long queries, and the trash: its newest are not those of the same moment in both. */
const others: fc.Arbitrary<DrawnRequest> = fc
  .oneof(
    fc.record({
      method: fc.constant('POST'),
      path: idIn('project').map((id) => `/api/project/${id}/$act/close`),
      body: fc.constantFrom({}, { code: 'a' }, { code: 'q' }),
    }),
    fc.constant({ method: 'POST', path: '/api/project/$act/tally' }),
    fc.record({
      method: fc.constant('POST'),
      path: idIn('task').map((id) => `/api/task/${id}/$act/take`),
      body: fc.record({ projectId: idIn('project'), points: fc.integer({ min: -3, max: 3 }) }),
    }),
    fc.record({
      method: fc.constant('POST'),
      path: fc.constantFrom('/api/project/$list', '/api/folder/$list', '/api/member/$list'),
      body: fc.constantFrom({}, { limit: 2, sort: ['-id'] }, { offset: 1, count: 'none' }),
    }),
    fc.constant({ method: 'GET', path: '/api/folder/$deleted', query: 'sort=id' }),
    fc.record({
      method: fc.constantFrom('GET', 'DELETE'),
      path: idIn('folder').map((id) => `/api/folder/$deleted/${id}`),
    }),
    fc.record({ method: fc.constant('POST'), path: idIn('folder').map((id) => `/api/folder/${id}/$restore`) }),
    fc.record({ method: fc.constant('DELETE'), path: idIn('folder').map((id) => `/api/folder/${id}`) }),
  )
  .chain((request) => mostly.map((isOwn) => ({ ...NOTHING_BESIDE, ...request, isOfOther: !isOwn })))

const ofCollections: fc.Arbitrary<DrawnRequest> = collections.chain(({ resource, path, below }) => {
  const queries = resource === 'project' ? projectQueries : otherQueries
  return fc
    .record({
      isOfOther: fc.nat(5).map((number) => number === 0),
      method: fc.constantFrom(...READS, ...WRITES),
      isOfRecord: mostly,
      id: resource === 'org' ? orgId : resource === 'country' ? fc.constantFrom('AT', 'XX') : nearId(resource, below),
      pairs: queries,
      body: bodies[resource] as fc.Arbitrary<object>,
      keepsId: fc.nat(5).map((number) => number === 0),
      fresh: fc.option(fc.constantFrom('x', 'y', 'q', 'r', 's'), { freq: 2 }),
      match: fc.constantFrom<DrawnRequest['match']>(
        ...(['none', 'none', 'none', 'none', 'own', 'own', 'other', 'if none'] as const),
      ),
      after: fc.constantFrom<DrawnRequest['after']>('none', 'none', 'own', 'other'),
      prefer: fc.constantFrom(undefined, undefined, 'return=effects', 'return=effects, tx=rollback'),
    })
    .map(({ isOfOther, method, isOfRecord, id, pairs, body, keepsId, fresh, match, after, prefer }) => {
      const isList = method === 'GET' && !isOfRecord
      const atRecord = method === 'POST' ? keepsId && isOfRecord : !isList
      const hasBody = ['POST', 'PUT', 'PATCH'].includes(method)
      const { id: _, ...withoutId } = body as { id?: unknown }
      const sent = method === 'POST' && !atRecord ? anew(resource, body, fresh) : keepsId ? { ...body, id } : withoutId
      return {
        isOfOther,
        method,
        path: atRecord ? `${path}/${id}` : path,
        query: isList ? pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&') : '',
        body: hasBody ? sent : undefined,
        match,
        after: isList ? after : 'none',
        prefer: READS.includes(method) ? undefined : prefer,
      }
    })
})

/** Several requests of one kind or another, in one. */
const batches: fc.Arbitrary<DrawnRequest> = fc
  .record({
    requests: fc.array(ofCollections, { minLength: 1, maxLength: 2 }),
    isOwn: mostly,
    prefer: fc.constantFrom(undefined, undefined, 'return=effects', 'return=effects, tx=rollback'),
  })
  .map(({ requests, isOwn, prefer }) => {
    const inner = requests.map(({ method, path, query, body }) => ({
      method: method.replace('HEAD', 'GET'),
      path: `${path.slice('/api'.length)}${query === '' ? '' : `?${query}`}`,
      body,
    }))
    const body = { requests: inner }
    return { ...NOTHING_BESIDE, isOfOther: !isOwn, method: 'POST', path: '/api/$batch', body, prefer }
  })

export const drawnRequest: fc.Arbitrary<DrawnRequest> = fc.oneof(
  { weight: 5, arbitrary: ofCollections },
  { weight: 1, arbitrary: batches },
  { weight: 1, arbitrary: others },
  { weight: 1, arbitrary: ofHistories },
)

/** A new record with an id that the tenant does not have, and the other one may have; so with its unique value. */
function anew(resource: string, body: object, key: string | null): object {
  if (key === null) return body
  const unique = ['name', 'email', 'title'].filter((name) => name in body).map((name) => [name, key])
  return { ...body, ...Object.fromEntries(unique), id: idOf(resource, key) }
}
