import type { RelationModel, ResourceModel } from '../service-model.ts'

// Inputs that choose records have their ids, and the service has the records. So beside each array of links, such as
// `authors`, forms have `authorsIds`.

/** The name of the ids of an array of links; undefined: the resource has something else of that name. */
export function idsNameOf({ fields, relations }: ResourceModel, relation: string): string | undefined {
  const name = `${relation}Ids`
  return Object.hasOwn(fields, name) || Object.hasOwn(relations, name) ? undefined : name
}

/** The relation whose ids have that name. */
export function linksOfIds(
  resource: ResourceModel,
  name: string,
): { readonly name: string; readonly relation: RelationModel } | undefined {
  const of = name.endsWith('Ids') ? name.slice(0, -'Ids'.length) : ''
  const relation = relationIn(resource, of)
  if (relation === undefined || !isLinks(relation) || idsNameOf(resource, of) !== name) return undefined
  return { name: of, relation }
}

/** Whether a relation is an array of links that bodies may set. */
export function isLinks({ kind, readOnly }: RelationModel): boolean {
  return (kind === 'needs.many' || kind === 'knows.many') && readOnly !== true
}

export function relationIn({ relations }: ResourceModel, name: string): RelationModel | undefined {
  return Object.hasOwn(relations, name) ? relations[name] : undefined
}
