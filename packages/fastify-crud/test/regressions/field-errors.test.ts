import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns, type Problem } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const Size = Type.Union([Type.Literal('s'), Type.Literal('m'), Type.Literal('l')])
const fields = {
  size: Type.Optional(Size),
  sizes: Type.Optional(Type.Array(Size)),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 3 })),
  names: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 2 })),
  box: Type.Optional(Type.Object({ color: Type.String() }, { additionalProperties: false })),
  meta: Type.Optional(Type.Object({ browser: Type.String(), tags: Type.Optional(Type.Array(Type.Integer())) })),
}
const resources = defineResources({
  r: { fields, relations: { children: owns.many('child') } },
  child: { fields, relations: { r: ownedBy('r') } },
})

describeOnBoth('what is wrong with a value', (database) => {
  const service = useApp(database, resources)
  let path: string

  beforeEach(async () => {
    path = `/api/r/${(await service.add('/api/r', {})).id}`
  })

  const refuse = async (body: object, pointers: string[]) => {
    const expected = { code: 'CRUD_ERR_INVALID', pointers } as const
    await service.refuse('POST', '/api/r', body, expected)
    await service.refuse('PATCH', path, body, expected)
    return (await service.refuse('PUT', path, body, expected)).errors
  }

  test('is one error that lists the values, where it is none of a union of literals', async () => {
    const message = 'must be one of "s", "m", "l"'
    expect(await refuse({ size: 'xl' }, ['/size'])).toMatchObject([{ pointer: '/size', message }])
    expect(await refuse({ size: 3 }, ['/size'])).toMatchObject([{ pointer: '/size', message }])
    expect(await refuse({ children: [{ size: 'm' }, { size: '' }] }, ['/children/1/size'])).toMatchObject([
      { pointer: '/children/1/size', message },
    ])
    expect(await refuse({ size: '', sizes: ['m', 'x', 3] }, ['/size', '/sizes/1', '/sizes/2'])).toMatchObject(
      ['/size', '/sizes/1', '/sizes/2'].map((pointer) => ({ pointer, message })),
    )
  })

  test('has a pointer to the place within a JSON field', async () => {
    await refuse({ meta: { browser: 1 } }, ['/meta/browser'])
    await refuse({ meta: { browser: 1, tags: [1, 'x'] } }, ['/meta/browser', '/meta/tags/1'])
    await refuse({ children: [{ meta: { browser: 'b', tags: 5 } }] }, ['/children/0/meta/tags'])
  })

  test('is at the property that is missing in a JSON field, or that it does not have', async () => {
    expect(
      await refuse({ box: { 'a/b': 1, colour: 'red' } }, ['/box/color', '/box/colour', '/box/a~1b']),
    ).toMatchObject([
      { pointer: '/box/color', message: 'is required' },
      { pointer: '/box/a~1b', message: "the object has no property 'a/b'" },
      { pointer: '/box/colour', message: "the object has no property 'colour'" },
    ])
    expect(await refuse({ children: [{ box: {} }] }, ['/children/0/box/color'])).toMatchObject([
      { pointer: '/children/0/box/color', message: 'is required' },
    ])
  })

  test('says in plain words what a text and a list may have', async () => {
    const pointers = ['/name', '/names']
    const words = async (body: object) => (await refuse(body, pointers)).map(({ message }: Problem) => message)
    expect(await words({ name: '', names: [] })).toEqual([
      'must have at least 1 character',
      'must have at least 1 item',
    ])
    expect(await words({ name: 'abcd', names: ['a', 'b', 'c'] })).toEqual([
      'must have at most 3 characters',
      'must have at most 2 items',
    ])
  })
})
