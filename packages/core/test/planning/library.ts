import { defineResources, knows, needs, type Outcome, ownedBy, owns, type Plan, type Step } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { expect } from 'vitest'

/** A model with every relation kind around one resource. */
export const library = defineResources({
  publisher: { fields: { name: Type.String() } },
  author: { fields: { name: Type.String() } },
  tag: { fields: { name: Type.String() } },
  book: {
    fields: {
      title: Type.String({ minLength: 1 }),
      pages: Type.Optional(Type.Integer()),
      language: Type.String({ default: 'en' }),
    },
    relations: {
      publisher: needs.one('publisher'),
      authors: needs.many('author'),
      cover: owns.one('cover'),
      chapters: owns.many('chapter'),
      favourite: knows.one('chapter'),
      tags: knows.many('tag'),
    },
    unique: [['title']],
  },
  cover: { fields: { url: Type.String() }, relations: { book: ownedBy('book') } },
  chapter: {
    fields: { title: Type.String(), number: Type.Integer(), code: Type.Optional(Type.String()) },
    relations: { book: ownedBy('book'), notes: owns.many('note') },
    unique: [
      ['book', 'number'],
      ['book', 'code'],
    ],
  },
  note: { fields: { text: Type.String() }, relations: { chapter: ownedBy('chapter'), about: needs.one('author') } },
})

/** A book as reading it shows it. */
export const book = {
  id: 1,
  title: 'Plans',
  pages: null,
  language: 'en',
  publisherId: 3,
  publisher: { id: 3, name: 'P' },
  authors: [
    { id: 5, name: 'A' },
    { id: 6, name: 'B' },
  ],
  cover: { id: 8, url: 'u' },
  chapters: [
    {
      id: 10,
      title: 'One',
      number: 1,
      code: 'a',
      notes: [{ id: 20, text: 'n', aboutId: 5, about: { id: 5, name: 'A' } }],
    },
    { id: 11, title: 'Two', number: 2, code: 'b', notes: [] },
    { id: 12, title: 'Three', number: 3, code: 'c', notes: [] },
  ],
  favouriteId: 10,
  favourite: { id: 10, title: 'One', number: 1, code: 'a' },
  tags: [{ id: 30, name: 'x' }],
}

/** The plan of an outcome that must not be a refusal. */
export function planOf(outcome: Outcome): Plan {
  if ('refusal' in outcome) expect.unreachable(JSON.stringify(outcome.refusal))
  return (outcome as { plan: Plan }).plan
}

/** A plan in a few lines: what is done to what, in order. */
export function inLines(outcome: Outcome): string[] {
  return planOf(outcome).steps.map(inLine)
}

function inLine(step: Step): string {
  switch (step.step) {
    case 'insert':
      return `insert ${step.resource} ${step.rows.map((row) => `${JSON.stringify(row.id)} ${JSON.stringify(row.values)}`).join('; ')}`
    case 'park':
    case 'update':
      return `${step.step} ${step.resource} ${step.rows.map((row) => `${row.id} ${JSON.stringify(row.values)}`).join('; ')}`
    case 'swap': {
      const [rows, parked] = [step.rows, step.parked].map((some) =>
        some.map((row) => `${row.id} ${JSON.stringify(row.values)}`).join('; '),
      )
      return `swap ${step.resource} ${rows}, parked ${parked}`
    }
    case 'delete':
    case 'stamp':
    case 'restore':
      return `${step.step} ${step.resource} ${step.ids}`
    case 'link':
      return `link ${step.relation.resource}.${step.relation.relation} ${step.pairs.map((pair) => `${JSON.stringify(pair.from)}-${pair.to}`).join('; ')}`
    case 'unlink':
      return `unlink ${step.relation.resource}.${step.relation.relation} ${step.pairs.map((pair) => pair.join('-')).join('; ')}`
    case 'unlinkAll':
      return `unlinkAll ${step.relation.resource}.${step.relation.relation} ${step.side} ${step.ids}`
    case 'number':
      return `number ${JSON.stringify('resource' in step ? step.resource : step.relation)} ${JSON.stringify(step.rows)}`
    case 'clear':
    case 'release':
      return `${step.step} ${step.relation.resource}.${step.relation.relation} ${step.ids}`
  }
}
