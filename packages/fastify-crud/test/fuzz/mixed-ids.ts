import { defineResources, type IdDeclaration } from 'fastify-crud'
import type { FuzzSubject } from './fuzz-service.ts'

/** The same subject with ids of other kinds. Of what owns nothing and is named by nothing, the id can be the owner's. */
export function withIdsOf(subject: FuzzSubject, kinds: Readonly<Record<string, IdDeclaration>>): FuzzSubject {
  const descriptors = Object.entries(subject.resources.descriptors).map(([key, descriptor]) => {
    const id = kinds[key]
    if (!Array.isArray(id)) return [key, { ...descriptor, ...(id !== undefined && { id }) }]
    const { id: _, ...columns } = descriptor.columns ?? {}
    return [key, { ...descriptor, id, columns }]
  })
  let made = 0
  return {
    ...subject,
    resources: defineResources(Object.fromEntries(descriptors)),
    furnish: (add, mark) =>
      subject.furnish((path, body, by) => {
        const isGiven = kinds[path.split('/').at(-1) ?? ''] === 'text'
        made += 1
        return add(path, isGiven ? { id: `é ${made},~`, ...body } : body, by)
      }, mark),
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
