import type { TSchema } from '@sinclair/typebox'
import { type Descriptors, neededBy, type ResourceDescriptor } from 'fastify-crud'
import { buildDescriptors } from '../property/build-descriptors.ts'
import { type FieldAccess, fieldSchema, presences } from '../property/random-fields.ts'
import { type RelationSpec, type ResourceSpec, relationKinds } from '../property/random-model.ts'
import type { Tape } from '../property/tape.ts'
import type { Feature } from './features.ts'
import { withComputed } from './random-computed.ts'
import { withSearches } from './random-search.ts'
import { readingKinds } from './reading-kinds.ts'

const FIELDS = ['name', 'select', 'isOpen', 'Value', 'toJson']

/** Texts more often than the rest. */
const KINDS = [0, 0, 0, 1, ...readingKinds.keys()]

const ACCESSES: readonly FieldAccess[] = [
  {},
  {},
  {},
  {},
  {},
  {},
  {},
  { readOnly: true },
  { writeOnly: true },
  { summary: false },
  { access: { View: ['staff'], Edit: ['staff'] } },
]

/** A model of two to five resources with relations of all kinds, declared on both sides. */
export function randomReadingModel(tape: Tape, features: ReadonlySet<Feature>): Descriptors {
  const count = 2 + tape.upTo(4)
  const specs = Array.from({ length: count }, () => randomSpec(tape))
  const built = buildDescriptors(specs, false)
  const named = Object.entries(built).map(([key, descriptor], index): [string, ResourceDescriptor] => {
    return [key, withFields(descriptor, specs[index]?.renamed === true, tape)]
  })
  const descriptors = withNeededBy(Object.fromEntries(named), tape)
  const whole = Object.entries(descriptors).map(([key, descriptor]): [string, ResourceDescriptor] => {
    return [key, { ...descriptor, ...randomOptions(descriptor, tape, features) }]
  })
  const made = Object.fromEntries(whole)
  const computed = features.has('computed') ? withComputed(made, tape) : made
  return features.has('search') ? withSearches(computed, tape) : computed
}

/** A resource's relations. Its fields are others than those of the models that only write. */
function randomSpec(tape: Tape): ResourceSpec {
  const relations = Array.from({ length: tape.upTo(4) }, (): RelationSpec => {
    return { kind: tape.of(relationKinds) ?? 'knows.one', target: tape.upTo(99) }
  })
  const owner = (): ResourceSpec['owners'][number] => ({ owner: tape.upTo(9), many: !tape.once(4), required: false })
  const tree = tape.of(['no', 'no', 'no', 'many', 'no', 'both', 'one'] as const) ?? 'no'
  const owners = Array.from({ length: tape.of([0, 1, 1, 0, 2]) ?? 0 }, owner)
  return { fields: [], uniques: [], owners, tree, relations, pairs: false, renamed: tape.once(4), carried: undefined }
}

function withFields(descriptor: ResourceDescriptor, isRenamed: boolean, tape: Tape): ResourceDescriptor {
  const fields: Record<string, TSchema> = {}
  const columns: Record<string, string> = { ...descriptor.columns }
  for (const name of FIELDS.slice(0, 1 + tape.upTo(FIELDS.length))) {
    const kind = readingKinds[tape.of(KINDS) ?? 0]
    const presence = tape.of(presences)
    const access = tape.of(ACCESSES)
    if (kind === undefined || presence === undefined || access === undefined) continue
    fields[name] = fieldSchema(kind, presence, access)
    if (isRenamed) columns[name] = `c_${name}`
  }
  return { ...descriptor, fields, ...(isRenamed ? { columns } : {}) }
}

/** The other side of `needs.one`, where it may be left out. */
function withNeededBy(descriptors: Descriptors, tape: Tape): Descriptors {
  const sides = new Map<string, ResourceDescriptor>(Object.entries(descriptors))
  for (const [key, { relations = {} }] of Object.entries(descriptors)) {
    for (const [name, { relation, target, options }] of Object.entries(relations)) {
      const { unique = false } = options as { unique?: boolean }
      if (relation !== 'needs.one' || unique || tape.once(4)) continue
      const needed = sides.get(target) ?? {}
      const other = { [`uses${key}${name}`]: neededBy.many(key, { inverse: name }) }
      sides.set(target, { ...needed, relations: { ...needed.relations, ...other } })
    }
  }
  return Object.fromEntries(sides)
}

/** What a descriptor says of reading, of the features that there are. */
function randomOptions(descriptor: ResourceDescriptor, tape: Tape, features: ReadonlySet<Feature>): object {
  const relations = Object.entries(descriptor.relations ?? {})
  const names = relations.filter(([, { relation }]) => /^(owns|needs|knows)\./.test(relation)).map(([name]) => name)
  const isCut = features.has('defaultInclude') && names.length > 0 && tape.once(4)
  return isCut ? { defaultInclude: tape.some(names, 4) } : {}
}
