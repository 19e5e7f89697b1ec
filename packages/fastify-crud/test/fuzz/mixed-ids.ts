import type { Resource } from '@fastify-crud/core/internal'
import { Type } from '@sinclair/typebox'
import { defineResources, type IdDeclaration, type ResourceDescriptor } from 'fastify-crud'
import type { FuzzSubject } from './fuzz-service.ts'

/** The member of an id beside the owner. No two records of a resource have the same, so that the checks need not look at the owner. */
const NUMBER = 'number'

/** The same subject with ids of other kinds. Those of what is named by nothing can have the owner's id as a part, or for the whole. */
export function withIdsOf(subject: FuzzSubject, kinds: Readonly<Record<string, IdDeclaration>>): FuzzSubject {
  const descriptors = Object.entries(subject.resources.descriptors).map(([key, descriptor]) => [
    key,
    withId(key, descriptor, kinds[key]),
  ])
  const { tenant } = subject.resources
  const resources = defineResources(Object.fromEntries(descriptors), tenant && { tenant })
  let made = 0
  const withIds = (resource: Resource, body: object): object => {
    const { id, shortId, owns } = resource
    made += 1
    const given = shortId !== id && shortId.parts === undefined ? { [NUMBER]: made } : {}
    const text = kinds[resource.key] === 'text' ? { id: `é ${made},~` } : {}
    const owned = owns.flatMap(({ name, target }) => {
      const value = (body as Record<string, unknown>)[name]
      const each = (one: unknown) => (typeof one === 'object' && one !== null ? withIds(target, one) : one)
      return value === undefined ? [] : [[name, Array.isArray(value) ? value.map(each) : each(value)]]
    })
    return { ...text, ...given, ...body, ...Object.fromEntries(owned) }
  }
  return {
    ...subject,
    resources,
    furnish: (add, mark) => {
      // The tables are empty again.
      made = 0
      return subject.furnish((path, body, by) => {
        const resource = [...resources.resources.values()].find(({ route }) => route === path.split('/').at(-1))
        return add(path, resource === undefined ? body : withIds(resource, body), by)
      }, mark)
    },
  }
}

function withId(key: string, descriptor: ResourceDescriptor, id: IdDeclaration | undefined): ResourceDescriptor {
  if (id === undefined) return descriptor
  if (!Array.isArray(id)) return { ...descriptor, id }
  const { id: _, ...columns } = descriptor.columns ?? {}
  if (!id.includes(NUMBER)) return { ...descriptor, id, columns }
  return {
    ...descriptor,
    id,
    fields: { ...descriptor.fields, [NUMBER]: Type.Integer({ minimum: 0, maximum: 2_000_000_000 }) },
    columns: { ...columns, [NUMBER]: `zq_${key}_place` },
    unique: [...(descriptor.unique ?? []), [NUMBER]],
  }
}

/** A function that gives a text to each new record. */
export function textsOf(start: string): IdDeclaration {
  let made = 0
  return {
    kind: 'text',
    assign: () => {
      made += 1
      return `${start}${made}`
    },
  }
}
