import type { TestApp } from '../../support/app.ts'
import type { JsonBody } from '../../support/json-body.ts'
import type { Request } from '../../support/servers.ts'
import { moving } from '../models.ts'
import type { Pair } from './pair.ts'

/** Two boards, `a` and `b`, each with a list of items, of which the first has a part. */
async function addBoards(service: TestApp) {
  const add = async (name: string) => {
    const items = [{ name: `${name}1`, parts: [{ name: `${name}p` }] }, { name: `${name}2` }]
    const lists = [{ name: `${name}list`, items }]
    const board = await service.add('/api/board', { name, lists })
    const [list] = board.lists
    const path = `/api/board/${board.id}`
    return { board, list, items: list.items as JsonBody[], path, listPath: `${path}/list/${list.id}` }
  }
  return { a: await add('a'), b: await add('b') }
}

type Boards = Awaited<ReturnType<typeof addBoards>>

function ofBoards(title: string, requests: (boards: Boards) => readonly [Request, Request]): Pair {
  return { title, model: moving, prepare: async (service) => requests(await addBoards(service)) }
}

const first = ({ items }: Boards['a']): JsonBody => items[0] as JsonBody
const second = ({ items }: Boards['a']): JsonBody => items[1] as JsonBody
/** A move by the path below the owners. */
const move = (from: Boards['a'], to: Boards['b'], more: object = {}): Request => [
  'PATCH',
  `${from.listPath}/item/${first(from).id}`,
  { listId: to.list.id, ...more },
]
/** A move at the top. */
const moveAtTop = ({ id }: JsonBody, { list }: Boards['a']): Request => [
  'PATCH',
  `/api/item/${id}`,
  { listId: list.id },
]

const ofOneRecord: readonly Pair[] = [
  ofBoards('two moves of one record by its path', ({ a, b }) => [move(a, b), ['PUT', ...elsewhere(a, b)]]),
  ofBoards('two moves of one record at the top', ({ a, b }) => [
    moveAtTop(first(a), b),
    ['PATCH', `/api/item/${first(a).id}`, { name: 'stays', listId: a.list.id }],
  ]),
  ofBoards('a move and a DELETE of the record', ({ a, b }) => [move(a, b), ['DELETE', `/api/item/${first(a).id}`]]),
  ofBoards('a move and a POST below the record, where it was', ({ a, b }) => [
    move(a, b),
    ['POST', `${a.listPath}/item/${first(a).id}/part`, { name: 'new' }],
  ]),
  ofBoards('a move and a PATCH of the record at the top', ({ a, b }) => [
    move(a, b),
    ['PATCH', `/api/item/${first(a).id}`, { parts: [{ name: 'new' }] }],
  ]),
  ofBoards('moves of many records and of one of them', ({ a, b }) => [
    ['PATCH', '/api/item', [...a.items.map(({ id }) => ({ id, listId: b.list.id }))]],
    moveAtTop(second(a), b),
  ]),
  ofBoards('two moves in opposite directions', ({ a, b }) => [move(a, b), move(b, a)]),
  ofBoards('two swaps of the same records', ({ a, b }) => [swap(a, b), swap(b, a)]),
]

function elsewhere(from: Boards['a'], to: Boards['b']): [string, JsonBody] {
  const { id, name } = first(from)
  return [`${from.listPath}/item/${id}`, { name: `${name} moved`, listId: to.list.id, parts: [] }]
}

function swap(one: Boards['a'], other: Boards['a']): Request {
  const bodies = [
    { id: first(one).id, listId: other.list.id },
    { id: first(other).id, listId: one.list.id },
  ]
  return ['PATCH', '/api/item', bodies]
}

const withOwners: readonly Pair[] = [
  ofBoards('a move and a DELETE of the topmost owner that is left', ({ a, b }) => [move(a, b), ['DELETE', a.path]]),
  ofBoards('a move and a DELETE of the topmost owner that it goes to', ({ a, b }) => [move(a, b), ['DELETE', b.path]]),
  ofBoards('a move at the top and a DELETE of the list that is left', ({ a, b }) => [
    moveAtTop(first(a), b),
    ['DELETE', a.listPath],
  ]),
  ofBoards('a move at the top and a DELETE of the list that it goes to', ({ a, b }) => [
    moveAtTop(first(a), b),
    ['DELETE', b.listPath],
  ]),
  ofBoards('a move and a PUT of the array that is left, without the record', ({ a, b }) => [
    move(a, b),
    ['PUT', a.listPath, { name: 'put', items: [{ id: second(a).id, name: 'kept' }, { name: 'new' }] }],
  ]),
  ofBoards('a move and a PUT of the array that is left, with the record', ({ a, b }) => [
    move(a, b),
    ['PUT', a.listPath, { name: 'put', items: [second(a), first(a)] }],
  ]),
  ofBoards('a move and a PUT of the array that it goes to', ({ a, b }) => [
    move(a, b),
    ['PUT', b.listPath, { name: 'put', items: [second(b), { name: 'new' }] }],
  ]),
  ofBoards('a move and a PUT of the topmost owner that it goes to', ({ a, b }) => [
    moveAtTop(first(a), b),
    ['PUT', b.path, { name: 'put', lists: [{ id: b.list.id, name: 'kept', items: [first(b)] }, { name: 'new' }] }],
  ]),
  ofBoards('a move and a PATCH that takes the record away', ({ a, b }) => [
    move(a, b),
    ['PATCH', a.listPath, { items: [{ id: first(a).id, $remove: true }] }],
  ]),
  ofBoards('a move to a place and a DELETE of the record at that place', ({ a, b }) => [
    move(a, b, { $before: second(b).id }),
    ['DELETE', `${b.listPath}/item/${second(b).id}`],
  ]),
  ofBoards('a move to a place and a change of the order there', ({ a, b }) => [
    move(a, b, { $before: first(b).id }),
    ['PATCH', `${b.listPath}/item/${second(b).id}`, { $before: first(b).id }],
  ]),
]

