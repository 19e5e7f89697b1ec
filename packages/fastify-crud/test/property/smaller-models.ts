import type { Descriptors, ResourceDescriptor } from 'fastify-crud'
import { isObject, type Json } from './json.ts'
import type { Request } from './reference-answer.ts'
import type { Case } from './smaller-cases.ts'

/** The case with a resource, a relation, a field, a unique key, a computed field or the given names less. Some make no sense. */
export function smallerModels(one: Case): Case[] {
  return Object.entries(one.descriptors).flatMap(([key, descriptor]) => [
    withoutResource(one, key),
    ...plainer(descriptor).map((changed) => ({ ...one, descriptors: { ...one.descriptors, [key]: changed } })),
    ...Object.keys(descriptor.relations ?? {}).map((name) => withoutRelation(one, key, name)),
    ...Object.keys(descriptor.relations ?? {}).flatMap((name) => withoutOrder(one, key, name)),
    ...Object.keys(descriptor.fields ?? {}).map((name) => withoutField(one, key, name)),
    ...Object.keys(descriptor.computed ?? {}).map((name) => withoutComputed(one, key, name)),
  ])
}

function withoutResource({ descriptors, ...one }: Case, key: string): Case {
  const others = Object.entries(descriptors).filter(([other]) => other !== key)
  const changed = others.map(([other, descriptor]): [string, ResourceDescriptor] => {
    return [other, relationsWithout(descriptor, (_, target) => target === key)]
  })
  return { ...one, descriptors: Object.fromEntries(changed) }
}

/** Without the names that are given, or one of the unique keys. */
function plainer({ fields = {}, relations = {}, unique = [], ...names }: ResourceDescriptor): ResourceDescriptor[] {
  const renamed = Object.keys(names).length > 0 ? [{ fields, relations, unique }] : []
  return [
    ...renamed,
    ...unique.map((_, index) => ({ ...names, fields, relations, unique: unique.toSpliced(index, 1) })),
    ...unique.flatMap((one, index) => {
      const plain = 'where' in one ? [{ fields: one.fields }] : []
      return plain.map((key) => ({ ...names, fields, relations, unique: unique.with(index, key) }))
    }),
  ]
}

/** Without a relation and its other side. */
function withoutRelation({ descriptors, requests, ...one }: Case, key: string, name: string): Case {
  const { target, options } = descriptors[key]?.relations?.[name] ?? { target: key, options: {} }
  const { inverse } = options as { inverse?: string }
  const changed: Record<string, ResourceDescriptor> = { ...descriptors }
  changed[key] = relationsWithout(changed[key] ?? {}, (other) => other === name)
  changed[target] = relationsWithout(changed[target] ?? {}, (other, to, inverseOfOther) => {
    return to === key && (other === inverse || inverseOfOther === name)
  })
  return { ...one, descriptors: changed, requests: withoutProperty(requests, name) }
}

/** An array that keeps its order no longer. */
function withoutOrder({ descriptors, ...one }: Case, key: string, name: string): Case[] {
  const { relations = {}, ...rest } = descriptors[key] ?? {}
  const relation = relations[name]
  if (relation === undefined || !('order' in relation.options)) return []
  const { order: _, ...options } = relation.options
  const changed = { ...rest, relations: { ...relations, [name]: { ...relation, options } as typeof relation } }
  return [{ ...one, descriptors: { ...descriptors, [key]: changed } }]
}

function withoutField({ descriptors, requests, ...one }: Case, key: string, name: string): Case {
  const { fields = {}, ...rest } = descriptors[key] ?? {}
  const { [name]: _, ...others } = fields
  const changed: Descriptors = { ...descriptors, [key]: { ...rest, fields: others } }
  return { ...one, descriptors: changed, requests: withoutProperty(requests, name) }
}

function withoutComputed({ descriptors, ...one }: Case, key: string, name: string): Case {
  const { computed = {}, ...rest } = descriptors[key] ?? {}
  const { [name]: _, ...others } = computed
  return { ...one, descriptors: { ...descriptors, [key]: { ...rest, computed: others } } }
}

function relationsWithout(
  descriptor: ResourceDescriptor,
  isGone: (name: string, target: string, inverse: string | undefined) => boolean,
): ResourceDescriptor {
  const relations = Object.entries(descriptor.relations ?? {}).filter(([name, { target, options }]) => {
    return !isGone(name, target, (options as { inverse?: string }).inverse)
  })
  const names = relations.map(([name]) => name)
  const include = descriptor.defaultInclude?.filter((name) => names.includes(name))
  return { ...descriptor, relations: Object.fromEntries(relations), ...(include && { defaultInclude: include }) }
}

/** The requests without a property, wherever it stands in a body. */
function withoutProperty(requests: readonly Request[], name: string): Request[] {
  const strip = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(strip)
    if (!isObject(value)) return value
    const entries = Object.entries(value).filter(([other]) => other !== name)
    return Object.fromEntries(entries.map(([other, item]) => [other, strip(item)]))
  }
  return requests.map((request) => ({ ...request, body: request.body === undefined ? undefined : strip(request.body) }))
}
