import { Type } from '@sinclair/typebox'
import { defineActions, defineResources, knows, ownedBy, owns, type Policies } from 'fastify-crud'
import type { Caller } from './callers.ts'
import type { RowRule, RowRules } from './row-rules.ts'

/** Whom a record belongs to; `shared`: everybody may see it. */
const org = Type.Union([Type.Literal('north'), Type.Literal('south'), Type.Literal('shared')])

/**
 * What people do every day: records that move, arrays that keep their order, numbers to add to, a trash, actions, a history. As in `archive.ts`,
 * all names in the database begin with `zq_`.
 */
export const workshop = defineResources({
  bench: {
    table: 'zq_benches',
    history: true,
    columns: { id: 'zq_bench_no', name: 'zq_bench_name', org: 'zq_bench_org', goneAt: 'zq_bench_gone' },
    softDelete: { column: 'goneAt', trash: true },
    fields: { name: Type.String(), org },
    relations: { tools: owns.many('tool', { order: 'place' }) },
  },
  tool: {
    topLevel: true,
    table: 'zq_tools',
    columns: {
      ...{ id: 'zq_tool_no', name: 'zq_tool_name', org: 'zq_tool_org', goneAt: 'zq_tool_gone' },
      ...{ uses: 'zq_uses', place: 'zq_tool_place', benchId: 'zq_on_bench' },
    },
    softDelete: { column: 'goneAt', trash: { purge: true } },
    fields: { name: Type.String(), org, uses: Type.Integer({ default: 0, minimum: 0, maximum: 1_000 }) },
    relations: { bench: ownedBy('bench', { moves: true }), pegs: owns.many('peg', { order: 'place' }) },
  },
  // What may be done with the tool decides.
  peg: {
    table: 'zq_pegs',
    columns: {
      ...{ id: 'zq_peg_no', text: 'zq_peg_text', goneAt: 'zq_peg_gone', place: 'zq_peg_place', toolId: 'zq_peg_of' },
    },
    softDelete: 'goneAt',
    fields: { text: Type.String() },
    relations: { tool: ownedBy('tool', { moves: true }) },
  },
  kit: {
    table: 'zq_kits',
    history: true,
    columns: { id: 'zq_kit_no', name: 'zq_kit_name', org: 'zq_kit_org' },
    fields: { name: Type.String(), org },
    relations: {
      tools: knows.many('tool', { through: 'zq_kit_tools', from: 'zq_in_kit', to: 'zq_the_tool', order: 'zq_rank' }),
    },
  },
  box: {
    table: 'zq_boxes',
    history: true,
    columns: {
      ...{ id: 'zq_box_no', name: 'zq_box_name', org: 'zq_box_org', goneAt: 'zq_box_gone' },
      ...{ place: 'zq_box_place', parentId: 'zq_in_box' },
    },
    softDelete: { column: 'goneAt', trash: { purge: true } },
    fields: { name: Type.String(), org },
    relations: {
      parent: ownedBy('box', { optional: true, moves: true }),
      boxes: owns.many('box', { order: 'place' }),
    },
  },
})

export const workshopActions = defineActions(workshop, {
  tool: {
    use: {
      asks: 'Edit',
      body: Type.Object({ times: Type.Integer({ minimum: 1, maximum: 3 }) }),
      run: async ({ id, body, store }) => void (await store.tool.patch(id, { uses: { $add: body.times } })),
    },
    lay: {
      asks: 'View',
      body: Type.Object({ benchId: Type.Integer() }),
      async run({ id, body, store, refuse }) {
        const { uses } = await store.tool.find(id)
        if (uses > 3) refuse('a worn tool is not moved')
        await store.tool.patch(id, { benchId: body.benchId, $before: null } as never)
      },
    },
  },
  bench: {
    tidy: {
      on: 'list',
      asks: 'View',
      answer: Type.Integer(),
      run: async ({ store }) => (await store.bench.list()).count,
    },
  },
})

type By = Caller<'north' | 'south'>

/** With which records of the workshop its callers may do what. {@link workshopRules} says the same. */
export const workshopPolicies: Policies<typeof workshop, By> = {
  bench: ({ eb, my }) => eb('zq_bench_org', '=', my('org')),
  tool: {
    member: {
      View: ({ eb, my }) => eb('zq_tool_org', 'in', [my('org'), 'shared']),
      Add: ({ eb, my }) => eb('zq_tool_org', '=', my('org')),
      Edit: ({ eb, my }) => eb('zq_tool_org', '=', my('org')),
    },
    // Who moves a tool deletes it where it was.
    editor: { Delete: ({ eb, my }) => eb('zq_tool_org', '=', my('org')) },
  },
  kit: ({ eb, my }) => eb('zq_kit_org', '=', my('org')),
  box: {
    View: ({ eb, my }) => eb('zq_box_org', 'in', [my('org'), 'shared']),
    Add: ({ eb, my }) => eb('zq_box_org', '=', my('org')),
    Edit: ({ eb, my }) => eb('zq_box_org', '=', my('org')),
    Delete: ({ eb, my }) => eb('zq_box_org', '=', my('org')),
  },
}

const isMine =
  (column: string): RowRule =>
  ({ org }, _action, row) =>
    row[column] === org
const isMineOrShown =
  (column: string): RowRule =>
  ({ org }, action, row) =>
    row[column] === org || (action === 'View' && row[column] === 'shared')

/** What {@link workshopPolicies} says, without the database. */
export const workshopRules: RowRules = {
  bench: isMine('zq_bench_org'),
  tool: (caller, action, row) =>
    caller.roles.includes(action === 'Delete' ? 'editor' : 'member') &&
    isMineOrShown('zq_tool_org')(caller, action, row),
  kit: isMine('zq_kit_org'),
  box: isMineOrShown('zq_box_org'),
}
