import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'

const Size = Type.Union([Type.Literal('s'), Type.Literal('m'), Type.Literal('l')])
const fields = {
  size: Type.Optional(Size),
  sizes: Type.Optional(Type.Array(Size)),
  meta: Type.Optional(Type.Object({ browser: Type.String(), tags: Type.Optional(Type.Array(Type.Integer())) })),
}
const resources = defineResources({
  r: { fields, relations: { children: owns.many('child') } },
  child: { fields, relations: { r: ownedBy('r') } },
})

describeOnDatabases('what is wrong with a value', (database) => {
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
    expect(await refuse({ size: 'xl' }, ['/size'])).toEqual([{ pointer: '/size', message }])
    expect(await refuse({ size: 3 }, ['/size'])).toEqual([{ pointer: '/size', message }])
    expect(await refuse({ children: [{ size: 'm' }, { size: '' }] }, ['/children/1/size'])).toEqual([
      { pointer: '/children/1/size', message },
    ])
    expect(await refuse({ size: '', sizes: ['m', 'x', 3] }, ['/size', '/sizes/1', '/sizes/2'])).toEqual(
      ['/size', '/sizes/1', '/sizes/2'].map((pointer) => ({ pointer, message })),
    )
  })

  test('has a pointer to the place within a JSON field', async () => {
    await refuse({ meta: { browser: 1 } }, ['/meta/browser'])
    await refuse({ meta: { browser: 1, tags: [1, 'x'] } }, ['/meta/browser', '/meta/tags/1'])
    await refuse({ children: [{ meta: { browser: 'b', tags: 5 } }] }, ['/children/0/meta/tags'])
  })
})
