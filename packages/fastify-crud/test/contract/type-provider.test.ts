import { type TypeBoxTypeProvider, TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import Fastify from 'fastify'
import { createTables, crudPlugin, defineResources } from 'fastify-crud'
import { openSqlite } from 'fastify-crud/sqlite'
import Type from 'typebox'
import { expect, test } from 'vitest'

const Name = Type.Object({ name: Type.String({ minLength: 1 }), note: Type.Optional(Type.String()) })

const resources = defineResources({ author: { fields: Name.properties } })

test('one TypeBox schema types and checks a route of the application, and the fields of a resource', async () => {
  const db = openSqlite(':memory:', { resources })
  await createTables(db, resources)
  const app = Fastify().setValidatorCompiler(TypeBoxValidatorCompiler).withTypeProvider<TypeBoxTypeProvider>()
  await app.register(crudPlugin, { db, resources, decorator: false, authorize: () => true })
  app.post('/own', { schema: { body: Name } }, async ({ body }) => ({
    length: body.name.length,
    note: body.note ?? null,
  }))
  const post = (url: string, payload: object) => app.inject({ method: 'POST', url, payload })
  try {
    expect((await post('/own', { name: 'Ada' })).json()).toEqual({ length: 3, note: null })
    expect((await post('/own', { name: '' })).statusCode).toBe(400)
    expect((await post('/api/author', { name: 'Ada' })).json()).toEqual({ id: 1, name: 'Ada', note: null })
    expect((await post('/api/author', { name: '' })).json()).toMatchObject({ errors: [{ pointer: '/name' }] })
  } finally {
    await app.close()
    await db.destroy()
  }
})
