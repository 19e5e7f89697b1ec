import type { ModelProblem } from '../../errors.ts'
import { isRelation } from '../check/check-descriptor.ts'
import { withStandardCheck } from '../check/foreign-schema.ts'
import { problemOfFieldName } from '../check/names.ts'
import { readSchema } from '../check/read-schema.ts'
import { dbDefault } from '../descriptors/field.ts'
import { fieldOptionsOf, problemsOfFieldOptions } from '../descriptors/field-options.ts'
import { problemOfStored, type Stored } from '../descriptors/stored.ts'
import { type Field, type Model, type Reference, type Resource, resourceOf } from '../model.ts'
import { fieldCheck, problemsOfFieldSchema } from '../values/field-check.ts'
import { enumerated } from '../values/schema-facts.ts'
import { storageOf } from '../values/storage.ts'
import { buildResources } from './build-resources.ts'
import { buildingOf, columnOf, type ResourceDraft } from './resource-draft.ts'

/** Turns a descriptor's `fields` into the resource's fields. */
export function buildFields(draft: ResourceDraft, problems: ModelProblem[]): void {
  for (const [name, schema] of Object.entries(buildingOf(draft).descriptor.fields ?? {})) {
    const place = `${draft.key}.fields.${name}`
    const unusable = problemOfFieldName(name)
    if (unusable !== undefined) {
      problems.push({ place, message: unusable })
      continue
    }
    const field = buildField(draft, name, schema, place, problems)
    if (field !== undefined) addField(draft, field)
  }
}

/** Adds a field to its resource. */
export function addField(draft: ResourceDraft, field: Field): void {
  buildingOf(draft).usedColumns.add(field.name)
  draft.fields.push(field)
  draft.members.push(field)
  draft.properties.push(field)
  draft.names.set(field.name, { is: 'field', field })
}

function buildField(
  draft: ResourceDraft,
  name: string,
  given: unknown,
  place: string,
  problems: ModelProblem[],
): Field | undefined {
  if (isRelation(given)) {
    problems.push({ place, message: "is a relation: declare it under 'relations'" })
    return undefined
  }
  const read = readSchema(given)
  if ('problem' in read) {
    problems.push({ place, message: read.problem })
    return undefined
  }
  const { schema, validate, isOptional: optional, takesNull } = read
  const storage = storageOf(schema)
  if ('problem' in storage) {
    problems.push({ place, message: storage.problem })
    return undefined
  }
  const ofStored = problemOfStored(schema, storage.kind)
  const unusable = [
    ...problemsOfFieldOptions(schema),
    ...problemsOfFieldSchema(schema),
    ...(ofStored ? [ofStored] : []),
  ]
  if (unusable.length > 0) {
    for (const message of unusable) problems.push({ place, message })
    return undefined
  }
  const options = fieldOptionsOf(schema)
  const fits = fieldCheck(schema, storage.kind)
  const hasDbDefault = schema.default === dbDefault
  const field: Field = {
    kind: 'field',
    name,
    property: name,
    column: columnOf(draft, name),
    schema,
    storage: storage.kind,
    nullable: optional || (takesNull ?? storage.nullable),
    required: !optional && schema.default === undefined && !options.readOnly,
    default: hasDbDefault ? undefined : schema.default,
    stored: schema.stored as Stored | undefined,
    was: schema.was as string | undefined,
    hasDbDefault,
    constants: enumerated(schema),
    ...options,
    setByRule: false,
    keepsOrder: false,
    position: draft.members.length,
    check: validate === undefined ? fits : withStandardCheck(fits, validate, { place, ...options }),
  }
  for (const message of problemsOfDefault(field)) problems.push({ place, message: `its default ${message}` })
  return Object.freeze(field)
}

function problemsOfDefault({ default: given, nullable, check }: Field): readonly string[] {
  if (given === undefined) return []
  if (given === null) return nullable ? [] : ['must not be null']
  return check(given).map(({ at, message }) => (at === '' ? message : `${at} ${message}`))
}

/** What is to be in place of what a model has. */
interface MembersFor {
  /** One field for each of the model's. */
  readonly fieldFor: (field: Field, resource: Resource) => Field
  /** Whether a rule gives the foreign key. */
  readonly isSetByRule: (reference: Reference) => boolean
}

/** A model with other members in place of its own; the model itself if nothing differs. */
export function withMembers<M extends Model>(model: M, { fieldFor, isSetByRule }: MembersFor): M {
  const differs = [...model.resources.values()].some(
    (resource) =>
      resource.fields.some((field) => fieldFor(field, resource) !== field) ||
      resource.references.some((reference) => isSetByRule(reference) && !reference.setByRule),
  )
  if (!differs) return model
  const resources = buildResources(model, (draft) => {
    const resource = resourceOf(model, draft.key)
    for (const field of resource.fields) addField(draft, fieldFor(field, resource))
    const { setByRules } = buildingOf(draft)
    for (const one of resource.references) if (isSetByRule(one)) setByRules.add(one.foreignKey)
  })
  return Object.freeze({ ...model, resources })
}
