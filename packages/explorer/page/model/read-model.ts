import { ServiceError } from '../service/problem.ts'
import type { Field, ModelDocument, Relation, Resource } from './model.ts'

/**
 * The model as far as the page can use it, whatever the service says. Its maps have no names but their own: a relation
 * to `constructor` leads to no resource.
 *
 * @throws ServiceError for what is no model.
 */
export function readModel(body: unknown): ModelDocument {
  const { resources, limits } = objectIn(body)
  if (typeof resources !== 'object' || resources === null) {
    throw new ServiceError(200, { detail: 'Its $model is none. Is it a service of fastify-crud?' })
  }
  const known = mapOf(resources, (resource): Resource => {
    const { description, paths, fields, relations, operations, defaultInclude } = objectIn(resource)
    return {
      ...objectIn(resource),
      ...textIn('description', description),
      paths: listIn(paths).filter((path): path is string => typeof path === 'string' && path.startsWith('/')),
      fields: mapOf(fields, (field): Field => ({ ...objectIn(field), schema: objectIn(objectIn(field).schema) })),
      relations: mapOf(relations, (relation) => {
        const { kind, target } = objectIn(relation)
        return { ...objectIn(relation), kind: String(kind) as Relation['kind'], target: String(target) }
      }),
      operations: objectIn(operations),
      defaultInclude: listIn(defaultInclude).map(String),
    }
  })
  const { defaultPage = 20, maxPage = 100, ...others } = objectIn(limits)
  return {
    ...(objectIn(body) as unknown as ModelDocument),
    limits: { ...others, defaultPage: Number(defaultPage) || 20, maxPage: Number(maxPage) || 100 },
    resources: known,
  }
}

const objectIn = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const textIn = (name: string, value: unknown) => (value === undefined ? {} : { [name]: String(value) })

function mapOf<Value>(value: unknown, make: (one: unknown) => Value): Readonly<Record<string, Value>> {
  const map: Record<string, Value> = Object.create(null)
  for (const [name, one] of Object.entries(objectIn(value))) map[name] = make(one)
  return map
}
