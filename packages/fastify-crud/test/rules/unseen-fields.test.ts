import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { asCaller, caller } from '../policies/support/as-caller.ts'
import { withRules } from './support/rules.ts'

const hr = { View: ['hr'], Edit: ['hr'] }
const model = defineResources({
  person: {
    fields: { name: Type.String(), salary: Type.Integer({ default: 1, access: hr }) },
    relations: { jobs: owns.many('job') },
  },
  job: {
    fields: { title: Type.String(), pay: Type.Integer({ default: 2, access: hr }) },
    relations: { person: ownedBy('person') },
  },
})

let seen: object[] = []
const note = ({ before, after }: { readonly before: object | null; readonly after: object | null }) => {
  seen.push({ before, after })
}

describeOnBoth('rules see fields that the caller does not see', (database) => {
  const service = useApp(
    database,
    model,
    withRules({ person: { validate: note }, job: { validate: note } }, { caller }),
  )
  let id: number
  let job: number
  beforeEach(async () => {
    const body = { name: 'Ada', salary: 7, jobs: [{ title: 't', pay: 8 }] }
    const person = (await asCaller(service, { roles: ['hr'] }).post('/api/person', body)).body
    id = person.id
    job = (person.jobs as { id: number }[])[0]?.id as number
    seen = []
  })

  test.each(['put', 'patch'] as const)('in a %s, before and after it, in owned records, too', async (method) => {
    const body = { name: 'Bo', jobs: [{ id: job, title: 'u' }] }
    expect(await asCaller(service, { roles: [] })[method](`/api/person/${id}`, body)).toMatchObject({ status: 200 })
    expect(seen).toMatchObject([
      { before: { name: 'Ada', salary: 7 }, after: { name: 'Bo', salary: 7 } },
      { before: { title: 't', pay: 8 }, after: { title: 'u', pay: 8 } },
    ])
  })
})
