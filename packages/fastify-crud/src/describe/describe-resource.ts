import {
  allRelationsOf,
  type Field,
  type FieldRights,
  hasAddress,
  isPredefined,
  knowsField,
  otherEnd,
  type Reference,
  type Relation,
  type Resource,
  type UniqueKey,
} from '@fastify-crud/core/internal'
import { valueSchema } from '@fastify-crud/openapi'
import type {
  FieldDocument,
  IdDocument,
  KeyDocument,
  RelationDocument,
  ResourceDocument,
  SoftDeleteDocument,
} from './model-document.ts'
import type { Sight } from './sight.ts'

/** What a resource is by its descriptor, as far as the caller knows it. */
export function describeResource(
  resource: Resource,
  sight: Sight,
): Omit<ResourceDocument, 'paths' | 'operations' | 'actions' | 'ruled'> {
  const { description, hasGroups, ifMatch, isWritable, isTopLevel, softDelete, trash } = resource
  const relations = allRelationsOf(resource).filter(({ target }) => sight.knows(target))
  const unique = resource.uniques.filter((key) => isKnownKey(key, sight)).map(describeKey)
  const search = searchOf(resource, sight)
  return {
    ...(description !== undefined && { description }),
    ...(resource.hasId && { id: describeId(resource, sight) }),
    fields: { ...fieldsOf(resource, sight.fields), ...hiddenReferences(resource, sight) },
    relations: Object.fromEntries(relations.map((relation) => [relation.name, describeRelation(relation)])),
    defaultInclude: relations.filter((one) => 'carried' in one && one.carried).map(({ name }) => name),
    ...(unique.length > 0 && { unique }),
    ...(search.length > 0 && { search }),
    ...(hasGroups && { groups: true }),
    ...(softDelete && { softDelete: describeSoftDelete(softDelete, trash) }),
    ...(ifMatch && { ifMatch }),
    ...(isWritable && { writable: true }),
    ...(isTopLevel && { topLevel: true }),
  }
}

function describeId(resource: Resource, { fields }: Sight): IdDocument {
  const { id, shortId, idMembers } = resource
  const members = idMembers.filter((member) => member.kind !== 'field' || knowsField(fields, member))
  const isChoosable = resource.isWritable && isPredefined(resource, 'create', true)
  return {
    kind: id.name,
    schema: id.schema,
    assignedBy: id.assignedBy,
    ...(isChoosable && { choosable: true }),
    ...(members.length > 0 && { members: members.map(({ property }) => property) }),
    ...(shortId !== id && { short: { kind: shortId.name, schema: shortId.schema } }),
  }
}

function fieldsOf({ fields, computed }: Resource, rights: FieldRights): Record<string, FieldDocument> {
  const known = [...fields, ...computed].filter((value) => knowsField(rights, value))
  return Object.fromEntries(
    known.map((value): [string, FieldDocument] => {
      const isSet = rights.sets(value)
      const common = {
        schema: valueSchema(value),
        ...(!isSet && { readOnly: true as const }),
        ...(!rights.sees(value) && { writeOnly: true as const }),
      }
      if (value.kind === 'computed') return [value.name, { ...common, computed: true }]
      return [value.name, { ...common, ...(isSet && whatNewRecordsHave(value)) }]
    }),
  )
}

function whatNewRecordsHave({ required, default: given, hasDbDefault }: Field): Partial<FieldDocument> {
  return {
    ...(required && { required: true }),
    ...(given !== undefined && { default: given }),
    ...(hasDbDefault && { dbDefault: true }),
  }
}

/** A record has the foreign key also where the caller knows nothing of its target. Then it is a value like others. */
function hiddenReferences({ references, movedBy }: Resource, { knows }: Sight): Record<string, FieldDocument> {
  const hidden = [...references, ...movedBy].filter(({ target }) => !knows(target))
  return Object.fromEntries(
    hidden.map((reference): [string, FieldDocument] => {
      const { foreignKey, nullable, target } = reference
      const { type, ...others } = target.id.schema
      const schema = { type: nullable ? [type, 'null'] : type, ...others }
      return [foreignKey, { schema, ...(reference.kind === 'reference' && sideOfBody(reference)) }]
    }),
  )
}

function sideOfBody({ nullable, setByRule }: Reference): { readonly required?: true; readonly readOnly?: true } {
  if (setByRule) return { readOnly: true }
  return nullable ? {} : { required: true }
}

function describeRelation(relation: Relation): RelationDocument {
  const inverse = inverseOf(relation)?.name
  const common = { target: relation.target.key, ...(inverse !== undefined && { inverse }) }
  switch (relation.kind) {
    case 'owns': {
      const { many, required, order, segment } = relation
      const ends = { ...(required && { required: true as const }), ...(order && { ordered: true as const }) }
      return { kind: many ? 'owns.many' : 'owns.one', ...common, ...ends, path: segment }
    }
    case 'ownedBy': {
      const { foreignKey, nullable, position } = relation
      const set = position === undefined ? { readOnly: true as const } : { moves: true as const }
      return { kind: 'ownedBy', ...common, foreignKey, ...(!nullable && { required: true }), ...set }
    }
    case 'reference': {
      const { foreignKey, needs } = relation
      const unique = isUnique(relation) ? { unique: true as const } : {}
      return { kind: needs ? 'needs.one' : 'knows.one', ...common, foreignKey, ...sideOfBody(relation), ...unique }
    }
    case 'link': {
      const { needs, exclusive, order, name } = relation
      return {
        kind: needs ? 'needs.many' : 'knows.many',
        ...common,
        ...(needs && { required: true }),
        ...(exclusive && { unique: true }),
        ...(order !== undefined && { ordered: true }),
        ...(hasAddress(relation) && { path: name }),
      }
    }
    case 'neededBy':
      return { kind: relation.many ? 'neededBy.many' : 'neededBy.one', ...common, readOnly: true }
  }
}

/** The relation of the target that leads back; undefined where the model has none. */
function inverseOf(relation: Relation): Relation | undefined {
  switch (relation.kind) {
    case 'owns':
    case 'ownedBy':
    case 'neededBy':
      return relation.inverse
    case 'reference':
      return relation.target.neededBy.find(({ inverse }) => inverse === relation)
    case 'link':
      return relation.target.neededBy.find(({ inverse }) => inverse === relation) ?? otherEnd(relation)
  }
}

function isUnique(reference: Reference): boolean {
  return reference.source.uniques.some(
    ({ members, where }) => where.length === 0 && members.length === 1 && members[0] === reference,
  )
}

function isKnownKey({ dependsOn }: UniqueKey, { fields, knows }: Sight): boolean {
  return dependsOn.every((member) => (member.kind === 'field' ? fields.sees(member) : knows(member.target)))
}

function describeKey({ names, where }: UniqueKey): KeyDocument {
  return { names, ...(where.length > 0 && { conditional: true }) }
}

function searchOf({ search }: Resource, { fields, sees }: Sight): readonly string[] {
  const seen = (search?.fields ?? []).filter(
    ({ relations, value }) => fields.sees(value) && relations.every(({ target }) => sees(target)),
  )
  return seen.map(({ relations, value }) => [...relations, value].map(({ name }) => name).join('.'))
}

function describeSoftDelete({ name }: Field, trash: Resource['trash']): SoftDeleteDocument {
  return { moment: name, ...(trash && { trash: true }), ...(trash?.purges && { purge: true }) }
}
