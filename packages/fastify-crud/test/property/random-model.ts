import fc from 'fast-check'
import { type Descriptors, defineResources, ModelError } from 'fastify-crud'
import { buildDescriptors } from './build-descriptors.ts'

export interface FieldSpec {
  readonly kind: number
  readonly presence: number
  readonly access: number
}

export interface OwnerSpec {
  readonly owner: number
  readonly many: boolean
  readonly required: boolean
  /** The array keeps its order. */
  readonly ordered?: boolean
}

export const relationKinds = [
  'knows.one',
  'knows.many',
  'needs.one',
  'needs.many',
  'needs.one unique',
  'needs.one optional',
  'needs.one optional unique',
  'needs.many exclusive',
  'knows.many both ways',
] as const

export interface RelationSpec {
  readonly kind: (typeof relationKinds)[number]
  readonly target: number
  /** The array of links keeps its order: a bit for each end. */
  readonly ordered?: number
}

export interface ConditionSpec {
  readonly member: number
  readonly is: number
}

/** What fast-check chooses for a resource: numbers that are read modulo what there is. */
export interface ResourceSpec {
  readonly fields: readonly FieldSpec[]
  readonly owners: readonly OwnerSpec[]
  readonly tree: 'no' | 'many' | 'one' | 'both'
  /** The children keep their order. */
  readonly treeOrdered?: boolean
  readonly relations: readonly RelationSpec[]
  readonly uniques: readonly (readonly number[])[]
  /** The condition of the unique key with the same index. */
  readonly conditions?: readonly (ConditionSpec | undefined)[]
  /** No two records below one owner name the same record: a swap of these has no value to park at. */
  readonly pairs: boolean
  readonly renamed: boolean
  /** Records that have owners have paths of their own, too. */
  readonly topLevel?: boolean
  /** Which relations a record carries, a bit for each; undefined: all. */
  readonly carried: number | undefined
}

/** True about once in `times`; shrinks to false. */
function once(times: number): fc.Arbitrary<boolean> {
  return fc.nat(times - 1).map((number) => number === times - 1)
}

const resourceSpec: fc.Arbitrary<ResourceSpec> = fc.record({
  fields: fc.array(fc.record({ kind: fc.nat(99), presence: fc.nat(99), access: fc.nat(99) }), {
    maxLength: 4,
    size: 'max',
  }),
  owners: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    { weight: 5, arbitrary: fc.array(ownerSpec(), { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(ownerSpec(), { minLength: 2, maxLength: 2 }) },
  ),
  tree: fc.oneof(
    { weight: 8, arbitrary: fc.constant('no' as const) },
    { weight: 2, arbitrary: fc.constant('many' as const) },
    { weight: 1, arbitrary: fc.constantFrom('one' as const, 'both' as const) },
  ),
  treeOrdered: once(2),
  relations: fc.array(fc.record({ kind: fc.constantFrom(...relationKinds), target: fc.nat(99), ordered: fc.nat(3) }), {
    maxLength: 3,
    size: 'max',
  }),
  uniques: fc.array(fc.array(fc.nat(99), { minLength: 1, maxLength: 3 }), { maxLength: 2 }),
  conditions: fc.array(fc.option(fc.record({ member: fc.nat(99), is: fc.nat(99) }), { nil: undefined, freq: 1 }), {
    maxLength: 2,
  }),
  pairs: once(3),
  renamed: once(4),
  topLevel: once(2),
  carried: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(255) }),
})

function ownerSpec(): fc.Arbitrary<OwnerSpec> {
  return fc.record({ owner: fc.nat(99), many: once(3).map((one) => !one), required: once(3), ordered: once(2) })
}

/** Models of two to six resources that `defineResources` accepts. */
export const randomModel: fc.Arbitrary<Descriptors> = fc
  .oneof(
    fc.array(resourceSpec, { minLength: 2, maxLength: 3 }),
    fc.array(resourceSpec, { minLength: 2, maxLength: 6, size: 'max' }),
  )
  .map(toDescriptors)

function toDescriptors(specs: readonly ResourceSpec[]): Descriptors {
  const descriptors = buildDescriptors(specs, true)
  try {
    defineResources(descriptors)
    return descriptors
  } catch (error) {
    // An owner that must have a child that needs something only there after the owner: then it need not have one.
    if (!(error instanceof ModelError)) throw error
    return buildDescriptors(specs, false)
  }
}
