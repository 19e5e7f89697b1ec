import { describe, expect, it } from 'vitest'
import { schemasOf } from '../../src/schema/schemas-of.ts'
import { library } from './library.ts'

function idsOf(key: string): string[] {
  return schemasOf(library)
    .map((schema) => schema.$id)
    .filter(($id) => $id.startsWith(`${key}.`))
    .map(($id) => $id.slice(key.length + 1))
}

function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  if ('$ref' in value && typeof value.$ref === 'string') return [value.$ref]
  return Object.values(value).flatMap(refsIn)
}

describe('the components of a model', () => {
  it('are those that its operations and other resources use', () => {
    expect(idsOf('series')).toEqual([
      'record',
      'page',
      'create',
      'replace',
      'replaceWithId',
      'patch',
      'summary',
      'nested',
    ])
    expect(idsOf('tag')).toEqual(['record', 'page', 'create', 'replace', 'replaceWithId', 'patch', 'summary', 'link'])
    expect(idsOf('note')).toEqual(['record', 'page', 'create', 'replace', 'replaceWithId', 'patch', 'patchWithId'])
    expect(idsOf('cover')).toEqual(['record', 'page', 'create', 'replace', 'replaceWithId', 'patch'])
  })

  it('have an $id and a title each, given once', () => {
    const schemas = schemasOf(library)
    expect(new Set(schemas.map((schema) => schema.$id)).size).toBe(schemas.length)
    expect(new Set(schemas.map((schema) => schema.title)).size).toBe(schemas.length)
  })

  it('refer to each other only', () => {
    for (const idPrefix of ['', 'v1.']) {
      const schemas = schemasOf(library, { idPrefix })
      const known = new Set(schemas.map((schema) => `${schema.$id}#`))
      const refs = schemas.flatMap(refsIn)
      expect(refs.length).toBeGreaterThan(50)
      expect(refs.filter(($ref) => !known.has($ref))).toEqual([])
      expect([...known].every(($id) => $id.startsWith(idPrefix))).toBe(true)
    }
  })

  it('have a prefix that can be part of a name in OpenAPI', () => {
    for (const idPrefix of ['a/', '#', 'a b', 'é']) {
      expect(() => schemasOf(library, { idPrefix })).toThrow(
        new TypeError(`idPrefix has letters, digits, '.', '_' and '-' only, not '${idPrefix}'`),
      )
    }
  })
})
