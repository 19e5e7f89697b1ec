// Several organisations use one service. Members share documents with guests of other organisations.
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { createTables, crudPlugin, defineResources, needs, ownedBy, owns } from 'fastify-crud'
import { openSqlite } from 'fastify-crud/sqlite'

const resources = defineResources({
  organisation: { fields: { name: Type.String() } },
  document: {
    fields: { title: Type.String(), authorId: Type.Integer() },
    relations: { organisation: needs.one('organisation'), guests: owns.many('guest') },
    // A 409 says that a value is taken. So a key that spans organisations would tell one what another one has.
    unique: [['organisation', 'title']],
  },
  guest: {
    fields: { userId: Type.Integer() },
    relations: { document: ownedBy('document') },
    unique: [['document', 'userId']],
  },
})

// A real application finds its user by a session or a token, not by a name.
const users = {
  ada: { id: 1, org: 1, roles: ['member', 'admin'] },
  ben: { id: 2, org: 1, roles: ['member'] },
  eve: { id: 3, org: 2, roles: ['member'] },
}

function caller(request) {
  const name = request.headers['x-user']
  if (Object.hasOwn(users, name)) return users[name]
  throw Object.assign(new Error(`the header x-user must be one of ${Object.keys(users).join(', ')}`), {
    statusCode: 401,
  })
}

const inMyOrganisation = ({ eb, my }) => eb('organisationId', '=', my('org'))

const amGuest = ({ eb, my }) =>
  eb.exists(
    eb
      .selectFrom('guest')
      .select('guest.id')
      .whereRef('guest.documentId', '=', 'document.id')
      .where('guest.userId', '=', my('id')),
  )

const isMine = (on) => on.eb.and([inMyOrganisation(on), on.eb('authorId', '=', on.my('id'))])

const mayDeleteDocument = ({ eb, can }) => can('Delete', 'document', eb.ref('documentId'))

const policies = {
  organisation: { View: ({ eb, my }) => eb('id', '=', my('org')) },
  document: {
    member: {
      View: (on) => on.eb.or([inMyOrganisation(on), amGuest(on)]),
      Add: isMine,
      Edit: inMyOrganisation,
      Delete: isMine,
    },
    admin: inMyOrganisation,
  },
  // Who may delete a document chooses its guests. Without this policy, everybody who may edit it would.
  guest: { View: true, Add: mayDeleteDocument, Edit: mayDeleteDocument, Delete: mayDeleteDocument },
}

const db = openSqlite('organisations.sqlite', { resources })
await createTables(db, resources)

const app = Fastify({ logger: true })
await app.register(crudPlugin, { db, resources, caller, policies })

const { organisation } = app.crud.asSystem()
if ((await organisation.list()).count === 0) {
  for (const name of ['Ink', 'Nib']) await organisation.create({ name })
}

await app.listen({ port: Number(process.env.PORT ?? 3000) })
