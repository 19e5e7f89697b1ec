import type { Descriptors, ResourceDescriptor } from 'fastify-crud'
import { rowsOf } from '../property/reference-store.ts'
import type { Tape } from '../property/tape.ts'
import { computedFieldsOf } from './computed-fields.ts'
import { isShownPath, relatedRows } from './filter-rows.ts'
import { readPath } from './paths.ts'
import type { FilterMaker } from './random-filter.ts'
import type { ReadingField, ReadingResource } from './reading-model.ts'
import { typeOf } from './value-types.ts'

/** The model, of which some resources have a search: in texts of the record, and of those that are one or two relations away. */
export function withSearches(descriptors: Descriptors, tape: Tape): Descriptors {
  const whole = Object.entries(descriptors).map(([key, descriptor]): [string, ResourceDescriptor] => {
    if (!tape.once(2)) return [key, descriptor]
    const fields = tape.some(pathsFrom(descriptors, key, 2), 4)
    const mayHaveIndex = fields.some((path) => Object.hasOwn(descriptor.fields ?? {}, path))
    const search = mayHaveIndex && tape.once(2) ? { fields, index: true as const } : { fields }
    return [key, fields.length === 0 ? descriptor : { ...descriptor, search }]
  })
  return Object.fromEntries(whole)
}

/** The paths to texts, those of the record itself more often than others. */
function pathsFrom(descriptors: Descriptors, key: string, relations: number): string[] {
  const descriptor = descriptors[key] ?? {}
  const fields = Object.entries(descriptor.fields ?? {}) as [string, ReadingField['schema']][]
  const computed = computedFieldsOf(descriptors, descriptor).map(({ name, schema }) => [name, schema] as const)
  const isText = ([, schema]: readonly [string, ReadingField['schema']]): boolean =>
    schema.writeOnly !== true && (typeOf(schema) === 'string' || typeOf(schema) === 'enum')
  const own = [...fields, ...computed].filter(isText).map(([name]) => name)
  if (relations === 0) return own
  const behind = Object.entries(descriptor.relations ?? {}).flatMap(([name, { target }]) =>
    pathsFrom(descriptors, target, relations - 1).map((path) => `${name}.${path}`),
  )
  return [...own, ...own, ...behind].filter((path, index, all) => index < own.length || all.indexOf(path) === index)
}

const WORDS = ['a', 'A', 'b', 'ß', '%', 'long', 'É', 'á', 'd', '😀', 'i', 'σ', '_', '"', 'null', '*', 'OR']

/** Words, most of them parts of what the caller finds there. */
export function randomSearch(maker: FilterMaker, resource: ReadingResource): string {
  const { tape } = maker
  const words = Array.from({ length: 1 + tape.upTo(3) }, () => partOfText(maker, resource) ?? tape.of(WORDS))
  return words.join(tape.of([' ', '  ', '\t', '\u3000']))
}

/** A part of one of the texts, in whichever case. */
function partOfText({ sight, tape }: FilterMaker, resource: ReadingResource): string | undefined {
  const path = tape.of((resource.search ?? []).filter((one) => isShownPath(sight, resource, one)))
  const row = tape.of([...rowsOf(sight.state, resource.key).values()])
  if (path === undefined || row === undefined || tape.once(4)) return undefined
  const { relations, value } = readPath(sight.model, resource, path)
  const found = tape.of(relatedRows(sight, relations, row))
  const words = String((found && value?.of(found)) ?? '').match(/\S+/g) ?? []
  const letters = [...(tape.of(words) ?? '')]
  if (letters.length === 0) return undefined
  const from = tape.upTo(letters.length)
  const part = letters.slice(from, from + 1 + tape.upTo(6)).join('')
  return tape.once(2) ? part.toUpperCase() : part
}
