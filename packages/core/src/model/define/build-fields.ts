import type { ModelProblem } from '../../errors.ts'
import { isRelation } from '../check/check-descriptor.ts'
import { looksLikeJsonSchema, whyForeign } from '../check/foreign-schema.ts'
import { problemOfFieldName } from '../check/problem-of-name.ts'
import { dbDefault } from '../descriptors/db-default.ts'
import { fieldOptionsOf, problemsOfFieldOptions } from '../descriptors/field-options.ts'
import { isOptional } from '../descriptors/json-schema.ts'
import { problemOfStored, type Stored } from '../descriptors/stored.ts'
import type { Field } from '../model.ts'
import { enumerated } from '../values/enumerated.ts'
import { fieldCheck, problemsOfFieldSchema } from '../values/field-check.ts'
import { storageOf } from '../values/storage.ts'
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
  schema: unknown,
  place: string,
  problems: ModelProblem[],
): Field | undefined {
  if (isRelation(schema)) {
    problems.push({ place, message: "is a relation: declare it under 'relations'" })
    return undefined
  }
  if (!looksLikeJsonSchema(schema)) {
    problems.push({ place, message: whyForeign(schema) })
    return undefined
  }
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
  const optional = isOptional(schema)
  const options = fieldOptionsOf(schema)
  const check = fieldCheck(schema, storage.kind)
  const hasDbDefault = schema.default === dbDefault
  const field: Field = {
    kind: 'field',
    name,
    property: name,
    column: columnOf(draft, name),
    schema,
    storage: storage.kind,
    nullable: optional || storage.nullable,
    required: !optional && schema.default === undefined && !options.readOnly,
    default: hasDbDefault ? undefined : schema.default,
    stored: schema.stored as Stored | undefined,
    was: schema.was as string | undefined,
    hasDbDefault,
    constants: enumerated(schema),
    ...options,
    setByRule: false,
    position: draft.members.length,
    check,
  }
  for (const message of problemsOfDefault(field)) problems.push({ place, message: `its default ${message}` })
  return Object.freeze(field)
}

function problemsOfDefault({ default: given, nullable, check }: Field): readonly string[] {
  if (given === undefined) return []
  if (given === null) return nullable ? [] : ['must not be null']
  return check(given).map(({ at, message }) => (at === '' ? message : `${at} ${message}`))
}
