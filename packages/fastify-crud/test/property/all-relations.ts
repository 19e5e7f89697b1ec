import type { Descriptors, ResourceDescriptor } from 'fastify-crud'

/** A model of the same tables whose records carry all of their relations. Those that do anyway are the same objects. */
export function withAllRelations(descriptors: Descriptors): Descriptors {
  const all = Object.entries(descriptors).map(([key, descriptor]): [string, ResourceDescriptor] => {
    const { defaultInclude, ...rest } = descriptor
    return [key, defaultInclude === undefined ? descriptor : rest]
  })
  return Object.fromEntries(all)
}
