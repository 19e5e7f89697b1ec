// Organisations share one database, and each sees its own records only. People sign up, and invite others.
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { createTables, crudPlugin, defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { openSqlite } from 'fastify-crud/sqlite'

const resources = defineResources(
  {
    organisation: { id: 'uuid', fields: { name: Type.String({ minLength: 1 }) } },
    // A person may be a member of several organisations.
    person: { id: 'uuid', fields: { email: Type.String() }, unique: [['email']], tenant: false },
    member: {
      id: 'uuid',
      fields: { role: Type.Union([Type.Literal('owner'), Type.Literal('editor'), Type.Literal('viewer')]) },
      relations: { person: needs.one('person') },
      unique: [['person']],
    },
    project: {
      id: 'uuid',
      fields: { name: Type.String() },
      // Its column is the tenant's: records show it, and no body sets it.
      relations: { organisation: needs.one('organisation'), tasks: owns.many('task') },
      unique: [['name']],
    },
    task: {
      id: 'uuid',
      fields: { title: Type.String() },
      relations: { project: ownedBy('project'), assignee: knows.one('member') },
    },
  },
  { tenant: { resource: 'organisation' } },
)

const db = openSqlite('tenants.sqlite', { resources })
await createTables(db, resources)

function refusal(statusCode, message) {
  return Object.assign(new Error(message), { statusCode })
}

// A real application finds its user by a session or a token, not by an address that anyone can write.
function emailOf({ headers }) {
  const email = headers['x-user']
  if (email === undefined) throw refusal(401, 'the header x-user is missing')
  return email
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

async function caller(request) {
  const email = emailOf(request)
  const organisation = request.headers['x-organisation']
  if (organisation === undefined) return { email, roles: [] }
  // PostgreSQL refuses to compare an id with what is none.
  const member = UUID.test(organisation)
    ? await db
        .selectFrom('member')
        .innerJoin('person', 'person.id', 'member.personId')
        .select('member.role')
        .where('person.email', '=', email)
        .where('member.organisationId', '=', organisation)
        .executeTakeFirst()
    : undefined
  if (member === undefined) throw refusal(403, 'not a member of this organisation')
  return { email, organisation, roles: [member.role] }
}

// They are asked within the organisation: the subquery below has its members only.
const policies = {
  organisation: { viewer: { View: true }, editor: { View: true }, owner: { View: true, Edit: true } },
  person: {
    View: ({ eb }) =>
      eb.exists(eb.selectFrom('member').select('member.id').whereRef('member.personId', '=', 'person.id')),
  },
  member: { viewer: { View: true }, editor: { View: true }, owner: true },
  project: { viewer: { View: true }, editor: true, owner: true },
}

async function addMember(store, organisation, email, role) {
  const { person } = store.asSystem()
  const { rows } = await person.list({ filter: { email } })
  const { id } = rows[0] ?? (await person.create({ email }))
  return store.asSystem({ tenant: organisation }).member.create({ personId: id, role })
}

/** Makes an organisation with its first member, or nothing of both. Whoever signs up has no organisation yet. */
const signUp = {
  access: { action: 'Add' },
  async handler(request, reply, _next, { caller }) {
    const organisation = await db.transaction().execute(async (trx) => {
      const store = app.crud.in(trx)
      const made = await store.asSystem().organisation.create(request.body)
      await addMember(store, made.id, caller.email, 'owner')
      return made
    })
    reply.code(201).send(organisation)
  },
}

/** An owner names an address. The person may not be there yet, and is not shown before it is a member. */
const invite = {
  access: { action: 'Add' },
  async handler(request, reply, _next, { caller, tenant }) {
    if (!caller.roles.includes('owner')) throw refusal(403, 'only owners invite')
    const { email, role } = request.body ?? {}
    const member = await db.transaction().execute((trx) => addMember(app.crud.in(trx), tenant, email, role))
    reply.code(201).send(member)
  },
}

const app = Fastify({ logger: true })
await app.register(crudPlugin, {
  db,
  resources,
  caller,
  tenant: (caller) => caller.organisation,
  policies,
  handlers: { organisation: { create: signUp }, member: { create: invite } },
})

// Those who run the service see all organisations, and remove them.
app.register(async (admin) => {
  admin.addHook('onRequest', async (request) => {
    if (emailOf(request) !== 'admin@example.org') throw refusal(403, 'only for admins')
  })
  admin.get('/admin/projects', () => app.crud.asSystem().project.list({ sort: ['name'] }))
  admin.delete('/admin/organisations/:id', async ({ params }, reply) => {
    await db.transaction().execute(async (trx) => {
      const system = app.crud.in(trx).asSystem()
      await system.purgeTenant(params.id)
      await system.organisation.delete(params.id)
    })
    reply.code(204).send()
  })
})

await app.listen({ port: Number(process.env.PORT ?? 3000) })
