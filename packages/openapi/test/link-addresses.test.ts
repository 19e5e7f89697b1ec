import { Type } from '@sinclair/typebox'
import { describe, expect, it } from 'vitest'
import { defineResources } from '../../core/src/model/define/define-resources.ts'
import { knows, needs, ownedBy, owns } from '../../core/src/model/descriptors/relations.ts'
import { openApiOf } from '../src/document/openapi-of.ts'

const fields = { name: Type.String() }
const model = defineResources({
  tag: { id: 'text', fields },
  book: {
    ifMatch: 'required',
    fields,
    relations: {
      tags: knows.many('tag'),
      parts: owns.many('part'),
      part: knows.many('tag'),
      topics: needs.many('tag'),
    },
  },
  part: {
    topLevel: true,
    fields,
    relations: { book: ownedBy('book'), books: knows.many('book'), best: knows.many('part') },
  },
})
const { paths, components } = openApiOf(model, { guarded: false })

describe('the addresses of links', () => {
  it('are a page, and each link', () => {
    const page = paths['/api/book/{id}/tags']
    expect(Object.keys(page ?? {})).toEqual(['parameters', 'get', 'head'])
    expect(page?.get).toMatchObject({
      operationId: 'book.tags.list',
      summary: 'List the tags of one book record',
      responses: { 200: { $ref: '#/components/responses/tag.page' }, 404: {} },
    })
    expect(page?.get?.parameters).toEqual(paths['/api/tag']?.get?.parameters)
    const link = paths['/api/book/{id}/tags/{tag_id}']
    expect(Object.keys(link ?? {})).toEqual(['parameters', 'put', 'delete'])
    expect(link?.put).not.toHaveProperty('requestBody')
    expect(Object.keys(link?.put?.responses ?? {})).toEqual(['200', '204', '400', '404', '409', '428', 'default'])
    expect(paths['/api/book/{id}/topics/{tag_id}']?.delete?.description).toContain(
      'Refused with 409 if it is the last one.',
    )
    expect(components.parameters.tag_id).toMatchObject({ in: 'path', schema: { type: 'string' } })
  })

  it('require `If-Match` where a change of the record does', () => {
    const required = [{ $ref: '#/components/parameters/IfMatchRequired' }]
    const { put, delete: removal } = paths['/api/book/{id}/tags/{tag_id}'] ?? {}
    expect([put?.parameters, removal?.parameters]).toEqual([required, required])
    expect(paths['/api/part/{id}/best/{part_id}']?.put?.responses).not.toHaveProperty('428')
  })

  it('stand below owners, and at the top, with the answers of the list there', () => {
    const below = paths['/api/book/{book_id}/part/{id}/best']?.get
    expect(below?.operationId).toBe('book.parts.best.list')
    expect(below?.responses[200]).toEqual({ $ref: '#/components/responses/part.pageAtTop' })
    expect(paths['/api/part/{id}/best']?.get?.operationId).toBe('part.best.list')
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining([
        '/api/part/{id}/books/{book_id}',
        '/api/book/{book_id}/part/{id}/books/{linked_book_id}',
      ]),
    )
  })

  it('are not there where what the record owns has the path', () => {
    expect(Object.keys(paths).filter((path) => path.startsWith('/api/book/{id}/part'))).toEqual([])
  })
})
