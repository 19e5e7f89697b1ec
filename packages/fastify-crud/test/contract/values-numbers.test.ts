import { Type } from '@sinclair/typebox'
import { defineResources } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { updatesIn } from '../../../../test/support/statement-log.ts'
import { withAssignedIds } from '../../../../test/support/test-ids.ts'

const value = defineResources({
  value: {
    fields: {
      number: Type.Optional(Type.Number()),
      integer: Type.Optional(Type.Integer()),
      level: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
      flag: Type.Optional(Type.Boolean()),
    },
  },
})

describeOnBoth('a number', (database) => {
  const service = useApp(database, withAssignedIds(value))

  for (const number of [0, 0.1, -1.5, 1e-7, 123456789.123456, 1e21, 1.7976931348623157e308, 5e-324, 9007199254740991]) {
    test(`comes back as it was given: ${number}`, async () => {
      const record = await service.add('/api/value', { number })
      expect(record.number).toBe(number)
      expect((await service.read(`/api/value/${record.id}`)).number).toBe(number)
      const statements = await service.statements(() => service.put(`/api/value/${record.id}`, record))
      expect(updatesIn(statements)).toEqual([])
    })
  }

  const beyond32Bits = [2147483648, -2147483649, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]
  for (const integer of [0, -1, 1, 2147483647, -2147483648, ...beyond32Bits]) {
    test(`an integer comes back as it was given: ${integer}`, async () => {
      const record = await service.add('/api/value', { integer })
      expect(record.integer).toBe(integer)
      expect((await service.read(`/api/value/${record.id}`)).integer).toBe(integer)
    })
  }

  test('1.0 is the integer 1', async () => {
    const answer = await service.raw('POST', '/api/value', '{"integer":1.0,"number":2.50}')
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({ integer: 1, number: 2.5 })
  })

  for (const text of ['9007199254740993', '-9007199254740993', '1e300', '99999999999999999999']) {
    test(`an integer beyond 2^53 is 400: ${text}`, async () => {
      expectProblem(await service.raw('POST', '/api/value', `{"integer":${text}}`), {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/integer'],
      })
      expect((await service.read('/api/value')).count).toBe(0)
    })
  }

  test('1e400 is 400', async () => {
    for (const field of ['number', 'integer']) {
      expectProblem(await service.raw('POST', '/api/value', `{"${field}":1e400}`), {
        code: 'CRUD_ERR_INVALID',
        pointers: [`/${field}`],
      })
    }
  })

  test('NaN and Infinity are not JSON: 400', async () => {
    for (const text of ['{"number":NaN}', '{"number":Infinity}', '{"number":+1}', '{"number":01}', '{"number":.5}']) {
      expectProblem(await service.raw('POST', '/api/value', text), { code: 'CRUD_ERR_INVALID' })
    }
  })

  test('text in a number is 400 on both', async () => {
    for (const wrong of ['abc', '1', '', true, [], {}]) {
      await service.refuse(
        'POST',
        '/api/value',
        { number: wrong, integer: wrong },
        {
          code: 'CRUD_ERR_INVALID',
          pointers: ['/number', '/integer'],
        },
      )
    }
    await service.refuse('POST', '/api/value', { integer: 1.5 }, { code: 'CRUD_ERR_INVALID', pointers: ['/integer'] })
  })

  test('a range holds', async () => {
    expect((await service.add('/api/value', { level: 5 })).level).toBe(5)
    for (const level of [0, 6, -1, 2.5]) {
      await service.refuse('POST', '/api/value', { level }, { code: 'CRUD_ERR_INVALID', pointers: ['/level'] })
    }
  })
})

describeOnBoth('a boolean', (database) => {
  const service = useApp(database, value)

  test('true and false come back as booleans', async () => {
    for (const flag of [true, false]) {
      const record = await service.add('/api/value', { flag })
      expect(record.flag).toBe(flag)
      expect((await service.read(`/api/value/${record.id}`)).flag).toBe(flag)
      expect((await service.patch(`/api/value/${record.id}`, { flag: !flag })).body.flag).toBe(!flag)
      expect((await service.patch(`/api/value/${record.id}`, { flag: null })).body.flag).toBeNull()
    }
  })

  test('nothing else is a boolean', async () => {
    for (const flag of [0, 1, 'true', 'false', '', []]) {
      await service.refuse('POST', '/api/value', { flag }, { code: 'CRUD_ERR_INVALID', pointers: ['/flag'] })
    }
  })
})

describeOnBoth('0, "" and false', (database) => {
  const service = useApp(database, value)

  test('are values, not absence', async () => {
    const zero = { number: 0, integer: 0, flag: false }
    const { id, ...fields } = await service.add('/api/value', zero)
    expect(fields).toEqual({ ...zero, level: null })
    await service.put(`/api/value/${id}`, { number: 1, integer: 1, flag: true })
    expect((await service.patch(`/api/value/${id}`, zero)).body).toEqual({ id, ...zero, level: null })
  })

  test('POST `{}` for a resource whose fields are all optional is 201', async () => {
    const { id, ...fields } = await service.add('/api/value', {})
    expect(fields).toEqual({ number: null, integer: null, level: null, flag: null })
    expect(await service.read(`/api/value/${id}`)).toEqual({ id, ...fields })
  })
})
