import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { useOffices } from './support/use-offices.ts'

const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const

describeOnBoth('a nested path', (database) => {
  const { rows, ada } = useOffices(database)

  test('whose owner is outside of View is 404 for every method', async () => {
    const { id, lines, notes, seal } = rows.invoice.hidden
    for (const [collection, child, body] of [
      ['line', lines[0], { text: 'x' }],
      ['note', notes[0], { text: 'x', authorId: 1 }],
      ['seal', seal, { text: 'x', signerId: 1 }],
    ] as const) {
      const path = (owner: number) => `/api/invoice/${owner}/${collection}`
      for (const [method, at, sent] of [
        ['GET', '', undefined],
        ['GET', `/${child?.id}`, undefined],
        ['POST', '', body],
        ['POST', '/900000', body],
        ['PUT', `/${child?.id}`, body],
        ['PATCH', `/${child?.id}`, body],
        ['PATCH', `/${child?.id}`, {}],
        ['DELETE', `/${child?.id}`, undefined],
      ] as const) {
        await ada.refuseLikeMissing(id, (owner) => [method, `${path(owner)}${at}`, sent], notFound)
      }
      await ada.refuseLikeMissing(id, (owner) => ['PUT', path(owner), { id: child?.id, ...body }], notFound)
      expect((await ada.request('HEAD', path(id))).status).toBe(404)
    }
  })

  test('is 404 if an owner further up is outside of View', async () => {
    const { id, lines } = rows.invoice.hidden
    const [line] = lines
    const path = (owner: number) => `/api/invoice/${owner}/line/${line?.id}/part`
    for (const [method, at, sent] of [
      ['GET', '', undefined],
      ['GET', `/${line?.parts[0]?.id}`, undefined],
      ['POST', '', { text: 'x' }],
      ['PUT', `/${line?.parts[0]?.id}`, { text: 'x' }],
      ['PATCH', `/${line?.parts[0]?.id}`, { text: 'x' }],
      ['DELETE', `/${line?.parts[0]?.id}`, undefined],
    ] as const) {
      await ada.refuseLikeMissing(id, (owner) => [method, `${path(owner)}${at}`, sent], notFound)
    }
  })

  test('is 404 if the owner in the middle is outside of View', async () => {
    const { id, notes } = rows.invoice.ours
    const hidden = notes[1]
    const path = (note: number) => `/api/invoice/${id}/note/${note}/reply`
    for (const [method, at, sent] of [
      ['GET', '', undefined],
      ['GET', `/${hidden?.replies[0]?.id}`, undefined],
      ['POST', '', { text: 'x' }],
      ['PUT', `/${hidden?.replies[0]?.id}`, { text: 'x' }],
      ['PATCH', `/${hidden?.replies[0]?.id}`, { text: 'x' }],
      ['DELETE', `/${hidden?.replies[0]?.id}`, undefined],
    ] as const) {
      await ada.refuseLikeMissing(hidden?.id ?? 0, (note) => [method, `${path(note)}${at}`, sent], notFound)
    }
  })

  test('to a record outside of View is 404 below an owner that is in View', async () => {
    const { id, notes, seal } = rows.invoice.ours
    for (const [collection, child, body] of [
      ['note', notes[1], { text: 'x', authorId: 1 }],
      ['seal', seal, { text: 'x', signerId: 1 }],
    ] as const) {
      for (const [method, sent] of [
        ['GET', undefined],
        ['PUT', body],
        ['PATCH', body],
        ['PATCH', {}],
        ['DELETE', undefined],
      ] as const) {
        const path = `/api/invoice/${id}/${collection}`
        await ada.refuseLikeMissing(child?.id ?? 0, (one) => [method, `${path}/${one}`, sent], notFound)
      }
    }
  })

  test('lists and counts what is in View only', async () => {
    const { id, lines, notes } = rows.invoice.ours
    const path = `/api/invoice/${id}`
    expect(await ada.read(`${path}/line`)).toEqual({ rows: lines, count: 2 })
    expect(await ada.read(`${path}/note`)).toEqual({ rows: notes.slice(0, 1), count: 1 })
    expect(await ada.read(`${path}/note?offset=1`)).toEqual({ rows: [], count: 1 })
    expect(await ada.read(`${path}/seal`)).toEqual({ rows: [], count: 0 })
  })

  test('below an owner in View and in Edit is as it is without policies', async () => {
    const { id, lines } = rows.invoice.ours
    const path = `/api/invoice/${id}/line`
    const added = await ada.post(path, { text: 'c', parts: [{ text: 'c1' }] })
    expect(added).toMatchObject({ status: 201, body: { text: 'c', parts: [{ text: 'c1' }] } })
    expect((await ada.put(`${path}/${added.body.id}`, { text: 'C' })).body).toEqual({
      id: added.body.id,
      text: 'C',
      parts: [],
    })
    expect((await ada.patch(`${path}/${lines[0]?.id}`, { text: 'A' })).body).toEqual({ ...lines[0], text: 'A' })
    expect((await ada.delete(`${path}/${lines[1]?.id}`)).status).toBe(204)
  })
})
