import { Type } from '@sinclair/typebox'
import {
  countOf,
  defineActions,
  defineResources,
  knows,
  neededBy,
  needs,
  ownedBy,
  owns,
  type Policies,
} from 'fastify-crud'

const uuid = { kind: 'uuid', assign: 'client' } as const

/** Every relation kind, with ids that two tenants may both have. */
export const model = defineResources(
  {
    org: { id: 'uuid', fields: { name: Type.String() } },
    country: {
      id: 'text',
      fields: { name: Type.String() },
      tenant: false,
      public: true,
      relations: { projects: neededBy.many('project') },
    },
    member: { id: uuid, fields: { email: Type.String() }, unique: [['email']], history: true },
    label: { id: 'text', fields: { name: Type.String() }, unique: [['name']], history: true },
    project: {
      id: 'text',
      history: true,
      fields: { name: Type.String(), code: Type.Optional(Type.String()), isOpen: Type.Boolean({ default: true }) },
      relations: {
        org: needs.one('org'),
        country: needs.one('country', { optional: true }),
        lead: knows.one('member'),
        reviewer: needs.one('member', { optional: true }),
        cover: owns.one('cover'),
        tasks: owns.many('task', { order: 'place' }),
        labels: knows.many('label', { order: 'rank' }),
      },
      unique: [['name'], { fields: ['code'], where: { isOpen: true } }],
      search: {
        fields: ['name', 'code', 'lead.email', 'labels.name', 'tasks.title', 'tasks.helpers.email'],
        index: true,
      },
      computed: {
        taskCount: countOf('tasks'),
        memberCount: {
          schema: Type.Integer(),
          value: ({ eb }) => eb.selectFrom('member').select((of) => of.fn.countAll().as('count')),
        },
      },
    },
    cover: { id: uuid, fields: { url: Type.String() }, relations: { project: ownedBy('project') } },
    task: {
      id: uuid,
      topLevel: true,
      fields: { title: Type.String(), points: Type.Integer({ default: 0 }) },
      relations: {
        project: ownedBy('project', { moves: true }),
        label: needs.one('label'),
        helpers: knows.many('member'),
      },
      unique: [['project', 'title']],
    },
    folder: {
      id: 'text',
      history: true,
      softDelete: { column: 'deletedAt', trash: { purge: true } },
      fields: { name: Type.String() },
      relations: {
        parent: ownedBy('folder', { optional: true, moves: true }),
        folders: owns.many('folder', { order: 'place' }),
        about: knows.one('project'),
      },
    },
  },
  { tenant: { resource: 'org' } },
)

const count = Type.Integer()

/** `system` is the application's own store of the same tenant. */
export const actions = defineActions(model, {
  project: {
    close: {
      asks: 'Edit',
      body: Type.Object({ code: Type.Optional(Type.String()) }),
      async run({ id, body, store, refuse }) {
        const { tasks } = await store.project.find(id)
        if (tasks.length === 0) refuse('a project without tasks stays open')
        await store.project.patch(id, { isOpen: false, ...body })
      },
    },
    tally: {
      on: 'list',
      asks: 'View',
      answer: Type.Object({ mine: count, all: count }),
      run: async ({ store, system }) => ({
        mine: (await store.project.list()).count,
        all: (await system.project.list()).count,
      }),
    },
  },
  task: {
    take: {
      asks: 'Edit',
      body: Type.Object({ projectId: Type.String(), points: count }),
      run: async ({ id, body: { projectId, points }, store }) =>
        void (await store.task.patch(id, { projectId, points: { $add: points } })),
    },
  },
})

/** A tenant's labels and members say what may be seen and done. */
export const policies: Policies<typeof model, { readonly id: number }> = {
  org: true,
  member: { View: true, Edit: ({ eb }) => eb('email', '<>', 'b'), Delete: true, Add: true },
  label: true,
  folder: true,
  project: {
    View: ({ eb }) =>
      eb.or([
        eb.exists(eb.selectFrom('label').select('label.id').whereRef('label.name', '=', 'project.name')),
        eb('name', '=', 'c'),
      ]),
    Edit: ({ eb }) => eb.exists(eb.selectFrom('member').select('member.id').where('member.email', '=', 'a')),
    Add: true,
    Delete: ({ eb }) => eb('isOpen', '=', true),
  },
}
