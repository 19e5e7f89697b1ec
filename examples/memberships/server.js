// People sign in with a password and get a token (JWT). Each is a member of some organisations, invited by their owners.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import jwt from '@fastify/jwt'
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { createTables, crudPlugin, defineActions, defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { openSqlite } from 'fastify-crud/sqlite'

const Email = Type.String({ format: 'email', maxLength: 200 })
const Role = Type.Union([Type.Literal('owner'), Type.Literal('editor'), Type.Literal('viewer')])

const resources = defineResources(
  {
    organisation: { id: 'uuid', fields: { name: Type.String({ minLength: 1 }) } },
    user: {
      id: 'uuid',
      fields: { email: Email, password: Type.String({ writeOnly: true }) },
      unique: [['email']],
      tenant: false,
    },
    // Who is invited may have no user yet: the address says who it is.
    membership: {
      id: 'uuid',
      fields: { email: Email, role: Role },
      relations: { user: knows.one('user') },
      unique: [['email'], ['user']],
    },
    project: {
      id: 'uuid',
      fields: { name: Type.String({ minLength: 1 }) },
      relations: { organisation: needs.one('organisation'), tasks: owns.many('task') },
      unique: [['name']],
    },
    task: { id: 'uuid', fields: { title: Type.String() }, relations: { project: ownedBy('project') } },
  },
  { tenant: { resource: 'organisation' } },
)

const actions = defineActions(resources, {
  membership: {
    // It asks what a POST of a membership asks: only owners may add one. The service has checked the body.
    invite: {
      on: 'list',
      asks: 'Add',
      body: Type.Object({ email: Email, role: Role }),
      answer: Type.Object({ id: Type.String() }),
      async run({ body, store, afterCommit }) {
        const { id } = await store.membership.create(body)
        // A real application sends a letter here: whatever leaves the process waits for the commit.
        afterCommit(({ log }) => log.info(`${body.email} is invited`))
        return { id }
      },
    },
    // Those who are invited see their own membership, and may change nothing of it but by this.
    accept: {
      asks: 'View',
      async run({ id, caller, store, system, refuse }) {
        const { email, userId } = await store.membership.find(id)
        if (email !== caller.email) refuse('somebody else is invited')
        if (userId !== null) refuse('it is accepted already')
        await system.membership.patch(id, { userId: caller.id })
      },
    },
  },
})

const isInvited = ({ eb, my }) => eb('email', '=', my('email'))

// They are asked within the organisation. The role is that of the membership, and `invited` before it is accepted.
const policies = {
  organisation: {
    invited: { View: true },
    viewer: { View: true },
    editor: { View: true },
    owner: { View: true, Edit: true },
  },
  user: { View: ({ eb, my }) => eb('id', '=', my('id')) },
  membership: { invited: { View: isInvited }, viewer: { View: true }, editor: { View: true }, owner: true },
  project: { viewer: { View: true }, editor: true, owner: true },
}

const db = openSqlite('memberships.sqlite', { resources })
await createTables(db, resources)

function refusal(statusCode, message) {
  return Object.assign(new Error(message), { statusCode })
}

// A signature that does not fit, and a token that is too old, are 401.
async function caller(request) {
  const { sub: id, email } = await request.jwtVerify()
  const organisation = request.headers['x-organisation']
  if (organisation === undefined) return { id, email, roles: [] }
  const { membership } = app.crud.asSystem({ tenant: organisation })
  const { rows } = await membership.list({ filter: { email } })
  if (rows.length === 0) throw refusal(403, 'not a member of this organisation')
  return { id, email, organisation, roles: [rows[0].userId === id ? rows[0].role : 'invited'] }
}

const app = Fastify({ logger: true })
// A real application has its secret in the environment: all of its processes need the same.
await app.register(jwt, {
  secret: process.env.JWT_SECRET ?? randomBytes(32).toString('hex'),
  sign: { expiresIn: '15m' },
})
await app.register(crudPlugin, {
  db,
  resources,
  actions,
  caller,
  tenant: ({ organisation }) => organisation,
  policies,
})

const hash = promisify(scrypt)

async function hashed(password, salt = randomBytes(16)) {
  return `${salt.toString('hex')}:${(await hash(password, salt, 32)).toString('hex')}`
}

// Whoever is unknown takes as long as whoever has another password.
const NOBODY = await hashed(randomBytes(16).toString('hex'))

async function isTheirs(password, stored) {
  const again = await hashed(password, Buffer.from(stored.split(':')[0], 'hex'))
  return timingSafeEqual(Buffer.from(again), Buffer.from(stored))
}

const withPassword = (others) => ({
  schema: { body: Type.Object({ email: Email, password: Type.String({ minLength: 8 }), ...others }) },
})

// A real application has people prove that the address is theirs before it signs a token with it.
app.post('/sign-up', withPassword(), async ({ body }, reply) => {
  const { email, password } = body
  const { id } = await app.crud.asSystem().user.create({ email, password: await hashed(password) })
  return reply.code(201).send({ token: app.jwt.sign({ sub: id, email }) })
})

app.post('/sign-in', withPassword(), async ({ body }) => {
  const { email, password } = body
  const user = await db.selectFrom('user').select(['id', 'password']).where('email', '=', email).executeTakeFirst()
  if (!(await isTheirs(password, user?.password ?? NOBODY)) || user === undefined)
    throw refusal(401, 'wrong address or password')
  return { token: app.jwt.sign({ sub: user.id, email }) }
})

/** What a client shows first: the organisations of a person, and those that have invited them. */
app.get('/my-organisations', async (request) => {
  const { email } = await request.jwtVerify()
  return await db
    .selectFrom('membership')
    .innerJoin('organisation', 'organisation.id', 'membership.organisationId')
    .select(['organisation.id', 'organisation.name', 'membership.id as membershipId', 'membership.role'])
    .where('membership.email', '=', email)
    .orderBy('organisation.name')
    .execute()
})

/** Makes an organisation with its first owner, or nothing of both. Whoever does it is in no organisation yet. */
app.post(
  '/my-organisations',
  { schema: { body: Type.Object({ name: Type.String({ minLength: 1 }) }) } },
  async (request, reply) => {
    const { sub, email } = await request.jwtVerify()
    const made = await db.transaction().execute(async (trx) => {
      const store = app.crud.in(trx)
      const organisation = await store.asSystem().organisation.create(request.body)
      const { membership } = store.asSystem({ tenant: organisation.id })
      await membership.create({ email, role: 'owner', userId: sub })
      return organisation
    })
    return reply.code(201).send(made)
  },
)

await app.listen({ port: Number(process.env.PORT ?? 3000) })
