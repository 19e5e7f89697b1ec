import { set } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import type { TestRules } from './rules.ts'

const text = Type.String()
const time = Type.Optional(Type.String({ format: 'date-time' }))
const number = Type.Optional(Type.Integer())

/** Accounts own entries, and entries own remarks. Rules give values to half of their fields. */
export const ledger = defineResources({
  account: {
    fields: { name: text, slug: Type.Optional(text), orgId: number, openedAt: time, editedBy: number, editedAt: time },
    relations: { entries: owns.many('entry') },
  },
  entry: {
    fields: { text, orgId: number, openedAt: time, editedBy: number },
    relations: { account: ownedBy('account'), remarks: owns.many('remark') },
  },
  remark: { fields: { text, orgId: number, openedAt: time }, relations: { entry: ownedBy('entry') } },
})

/** What a function of `set` gets. */
interface Given {
  readonly row: JsonBody
  readonly caller: JsonBody
  readonly now: JsonBody
}

const org = ({ caller }: Given) => caller.org
const user = ({ caller }: Given) => caller.id
const moment = ({ now }: Given) => new Date(now).toISOString()

export const ledgerRules: TestRules = {
  account: [
    set({ orgId: org, openedAt: moment, slug: ({ row }: Given) => row.name.toLowerCase() }),
    set({ editedBy: user, editedAt: moment }, { on: 'change' }),
  ],
  entry: [set({ orgId: org, openedAt: moment }), set({ editedBy: user }, { on: 'change' })],
  remark: set({ orgId: org, openedAt: moment }),
}
