import { Type } from '@sinclair/typebox'
import { createStore, defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import type { TestKysely } from '../../../../../test/support/tables.ts'
import type { Policies } from '../support/as-caller.ts'

const text = Type.String()
const number = Type.Integer()

/** Organisations that share tables, and must not see each other's rows. */
export const offices = defineResources({
  org: { fields: { name: text } },
  customer: { fields: { name: text, orgId: number, code: Type.Optional(text) }, unique: [['code']] },
  project: { fields: { name: text, orgId: number } },
  tag: { fields: { name: text, orgId: number } },
  invoice: {
    fields: { number: text, orgId: number },
    relations: {
      customer: needs.one('customer'),
      project: knows.one('project'),
      tags: knows.many('tag'),
      lines: owns.many('line'),
      seal: owns.one('seal'),
      notes: owns.many('note'),
    },
  },
  line: { fields: { text }, relations: { invoice: ownedBy('invoice'), parts: owns.many('part') } },
  part: { fields: { text }, relations: { line: ownedBy('line') } },
  seal: { fields: { text, signerId: number }, relations: { invoice: ownedBy('invoice') } },
  note: {
    fields: { text, authorId: number },
    relations: { invoice: ownedBy('invoice'), replies: owns.many('reply') },
    unique: [['invoice', 'text']],
  },
  reply: { fields: { text }, relations: { note: ownedBy('note') } },
  reminder: { fields: { text, orgId: number }, relations: { invoice: needs.one('invoice') } },
  claim: { fields: { text, orgId: number }, relations: { line: needs.one('line'), part: knows.one('part') } },
  board: {
    fields: { name: text, orgId: number },
    relations: { top: knows.one('invoice'), invoices: knows.many('invoice') },
  },
  bundle: { fields: { name: text, orgId: number }, relations: { customers: needs.many('customer') } },
})

const ofOrg: Policies[string] = ({ eb, my }) => eb('orgId', '=', my('org'))

/** Lines, parts and replies have no policy of their own; seals and notes are private. */
export const officePolicies: Policies = {
  org: ({ eb, my }) => eb('id', '=', my('org')),
  customer: ofOrg,
  project: ofOrg,
  tag: ofOrg,
  invoice: ofOrg,
  seal: ({ eb, my }) => eb('signerId', '=', my('id')),
  note: ({ eb, my }) => eb('authorId', '=', my('id')),
  reminder: ofOrg,
  claim: ofOrg,
  board: ofOrg,
  bundle: ofOrg,
}

export type Offices = Awaited<ReturnType<typeof fillOffices>>

/** Fills the tables without policies. Each row that Ada (user 1 of organisation 1) may not see has a zebra in it. */
export async function fillOffices(db: TestKysely) {
  const all = createStore({ db, resources: offices })
  const both = async (resource: 'project' | 'tag') => ({
    ours: await all[resource].create({ name: `our ${resource}`, orgId: 1 }),
    hidden: await all[resource].create({ name: `zebra ${resource}`, orgId: 2 }),
  })
  const customer = {
    ours: await all.customer.create({ name: 'our customer', orgId: 1, code: 'A' }),
    hidden: await all.customer.create({ name: 'zebra customer', orgId: 2, code: 'Z' }),
  }
  const [project, tag] = [await both('project'), await both('tag')]
  const ours = await all.invoice.create({
    number: 'our first',
    orgId: 1,
    customerId: customer.ours.id,
    projectId: project.hidden.id,
    tags: [{ id: tag.ours.id }, { id: tag.hidden.id }],
    lines: [{ text: 'a', parts: [{ text: 'a1' }] }, { text: 'b' }],
    seal: { text: 'zebra seal', signerId: 2 },
    notes: [
      { text: 'mine', authorId: 1, replies: [{ text: 'answer' }] },
      { text: 'zebra note', authorId: 2, replies: [{ text: 'zebra reply' }] },
    ],
  })
  const hidden = await all.invoice.create({
    number: 'zebra invoice',
    orgId: 2,
    customerId: customer.hidden.id,
    lines: [{ text: 'zebra line', parts: [{ text: 'zebra part' }] }],
    seal: { text: 'zebra, though signed by Ada', signerId: 1 },
    notes: [{ text: 'zebra, though written by Ada', authorId: 1, replies: [{ text: 'zebra' }] }],
  })
  const second = await all.invoice.create({
    number: 'our second',
    orgId: 1,
    customerId: customer.ours.id,
    projectId: project.ours.id,
    seal: { text: 'mine', signerId: 1 },
  })
  /** The first invoice as Ada sees it. */
  const shown = { ...ours, project: null, tags: [tag.ours], seal: null, notes: ours.notes.slice(0, 1) }
  return { all, customer, project, tag, invoice: { ours, hidden, second, shown } }
}
