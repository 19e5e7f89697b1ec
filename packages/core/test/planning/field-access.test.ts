import { defineResources, knows, type Outcome, ownedBy, owns, type Refusal } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { describe, expect, test } from 'vitest'
import { invalid, type Problem } from '../../src/errors.ts'
import { type FieldRights, fieldRightsOf } from '../../src/model/field-rights.ts'
import { resourceOf } from '../../src/model/model.ts'
import type { BodyOperation } from '../../src/model/operations.ts'
import { readingOf } from '../../src/planning/body/draft.ts'
import { readBody } from '../../src/planning/body/read-body.ts'
import { halfPlan, outcomeOf, ownerOf } from '../../src/planning/public/outcome.ts'
import { type CreateState, changesToCreate } from '../../src/planning/public/plan-create.ts'
import { changesToUpdate, type UpdateState } from '../../src/planning/public/plan-update.ts'
import { planOf } from './library.ts'

const hr = { View: ['hr'], Edit: ['hr'] }
const model = defineResources({
  person: {
    fields: {
      name: Type.String(),
      salary: Type.Integer({ default: 100, access: hr }),
      grade: Type.Optional(Type.String({ access: { Edit: ['hr'] } })),
      note: Type.String({ access: { View: ['hr'] } }),
      number: Type.Integer({ access: hr }),
    },
    relations: { jobs: owns.many('job'), boss: knows.one('person'), friends: knows.many('person') },
  },
  job: {
    fields: { title: Type.String(), code: Type.String({ default: 'new', access: hr }) },
    relations: { person: ownedBy('person') },
    unique: [['title', 'code'], ['code']],
  },
})
const others = fieldRightsOf(new Set(['staff']))
const staffed = fieldRightsOf(new Set(['hr']))

const draftOf = (fieldRights: FieldRights, operation: BodyOperation, key: string, body: object) => {
  const problems: Problem[] = []
  const reading = readingOf(operation, { fieldRights })
  return { draft: readBody(resourceOf(model, key), operation, body, '', problems, reading), problems }
}

function planCreate(rights: FieldRights, key: string, state: CreateState, body: object): Outcome {
  const { draft, problems } = draftOf(rights, 'create', key, body)
  if (problems.length > 0) return { refusal: invalid(problems) }
  const { diff, result } = changesToCreate(draft, ownerOf(draft.resource, state.owner))
  return outcomeOf(halfPlan(diff, [result]), state.facts)
}

function planUpdate(operation: 'replace' | 'patch') {
  return (rights: FieldRights, key: string, { record, facts }: UpdateState, body: object): Outcome => {
    const { draft, problems } = draftOf(rights, operation, key, body)
    if (problems.length > 0) return { refusal: invalid(problems) }
    return outcomeOf(halfPlan(changesToUpdate(draft, record), [record.id]), facts)
  }
}
const [planReplace, planPatch] = [planUpdate('replace'), planUpdate('patch')]

/** As a caller without the role sees it. */
const record = { id: 1, name: 'A', grade: 'g', bossId: null, boss: null, friends: [], jobs: [{ id: 2, title: 't' }] }
const whole = { ...record, salary: 5, note: 'n', number: 7, jobs: [{ id: 2, title: 't', code: 'c' }] }

const noneHeld = (unique: string[], values: object[]) =>
  ({ lookup: 'holders', resource: 'job', unique, values: values as never, found: values.map(() => null) }) as const

function refusalOf(outcome: Outcome): Refusal {
  if ('refusal' in outcome) return outcome.refusal
  throw new Error('expected a refusal, but there is a plan')
}

