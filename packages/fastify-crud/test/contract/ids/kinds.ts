import { Type } from '@sinclair/typebox'
import { defineResources, type IdDeclaration, knows, type Model, needs, ownedBy, owns } from 'fastify-crud'
import { isLong } from '../../../../../test/support/is-long.ts'

/** A way in which a resource has ids. */
export interface Kind {
  readonly title: string
  readonly id: IdDeclaration
  /** An id for a new record, where the client gives them. */
  readonly next: (() => string | number) | undefined
  /** An id that a client may choose, and that no record has. */
  readonly free: string | number
}

const FREE_UUID = '0190163d-8694-739b-aea5-966c26f8ad91'

/** Letters of other scripts, quotes, signs that SQL, URLs and patterns give a meaning. */
const texts = () => counted((n) => `k${n} ü'"%?#_;&=+日本 x`)

const EVERY_DAY: ReadonlySet<string> = new Set([
  'bigint',
  'uuid',
  'uuid without hyphens',
  'text of a function',
  'text of the client',
  'integer of the client',
])

/** The kinds that differ most from each other and from integers; `test:long` takes all. */
export function chosenKinds(): readonly Kind[] {
  return allKinds().filter(({ title }) => isLong || EVERY_DAY.has(title))
}

/** Makes functions of their own for each caller, as they count. */
export function allKinds(): readonly Kind[] {
  return [
    { title: 'integer', id: 'integer', next: undefined, free: 77 },
    { title: 'bigint', id: 'bigint', next: undefined, free: '9007199254740999' },
    { title: 'uuid', id: 'uuid', next: undefined, free: FREE_UUID },
    { title: 'uuid in lower case', id: { kind: 'uuid', stored: 'lower' }, next: undefined, free: FREE_UUID },
    { title: 'uuid in upper case', id: { kind: 'uuid', stored: 'upper' }, next: undefined, free: FREE_UUID },
    { title: 'uuid without hyphens', id: { kind: 'uuid', stored: 'hex' }, next: undefined, free: FREE_UUID },
    { title: 'uuid of the database', id: { kind: 'uuid', assign: 'database' }, next: undefined, free: FREE_UUID },
    {
      title: 'uuid of the database, without hyphens',
      id: { kind: 'uuid', assign: 'database', stored: 'hex' },
      next: undefined,
      free: FREE_UUID,
    },
    {
      title: 'text of a function',
      id: { kind: 'text', assign: counted((n) => `a${n}`) },
      next: undefined,
      free: 'z é',
    },
    { title: 'text of the client', id: 'text', next: texts(), free: 'z é' },
    { title: 'integer of the client', id: { kind: 'integer', assign: 'client' }, next: counted((n) => n), free: 7777 },
    {
      title: 'bigint of the client',
      id: { kind: 'bigint', assign: 'client' },
      next: counted((n) => String(9007199254740993n + BigInt(n))),
      free: '77',
    },
    {
      title: 'uuid of the client',
      id: { kind: 'uuid', assign: 'client' },
      next: counted((n) => `${FREE_UUID.slice(0, -6)}${String(n).padStart(6, '0')}`),
      free: FREE_UUID,
    },
  ]
}

function counted<Made>(make: (n: number) => Made): () => Made {
  let n = 0
  return () => make(++n)
}

/** Every kind of relation, and ids of one kind. */
export function modelOf(id: IdDeclaration) {
  const named = { id, fields: { name: Type.String() } } as const
  return defineResources({
    order: {
      ...named,
      unique: [['name']],
      relations: {
        lines: owns.many('line'),
        cover: owns.one('cover'),
        customer: needs.one('customer', { optional: true }),
        tags: knows.many('tag'),
      },
    },
    line: { ...named, relations: { order: ownedBy('order'), notes: owns.many('note') } },
    note: { ...named, relations: { line: ownedBy('line') } },
    cover: { ...named, relations: { order: ownedBy('order') } },
    customer: named,
    tag: named,
    node: { ...named, relations: { parent: ownedBy('node', { optional: true }), nodes: owns.many('node') } },
  }) as Model
}

/** The path of a record. */
export function at(collection: string, id: string | number): string {
  return `${collection}/${encodeURIComponent(id)}`
}
