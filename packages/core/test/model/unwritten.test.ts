import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { defineResources, knows, ModelError, neededBy, needs, ownedBy, owns } from '../../src/index.ts'

/** What is wrong with a model, by its place. */
function problemsOf(descriptors: object): Readonly<Record<string, string>> {
  try {
    defineResources(descriptors as Record<string, never>)
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    return Object.fromEntries(error.problems.map(({ place, message }) => [place, message]))
  }
  return {}
}

test('`writable` is false, or left out', () => {
  for (const writable of [true, null, 0, 'no']) {
    expect(problemsOf({ a: { writable } })).toEqual({ 'a.writable': 'must be false, or be left out' })
  }
  expect(problemsOf({ a: { writable: false } })).toEqual({})
  expect(problemsOf({ a: { writable: undefined } })).toEqual({})
})

test('records that nobody writes may need and know others, and be needed and known', () => {
  const view = { writable: false, relations: { a: needs.one('a'), b: knows.one('a'), users: neededBy.many('user') } }
  const user = { relations: { view: needs.one('view'), other: knows.one('view'), views: knows.many('view') } }
  expect(problemsOf({ a: { relations: { views: neededBy.many('view') } }, view, user })).toEqual({})
})

test('they own records, and are owned, where nobody writes these either', () => {
  const owned = { relations: { owner: ownedBy('owner') } }
  const owner = { relations: { owned: owns.many('owned') } }
  const readOwner = { ...owner, writable: false }
  const readOwned = { ...owned, writable: false }
  expect(problemsOf({ owner: readOwner, owned: readOwned })).toEqual({})
  const place = 'owner.relations.owned'
  const why = 'records are written together with what they own, and'
  expect(problemsOf({ owner: readOwner, owned })).toEqual({ [place]: `${why} 'owner' has writable: false` })
  expect(problemsOf({ owner, owned: readOwned })).toEqual({ [place]: `${why} 'owned' has writable: false` })
})

test('they have no links of their own, and no condition for writes', () => {
  const view = { writable: false, relations: { as: knows.many('a'), bs: needs.many('a') }, ifMatch: 'required' }
  const never = 'no request changes a view, which has writable: false'
  const ofLinks = `the rows of a link table are written with the record, but ${never}`
  expect(problemsOf({ a: {}, view })).toEqual({
    'view.relations.as': ofLinks,
    'view.relations.bs': ofLinks,
    'view.ifMatch': `has no effect: ${never}`,
  })
})

test('they are there, so foreign keys among them may form a circle', () => {
  const one = { writable: false, relations: { other: needs.one('other') } }
  const other = { writable: false, relations: { one: needs.one('one') } }
  expect(problemsOf({ one, other })).toEqual({})
  const third = { relations: { one: needs.one('one') } }
  expect(problemsOf({ one: { writable: false, relations: { third: needs.one('third') } }, third })).toEqual({})
})

test('an id of several parts is still nothing that their foreign keys can name', () => {
  const pair = { id: ['x', 'y'], fields: { x: Type.Integer(), y: Type.Integer() } }
  const view = { writable: false, relations: { pair: needs.one('pair') } }
  expect(problemsOf({ pair, view })['pair.id']).toMatch(/^cannot be what view\.pair names/)
})

test('`id: false` says that nobody writes them, with or without `writable: false`', () => {
  const log = { id: false, fields: { text: Type.String() } }
  expect(problemsOf({ log })).toEqual({})
  expect(problemsOf({ log: { ...log, writable: false } })).toEqual({})
  expect(problemsOf({ log: { ...log, writable: true } })).toEqual({ 'log.writable': 'must be false, or be left out' })
  expect(problemsOf({ log: { ...log, ifMatch: 'required' } })).toEqual({
    'log.ifMatch': 'has no effect: no request changes a log, which has id: false',
  })
  expect(problemsOf({ log: { ...log, columns: { id: 'nr' } } })['log.columns.id']).toMatch(/^no field or foreign key/)
})

test('records without ids need and know others, and nothing names, owns or is owned by them', () => {
  const log = { id: false, relations: { a: needs.one('a'), b: knows.one('a') } }
  expect(problemsOf({ a: { relations: { logs: neededBy.many('log') } }, log })).toEqual({})
  const named = 'no record can name a log, which has id: false'
  const relations = { one: knows.one('log'), needed: needs.one('log'), links: knows.many('log') }
  expect(problemsOf({ a: {}, log, user: { relations } })).toEqual({
    'user.relations.one': named,
    'user.relations.needed': named,
    'user.relations.links': named,
  })
  const alone = 'records with id: false own nothing, and are owned by nothing'
  const part = { writable: false, relations: { whole: ownedBy('whole') } }
  const whole = { writable: false, relations: { parts: owns.many('part') } }
  expect(problemsOf({ whole, part: { ...part, id: false } })).toEqual({ 'part.relations.whole': alone })
  expect(problemsOf({ whole: { ...whole, id: false }, part })).toEqual({ 'whole.relations.parts': alone })
})
