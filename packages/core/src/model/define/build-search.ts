import { type ModelProblem, withArticle } from '../../errors.ts'
import { allRelationsOf } from '../all-relations-of.ts'
import { didYouMean } from '../check/suggest.ts'
import type { Computed, Field, Relation, Resource, SearchField } from '../model.ts'
import { MOST_RELATIONS } from '../most-relations.ts'
import { COMPARED_FORMATS, textFormat } from '../values/text-format.ts'
import { buildingOf, type ResourceDraft } from './resource-draft.ts'

/** Turns a descriptor's `search` into paths to texts. The relations and the computed fields of all resources are there already. */
export function buildSearch(draft: ResourceDraft, problems: ModelProblem[]): void {
  const { search } = buildingOf(draft).descriptor
  if (search === undefined) return
  const fields: SearchField[] = []
  for (const [index, path] of search.fields.entries()) {
    const found = search.fields.indexOf(path) < index ? `'${path}' occurs twice` : readPath(draft, path)
    if (typeof found === 'string') problems.push({ place: `${draft.key}.search.fields[${index}]`, message: found })
    else fields.push(Object.freeze(found))
  }
  const indexed = search.index === true ? fields.flatMap(fieldOfRecord) : []
  if (search.index === true) {
    const place = `${draft.key}.search.index`
    if (!draft.isWritable) problems.push({ place, message: 'is made with the table, which others make here' })
    else if (indexed.length === 0) problems.push({ place, message: 'needs a field of the record itself' })
  }
  draft.search = Object.freeze({ fields: Object.freeze(fields), indexed: Object.freeze(indexed) })
}

function fieldOfRecord({ relations, value }: SearchField): readonly Field[] {
  return relations.length === 0 && value.kind === 'field' ? [value] : []
}

/** Where a path ends, or a message that says what is wrong with it. */
function readPath(resource: Resource, path: string): SearchField | string {
  const names = path.split('.')
  const last = names.pop() as string
  const relations: Relation[] = []
  let at: Resource = resource
  for (const name of names) {
    const relation = allRelationsOf(at).find((one) => one.name === name)
    if (relation === undefined) return isValue(at, name) ? `'${name}' is not a relation` : unknownName(at, name)
    relations.push(relation)
    at = relation.target
  }
  if (relations.length > MOST_RELATIONS) return `'${path}' leads through more than ${MOST_RELATIONS} relations`
  const value = valueNamed(at, last)
  if (value === undefined) {
    if (allRelationsOf(at).some(({ name }) => name === last)) return `'${path}' names records, not a text in them`
    return isValue(at, last) ? `'${path}' is not a text` : unknownName(at, last)
  }
  if (value.schema.writeOnly === true) return `'${path}' is writeOnly: no answer contains it`
  return isText(value) ? { relations: Object.freeze(relations), value } : `'${path}' is not a text`
}

function valueNamed({ fields, computed }: Resource, name: string): Field | Computed | undefined {
  return [...fields, ...computed].find((one) => one.name === name)
}

/** What a record shows besides its relations. */
function isValue(resource: Resource, name: string): boolean {
  const { references, ownedBy } = resource
  const isKey = [...references, ...ownedBy].some(({ foreignKey }) => foreignKey === name)
  return name === 'id' || isKey || valueNamed(resource, name) !== undefined
}

function isText({ storage, schema }: Field | Computed): boolean {
  return storage === 'string' && !COMPARED_FORMATS.some((format) => format === textFormat(schema))
}

function unknownName(at: Resource, name: string): string {
  const known = [...at.fields, ...at.computed, ...allRelationsOf(at)].map((one) => one.name)
  return `${withArticle(at.key)} has no '${name}'${didYouMean(name, known)}`
}
