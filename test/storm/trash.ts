import { Type } from '@sinclair/typebox'
import { defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import type { JsonBody } from '../support/json-body.ts'
import { ids, type Known } from './bodies.ts'
import type { Key } from './history.ts'
import type { Random } from './random.ts'
import type { StormRequest } from './requests.ts'

const softDelete = { column: 'deletedAt', trash: { purge: true } } as const
const name = Type.String()

/** Drawers of papers, which are deleted, brought back and removed for good; loans need papers, and clerks know them. */
const office = defineResources({
  drawer: {
    softDelete,
    fields: { name, label: Type.Optional(Type.String()) },
    relations: { papers: owns.many('paper', { order: 'place' }), clerk: knows.one('clerk') },
    unique: [['label']],
  },
  paper: {
    softDelete,
    topLevel: true,
    fields: { name, number: Type.Optional(Type.Integer()) },
    relations: { drawer: ownedBy('drawer', { moves: true }) },
    unique: [['drawer', 'number']],
  },
  loan: { softDelete, fields: { name }, relations: { paper: needs.one('paper') } },
  clerk: { softDelete, fields: { name }, relations: { pinned: knows.many('paper') } },
})

export const trashDescriptors = office.descriptors

export const IN_TRASH = ['drawer', 'paper', 'loan', 'clerk'] as const

/** Whether a record may come back after a DELETE. */
export function mayComeBack(key: Key): boolean {
  return IN_TRASH.some((resource) => key.startsWith(`${resource}/`))
}

const MOST_DRAWERS = 3
const MOST_PAPERS = 8

interface Office {
  readonly known: Known
  readonly drawer: JsonBody
  readonly papers: readonly JsonBody[]
  readonly paper: JsonBody | undefined
  readonly token: string
}

type Make = (random: Random, office: Office) => StormRequest | undefined

/** A random request to what can be deleted and brought back. */
export function trashRequest(random: Random, known: Known, token: string): StormRequest | undefined {
  if (random.chance(0.45)) return ofDeleted(random, known)
  const drawer = random.pick(known.drawer)
  if (drawer === undefined || (known.drawer.length < MOST_DRAWERS && random.chance(0.3))) {
    const papers = [1, 2].map((number) => ({ name: `${token} p${number}`, number }))
    return post('/api/drawer', 'drawer', { name: token, label: label(random), papers })
  }
  const papers = known.drawer.flatMap((one) => one.papers as JsonBody[])
  const paper = random.pick(papers)
  const make = random.pick<Make>([
    ...[added, added, changed, replaced, taken, deletion, deletion, deletions],
    ...[moved, moved, lent, lent, pinned],
  ])
  return make?.(random, { known, drawer, papers, paper, token })
}

/** Few, so that others have them when a record comes back. */
const label = (random: Random) => random.pick(['left', 'middle', 'right', null])

const added: Make = (random, { drawer, papers, token }) => {
  if (papers.length > MOST_PAPERS) return undefined
  const before = random.pick<JsonBody>(drawer.papers)
  const place = before !== undefined && random.chance(0.5) ? { $before: before.id } : {}
  const body = { name: token, number: random.int(4), ...place }
  return { ...post(`/api/drawer/${drawer.id}/paper`, 'paper', body), target: [`drawer/${drawer.id}`] }
}

const changed: Make = (random, { drawer, paper, token, known }) => {
  if (paper === undefined || random.chance(0.5)) {
    const clerk = random.pick(known.clerk)
    const body = { name: token, label: label(random), ...(clerk !== undefined && { clerkId: clerk.id }) }
    return change('PATCH', 'drawer', drawer, body)
  }
  return change('PATCH', 'paper', paper, { name: token, number: random.int(4) })
}

const replaced: Make = (random, { drawer, token }) => {
  const papers = drawer.papers
    .filter(() => random.chance(0.7))
    .map(({ id, number }: JsonBody) => ({ id, number, name: token }))
  return { ...change('PUT', 'drawer', drawer, { name: token, label: label(random), papers }), removes: true }
}

const taken: Make = (random, { drawer }) => {
  const papers = ids(random.some<JsonBody & { id: string }>(drawer.papers, 2)).map((one) => ({ ...one, $remove: true }))
  return { ...change('PATCH', 'drawer', drawer, { papers }), removes: true }
}

const deletion: Make = (random, { known, drawer, paper }) => {
  const loan = random.pick(known.loan)
  const clerk = random.pick(known.clerk)
  if (loan !== undefined && random.chance(0.5)) return remove(`/api/loan/${loan.id}`, [`loan/${loan.id}`])
  if (clerk !== undefined && random.chance(0.2)) return remove(`/api/clerk/${clerk.id}`, [`clerk/${clerk.id}`])
  if (paper === undefined || random.chance(0.4)) return remove(`/api/drawer/${drawer.id}`, [`drawer/${drawer.id}`])
  return remove(`/api/paper/${paper.id}`, [`paper/${paper.id}`])
}

const deletions: Make = (random, { papers }) => {
  const some = random.some(papers, 3).map(({ id }) => id)
  if (some.length === 0) return undefined
  const filter = encodeURIComponent(JSON.stringify({ id: { in: some } }))
  const headers = { prefer: 'max-affected=100' }
  return {
    ...remove(`/api/paper?filter=${filter}`, []),
    many: some.map((id) => `paper/${id}`),
    resource: 'paper',
    headers,
  }
}

const moved: Make = (_, { drawer, paper }) => {
  return paper && { ...change('PATCH', 'paper', paper, { drawerId: drawer.id }), to: `drawer/${drawer.id}` }
}

const lent: Make = (random, { known, paper, token }) => {
  const loan = random.pick(known.loan)
  if (paper === undefined) return undefined
  if (loan !== undefined && random.chance(0.4)) return change('PATCH', 'loan', loan, { name: token, paperId: paper.id })
  return known.loan.length < 4 ? post('/api/loan', 'loan', { name: token, paperId: paper.id }) : undefined
}

const pinned: Make = (random, { known, papers, token }) => {
  const clerk = random.pick(known.clerk)
  const body = { name: token, pinned: ids(random.some(papers as readonly (JsonBody & { id: string })[], 2)) }
  if (clerk === undefined || known.clerk.length < 2) return post('/api/clerk', 'clerk', body)
  return change('PUT', 'clerk', clerk, body)
}

/** A list of deleted records, or one of them comes back or goes for good. */
function ofDeleted(random: Random, known: Known): StormRequest | undefined {
  const resource = random.pick(['drawer', 'drawer', 'paper', 'paper', 'loan', 'clerk'] as const) ?? 'drawer'
  const { length } = known.deleted[resource]
  if (random.chance(0.15)) return { ...ofPath('GET', `/api/${resource}/$deleted?limit=100`), resource }
  const one = random.pick(known.deleted[resource])
  if (one === undefined) return undefined
  const target = [`${resource}/${one.id}`]
  if (random.chance(length > 4 ? 0.4 : 0.1))
    return { ...remove(`/api/${resource}/$deleted/${one.id}`, target), removes: false }
  const owner = resource === 'paper' && random.chance(0.3) ? (one as JsonBody).drawerId : undefined
  const above = owner === undefined ? '' : `/drawer/${owner}`
  return { ...ofPath('POST', `/api${above}/${resource}/${one.id}/$restore`), target, resource }
}

function ofPath(method: StormRequest['method'], path: string): StormRequest {
  return { method, path, target: [], resource: '', removes: false }
}

function post(path: string, resource: string, body: JsonBody): StormRequest {
  return { ...ofPath('POST', path), resource, body }
}

function change(method: 'PUT' | 'PATCH', resource: string, { id }: { id?: unknown }, body: JsonBody): StormRequest {
  return { ...ofPath(method, `/api/${resource}/${id}`), resource, body, target: [`${resource}/${id}`] }
}

function remove(path: string, target: readonly Key[]): StormRequest {
  return { ...ofPath('DELETE', path), target, removes: true }
}
