import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { type AnyKysely, crudPlugin, defineResources, type PolicyRule, type Rule } from 'fastify-crud'
import { expectTypeOf, test } from 'vitest'

const resources = defineResources({
  order: { fields: { orgId: Type.Integer(), status: Type.String(), number: Type.String() } },
  invoice: { fields: { orgId: Type.Integer(), status: Type.String() } },
  product: { fields: { orgId: Type.Integer(), title: Type.String() } },
})

interface Caller {
  org: number
  name: string
}

const ofMyOrg: PolicyRule<typeof resources, 'order' | 'invoice' | 'product', Caller> = ({ eb, my }) =>
  eb('orgId', '=', my('org'))

/** A rule for resources of any model. */
function closedWhen(field: string, value: string): Rule {
  return {
    validate({ before, refuse }) {
      if (before?.[field] === value) refuse(`a record that is ${value} cannot be changed`)
    },
  }
}

test('one policy, and a rule that a function makes, are those of several resources without a cast', () => {
  expectTypeOf(register).toBeFunction()
})

// The compiler checks it; it is never called.
async function register(db: AnyKysely) {
  const app = Fastify()
  await app.register(crudPlugin, {
    db,
    resources,
    caller: (): Caller => ({ org: 1, name: 'Ada' }),
    policies: { order: ofMyOrg, invoice: { View: ofMyOrg, Edit: ofMyOrg }, product: { member: ofMyOrg } },
    rules: {
      order: [
        closedWhen('status', 'paid'),
        { validate: ({ after }) => expectTypeOf(after?.number).toExtend<string | undefined>() },
      ],
      invoice: closedWhen('status', 'sent'),
    },
  })
  return [
    // @ts-expect-error none of them has such a column
    (({ eb }) => eb('state', '=', 'x')) satisfies PolicyRule<typeof resources, 'order' | 'product', Caller>,
    // @ts-expect-error callers have no shop
    (({ eb, my }) => eb('orgId', '=', my('shop'))) satisfies PolicyRule<typeof resources, 'order' | 'invoice', Caller>,
  ]
}