describe('A field that the caller may neither see nor set', () => {
  test.each([
    ['POST', (of: FieldRights, body: object) => planCreate(of, 'person', {}, body), { name: 'A', note: 'n' }],
    ['PUT', (of: FieldRights, body: object) => planReplace(of, 'person', { record }, body), record],
    ['PATCH', (of: FieldRights, body: object) => planPatch(of, 'person', { record }, body), {}],
  ])('%s with it has the error of any property that does not exist', (_, plan, body) => {
    const problemsOf = (name: string) => refusalOf(plan(others, { ...body, [name]: 1 })).errors
    expect(problemsOf('salary')).toMatchObject([{ pointer: '/salary', message: "person has no property 'salary'" }])
    expect(problemsOf('salery')).toMatchObject([{ pointer: '/salery', message: "person has no property 'salery'" }])
  })

  test('it is suggested to those only who may see or set it', () => {
    const [problem] = refusalOf(planPatch(staffed, 'person', { record: whole }, { salery: 1 })).errors
    expect(problem?.message).toMatch(/did you mean 'salary'\?$/)
  })

  test('it is not there in a nested record or in an element of an association either', () => {
    const nested = planPatch(others, 'person', { record }, { boss: { id: 1, salary: 1 }, bossId: 1 })
    const message = "a related person shows its id and its fields, not 'salary'"
    expect(refusalOf(nested).errors).toMatchObject([{ pointer: '/boss/salary', message }])
    const linked = planPatch(others, 'person', { record }, { friends: [{ id: 1, salary: 1 }] })
    expect(refusalOf(linked).errors).toMatchObject([{ pointer: '/friends/0/salary', message }])
  })

  test('POST inserts its default, or leaves it to the database', () => {
    const { steps } = planOf(planCreate(others, 'person', {}, { name: 'A', note: 'n' }))
    expect(steps).toMatchObject([{ step: 'insert', rows: [{ values: { name: 'A', salary: 100, note: 'n' } }] }])
    const [step] = steps
    expect(step?.step === 'insert' && step.rows[0]?.values).not.toHaveProperty('number')
  })

  test('PUT leaves it as it is, at every depth, and inserts its default in a new record', () => {
    const body = { ...record, name: 'B', jobs: [...record.jobs, { title: 'u' }] }
    const facts = [noneHeld(['title', 'code'], [{ title: 'u', code: 'new' }]), noneHeld(['code'], [{ code: 'new' }])]
    expect(planOf(planReplace(others, 'person', { record, facts }, body)).steps).toMatchObject([
      { step: 'update', rows: [{ id: 1, values: { name: 'B' } }] },
      { step: 'insert', resource: 'job', rows: [{ values: { title: 'u', code: 'new' } }] },
    ])
    expect(planOf(planReplace(others, 'person', { record }, record)).steps).toEqual([])
  })

  test('a unique key with it is refused without its name', () => {
    const facts = [
      { ...noneHeld(['title', 'code'], [{ title: 'u', code: 'new' }]), found: [9] },
      { ...noneHeld(['code'], [{ code: 'new' }]), found: [9] },
    ]
    const owner = { relation: 'person', id: 1 }
    const state = {
      owner,
      facts: [...facts, { lookup: 'existing', resource: 'person', ids: [1], found: [1] }],
    } as const
    expect(refusalOf(planCreate(others, 'job', state, { title: 'u' }))).toMatchObject({
      detail: 'not unique: title; value',
      errors: [
        { pointer: '/title', message: 'another job has this title already' },
        { pointer: '', message: 'another job has this value already' },
      ],
    })
    expect(refusalOf(planCreate(staffed, 'job', state, { title: 'u' })).detail).toBe('not unique: title, code; code')
  })

  test('a unique key with it is left to the database where a PATCH sets the rest of it', () => {
    const plan = planPatch(others, 'person', { record }, { jobs: [{ id: 2, title: 'u' }] })
    expect(planOf(plan).steps).toMatchObject([{ step: 'update', rows: [{ id: 2, values: { title: 'u' } }] }])
  })
})

test('a caller who may only see a field sends it back in a PUT, but does not set it', () => {
  expect(planOf(planReplace(others, 'person', { record }, { ...record, grade: 'x' })).steps).toEqual([])
  expect(refusalOf(planPatch(others, 'person', { record }, { grade: 'x' })).errors).toMatchObject([
    { pointer: '/grade', message: 'is read-only: leave it out' },
  ])
})

test('a caller who may only set a field need not send it back in a PUT', () => {
  expect(planOf(planReplace(others, 'person', { record }, { ...record, note: 'm' })).steps).toMatchObject([
    { step: 'update', rows: [{ id: 1, values: { note: 'm' } }] },
  ])
  expect(refusalOf(planCreate(others, 'person', {}, { name: 'A' })).errors).toMatchObject([
    { pointer: '/note', message: 'is required' },
  ])
})

test('a caller who may see and set a field has it as any other', () => {
  expect(planOf(planReplace(staffed, 'person', { record: whole }, whole)).steps).toEqual([])
  expect(
    planOf(planReplace(staffed, 'person', { record: whole }, { ...whole, salary: undefined })).steps,
  ).toMatchObject([{ step: 'update', rows: [{ id: 1, values: { salary: 100 } }] }])
  expect(refusalOf(planCreate(staffed, 'person', {}, { name: 'A', note: 'n' })).errors).toMatchObject([
    { pointer: '/number', message: 'is required' },
  ])
})
