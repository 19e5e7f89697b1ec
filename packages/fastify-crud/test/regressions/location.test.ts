import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { buildApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  r: { fields: { name: Type.String() }, relations: { children: owns.many('child') } },
  child: { fields: { name: Type.String() }, relations: { r: ownedBy('r') } },
})

describeOnBoth('`Location` of a record that was created', (database) => {
  test.each([
    ['the root', '/', '', ''],
    ['a slash at the end', '/api/', '/api', '/api'],
    ['several segments', '/api/v1', '/api/v1', '/api/v1'],
    ['a parameter', '/t/:tenant', '/t/acme', '/t/acme'],
    ['a parameter that is encoded', '/t/:tenant', '/t/a%20b', '/t/a%20b'],
    ['letters beyond ASCII', '/bücher', '/b%C3%BCcher', '/b%C3%BCcher'],
  ])('is the path of the record where the prefix is or has %s', async (_, prefix, base, expected) => {
    // With `handlers`, answers are not compared with the document, which is not the subject here.
    const service = await buildApp(database, resources, { plugin: { prefix, handlers: {} } })
    try {
      const created = await service.post(`${base}/r`, { name: 'a' })
      expect(created.status).toBe(201)
      expect(created.headers.location).toBe(`${expected}/r/${created.body.id}`)
      expect(await service.read(String(created.headers.location))).toEqual(created.body)
      const chosen = await service.post(`${base}/r/77`, { name: 'b' })
      expect([chosen.status, chosen.headers.location]).toEqual([201, `${expected}/r/77`])
      const child = await service.post(`${base}/r/77/child`, { name: 'c' })
      expect([child.status, child.headers.location]).toEqual([201, `${expected}/r/77/child/${child.body.id}`])
      expect(await service.read(String(child.headers.location))).toEqual(child.body)
    } finally {
      await service.close()
    }
  })
})
