import { type ListQuery, readListQuery } from '../../src/asking/list-query.ts'
import { relationsOf } from '../../src/asking/scope.ts'
import type { ParameterProblem } from '../../src/errors.ts'
import { ALL_FIELDS } from '../../src/model/field-rights.ts'
import { isToMany, type Relation, type Resource } from '../../src/model/model.ts'

/**
 * A query that names every relation of a resource in each way in which a client can name one, those of the next resources, too, and what
 * is computed.
 */
export function wideQuery(resource: Resource): ListQuery {
  const problems: ParameterProblem[] = []
  const limits = {
    maxFilters: 500,
    maxFilterDepth: 5,
    maxCost: 10_000,
    maxNested: 1_000,
    maxRows: 1_000_000,
    groupRows: 1_000,
    count: 'exact',
  } as const
  const scope = {
    hidden: new Set<Resource>(),
    fieldRights: ALL_FIELDS,
    ids: 'short' as const,
    limits,
    hasFunctions: true,
    costs: [],
    findsParts: false,
  }
  const relations = relationsOf(resource, scope)
  const several = relations.filter(isToMany)
  const computed = resource.computed.map(({ name }) => name)
  const request = {
    limit: 20,
    offset: 0,
    filter: { and: [...relations.map(filterThrough), ...computed.map((name) => ({ [name]: { null: false } }))] },
    sort: [
      ...computed.slice(0, 1),
      ...several.slice(0, 1).map(({ name }) => `-count(${name})`),
      ...single(relations).map((name) => `${name}.id`),
    ],
    fields: ['id', ...computed, ...several.map(({ name }) => `count(${name})`)],
    include: relations.flatMap(({ name, target }) => [
      name,
      ...relationsOf(target, scope).map((next) => `${name}.${next.name}`),
    ]),
    nested: Object.fromEntries(
      several.map(({ name, target }) => [
        name,
        { limit: 2, sort: ['-id'], filter: { and: relationsOf(target, scope).map(filterThrough) } },
      ]),
    ),
  }
  const query = readListQuery(
    { path: { resource, relations: [], isTopLevel: false }, owners: [] },
    request,
    scope,
    problems,
  )
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'))
  return query
}

function filterThrough(relation: Relation): object {
  return isToMany(relation) ? { [relation.name]: { some: {} } } : { [`${relation.name}.id`]: { gt: 0 } }
}

function single(relations: readonly Relation[]): readonly string[] {
  return relations
    .filter((relation) => !isToMany(relation))
    .slice(0, 3)
    .map(({ name }) => name)
}
