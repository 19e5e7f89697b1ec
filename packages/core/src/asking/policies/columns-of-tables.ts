import { allRelationsOf } from '../../model/all-relations-of.ts'
import type { Link, Model, Resource } from '../../model/model.ts'
import { storedFields } from '../../model/stored-fields.ts'
import { type CallersType, typeOfField, typeOfIds } from './callers-type.ts'

/** The types of a table's columns, by their names. A column that is missing is none that the model knows, or holds JSON. */
export type Columns = ReadonlyMap<string, CallersType>

/** What the tables of resources and their links hold, by the table's name. */
export type Tables = ReadonlyMap<string, readonly (Resource | Link)[]>

export function tablesOf(resources: Iterable<Resource>): Tables {
  const tables = new Map<string, (Resource | Link)[]>()
  for (const resource of resources) {
    for (const one of [resource, ...resource.links]) {
      const known = tables.get(one.table)
      if (known === undefined) tables.set(one.table, [one])
      else known.push(one)
    }
  }
  return tables
}

const ofModels = new WeakMap<Model, Tables>()

/** All tables of a model. */
export function tablesIn(model: Model): Tables {
  const tables = ofModels.get(model) ?? tablesOf(model.resources.values())
  ofModels.set(model, tables)
  return tables
}

/** The resources to which relations lead from one, itself included. */
export function resourcesAround(resource: Resource): Iterable<Resource> {
  const around = new Set([resource])
  // A set grows while it is walked.
  for (const one of around) for (const { target } of allRelationsOf(one)) around.add(target)
  return around
}

const known = new WeakMap<Resource | Link, Columns>()

export function columnsOf(rows: Resource | Link): Columns {
  let columns = known.get(rows)
  if (columns === undefined) {
    columns = 'kind' in rows ? columnsOfLink(rows) : columnsOfResource(rows)
    known.set(rows, columns)
  }
  return columns
}

function columnsOfResource(resource: Resource): Columns {
  const columns = new Map<string, CallersType>()
  if (resource.hasId && resource.idMembers.length === 0) columns.set(resource.idColumns[0], typeOfIds(resource.id))
  for (const field of storedFields(resource)) {
    const type = typeOfField(field)
    if (type !== undefined) columns.set(field.column, type)
  }
  for (const { column, target } of [...resource.references, ...resource.ownedBy]) {
    columns.set(column, typeOfIds(target.id))
  }
  if (resource.tenant !== undefined) columns.set(resource.tenant.column, typeOfIds(resource.tenant.of.id))
  return columns
}

function columnsOfLink({ fromColumn, toColumn, source, target, tenant }: Link): Columns {
  return new Map([
    ...(tenant === undefined ? [] : [[tenant.column, typeOfIds(tenant.of.id)] as const]),
    [fromColumn, typeOfIds(source.id)],
    [toColumn, typeOfIds(target.id)],
  ])
}