const ofOwners: readonly Pair[] = [
  ofBoards('a move into a list and a move of the list', ({ a, b }) => [
    move(a, b),
    ['PATCH', b.listPath, { boardId: a.board.id }],
  ]),
  ofBoards('a move out of a list and a move of the list', ({ a, b }) => [
    move(a, b),
    ['PATCH', `/api/list/${a.list.id}`, { boardId: b.board.id }],
  ]),
  ofBoards('a move of a list and a PATCH deep in it, by the path where it was', ({ a, b }) => [
    ['PATCH', a.listPath, { boardId: b.board.id }],
    ['PATCH', `${a.listPath}/item/${first(a).id}`, { name: 'x', parts: [{ name: 'new' }] }],
  ]),
  ofBoards('a move of a list and a DELETE of the board that it leaves', ({ a, b }) => [
    ['PATCH', `/api/list/${a.list.id}`, { boardId: b.board.id }],
    ['DELETE', a.path],
  ]),
  ofBoards('two moves of lists in opposite directions', ({ a, b }) => [
    ['PATCH', a.listPath, { boardId: b.board.id }],
    ['PATCH', b.listPath, { boardId: a.board.id }],
  ]),
]

interface Covers {
  readonly a: JsonBody
  readonly b: JsonBody
  readonly list: JsonBody
}

function ofCovers(title: string, requests: (boards: Covers) => readonly [Request, Request]): Pair {
  return {
    title,
    model: moving,
    async prepare(service) {
      const a = await service.add('/api/board', { name: 'a', cover: { name: 'acover' } })
      const b = await service.add('/api/board', { name: 'b', cover: { name: 'bcover' } })
      const { lists } = await service.add('/api/board', { name: 'c', lists: [{ name: 'clist' }] })
      return requests({ a, b, list: lists[0] })
    },
  }
}

const ofOnes: readonly Pair[] = [
  ofCovers('two moves to where one has its place', ({ a, b, list }) => [
    ['PATCH', `/api/cover/${a.cover.id}`, { boardId: null, listId: list.id }],
    ['PATCH', `/api/cover/${b.cover.id}`, { boardId: null, listId: list.id }],
  ]),
  ofCovers('a move to where one has its place and a PATCH that makes one', ({ a, list }) => [
    ['PATCH', `/api/cover/${a.cover.id}`, { boardId: null, listId: list.id }],
    ['PATCH', `/api/list/${list.id}`, { cover: { name: 'new' } }],
  ]),
  ofCovers('a move away from the one place and a move to it', ({ a, b, list }) => [
    ['PATCH', `/api/cover/${a.cover.id}`, { boardId: null, listId: list.id }],
    ['PATCH', `/api/cover/${b.cover.id}`, { boardId: a.id }],
  ]),
  ofCovers('two swaps of their places', ({ a, b }) => {
    const swapped = [
      { id: a.cover.id, boardId: b.id },
      { id: b.cover.id, boardId: a.id },
    ]
    return [
      ['PATCH', '/api/cover', swapped],
      ['PATCH', '/api/cover', swapped.toReversed()],
    ]
  }),
]

interface Folders {
  /** `x` with `xx` in it, and `xxx` in that. */
  readonly x: readonly [number, number, number]
  readonly y: readonly [number, number, number]
}

function ofFolders(title: string, requests: (folders: Folders) => readonly [Request, Request]): Pair {
  return {
    title,
    model: moving,
    async prepare(service) {
      const add = async (name: string) => {
        const deep = { name: name + name, folders: [{ name: name + name + name }] }
        const root = await service.add('/api/folder', { name, folders: [deep] })
        const [middle] = root.folders
        return [root.id, middle.id, middle.folders[0].id] as const
      }
      return requests({ x: await add('x'), y: await add('y') })
    },
  }
}

const moveFolder = (id: number, parentId: number | null): Request => ['PATCH', `/api/folder/${id}`, { parentId }]

const inTrees: readonly Pair[] = [
  ofFolders('two moves that would close a circle', ({ x, y }) => [moveFolder(x[0], y[2]), moveFolder(y[0], x[2])]),
  ofFolders('two moves that would close a circle below a root', ({ x, y }) => [
    moveFolder(x[1], y[1]),
    moveFolder(y[1], x[1]),
  ]),
  ofFolders('a move into a tree and a DELETE of its root', ({ x, y }) => [
    moveFolder(x[0], y[2]),
    ['DELETE', `/api/folder/${y[0]}`],
  ]),
  ofFolders('a move that makes a root and a DELETE of the root above', ({ x }) => [
    moveFolder(x[1], null),
    ['DELETE', `/api/folder/${x[0]}`],
  ]),
  ofFolders('a move that makes a root and a move of the root above', ({ x, y }) => [
    moveFolder(x[2], null),
    moveFolder(x[0], y[0]),
  ]),
  ofFolders('a move of a folder and a POST deep in it', ({ x, y }) => [
    moveFolder(x[1], y[1]),
    ['POST', `/api/folder/${x[2]}/folder`, { name: 'new', folders: [{ name: 'newer' }] }],
  ]),
]

export const movePairs: readonly Pair[] = [...ofOneRecord, ...withOwners, ...ofOwners, ...ofOnes, ...inTrees]
