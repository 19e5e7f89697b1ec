import { Type } from '@sinclair/typebox'
import { createStore, defineResources, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { ada, asCaller, caller, type Policies } from './support/as-caller.ts'

const boxes = defineResources({
  box: { fields: { name: Type.String() }, relations: { parts: owns.many('part'), lid: owns.one('lid') } },
  part: { fields: { name: Type.String() }, relations: { box: ownedBy('box'), screws: owns.many('screw') } },
  screw: { fields: { name: Type.String() }, relations: { part: ownedBy('part') } },
  lid: { fields: { name: Type.String() }, relations: { box: ownedBy('box') } },
})

const named: Policies[string] = ({ eb }) => eb('name', '!=', 'x')

for (const [title, policy] of [
  ['all actions', true],
  ['View', { View: true, Add: named, Edit: named, Delete: named }],
  ['Edit', { View: named, Add: named, Edit: true, Delete: named }],
  ['Delete', { View: named, Add: named, Edit: named, Delete: true }],
] as [string, Policies[string]][]) {
  describeOnBoth(`a policy of owned records that is \`true\` for ${title}`, (database) => {
    const policies: Policies = { box: true, part: policy, screw: policy, lid: policy }
    const service = useApp(database, boxes, { plugin: { caller, policies } })
    const client = asCaller(service, ada)

    async function expectDone(
      screws: { name: string }[],
      status: number,
      write: (box: JsonBody) => Promise<{ status: number }>,
    ) {
      const parts = [{ name: 'p', screws }, { name: 'q' }]
      const box = await createStore({ db: service.db, resources: boxes }).box.create({
        name: 'b',
        parts,
        lid: { name: 'l' },
      })
      const answer = await write(box)
      expect(answer.status, JSON.stringify(answer)).toBe(status)
    }

    test.each<[screws: { name: string }[]]>([[[]], [[{ name: 's' }]]])(
      'has all writes done of what the rules allow: %j',
      async (screws) => {
        const at = (box: JsonBody) => `/api/box/${box.id}`
        const part = (box: JsonBody) => `${at(box)}/part/${box.parts[0].id}`
        const done = (status: number, write: (box: JsonBody) => Promise<{ status: number }>) =>
          expectDone(screws, status, write)
        await done(200, (box) => client.put(at(box), { name: 'c', parts: [], lid: null }))
        await done(200, (box) => client.put(at(box), { ...box, parts: box.parts.slice(1) }))
        await done(200, (box) => client.patch(at(box), { lid: null }))
        await done(200, (box) => client.patch(at(box), { lid: { name: 'm' } }))
        await done(200, (box) => client.patch(at(box), { parts: [{ id: box.parts[0].id, name: 'r' }] }))
        await done(200, (box) => client.patch(at(box), { parts: [{ name: 'r', screws: [{ name: 't' }] }] }))
        await done(200, (box) => client.put(part(box), { name: 'r', screws: [] }))
        await done(204, (box) => client.delete(part(box)))
        await done(204, (box) => client.delete(`${at(box)}/lid/${box.lid.id}`))
        await done(204, (box) => client.delete(at(box)))
      },
    )
  })
}
