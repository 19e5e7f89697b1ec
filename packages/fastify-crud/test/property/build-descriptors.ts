import { OptionalKind, type TSchema } from '@sinclair/typebox'
import {
  type Descriptors,
  type KeyConditionDeclaration,
  knows,
  neededBy,
  needs,
  ownedBy,
  owns,
  type ResourceDescriptor,
  type UniqueKeyDeclaration,
} from 'fastify-crud'
import { accesses, fieldKinds, fieldSchema, madeOf, presences } from './random-fields.ts'
import type { ConditionSpec, OwnerSpec, RelationSpec, ResourceSpec } from './random-model.ts'

/** Names that are reserved words, or change under folding, or are also methods. */
const KEYS = ['user', 'order', 'item', 'noteBook', 'group', 'Tag2']
const FIELDS = ['name', 'select', 'isOpen', 'Value', 'toJson']
const DEEPEST = 3
const POSITION = 'position'

type Relations = NonNullable<ResourceDescriptor['relations']>

interface Draft {
  readonly key: string
  readonly spec: ResourceSpec
  readonly fields: Record<string, TSchema>
  readonly relations: Record<string, Relations[string]>
  readonly columns: Record<string, string>
  readonly unique: UniqueKeyDeclaration[]
  /** What may be a member of a unique key. */
  readonly members: string[]
  readonly owners: string[]
  /** The outermost resources that its records can stand below. */
  readonly roots: Set<string>
  depth: number
}

/** Turns the numbers that fast-check chose into descriptors; `withRequired: false` leaves out `required` of `owns.one`. */
export function buildDescriptors(specs: readonly ResourceSpec[], withRequired: boolean): Descriptors {
  const drafts = specs.map((spec, index) => newDraft(spec, KEYS[index] ?? `resource${index}`))
  for (const [index, draft] of drafts.entries()) {
    const before = drafts.slice(0, index)
    if (draft.spec.tree !== 'no') addTree(draft)
    else for (const [place, owner] of draft.spec.owners.entries()) addOwner(draft, owner, place, before, withRequired)
  }
  for (const [index, draft] of drafts.entries()) {
    for (const [place, relation] of draft.spec.relations.entries()) addRelation(draft, relation, place, drafts, index)
  }
  for (const draft of drafts) addUniques(draft)
  return Object.fromEntries(drafts.map((draft) => [draft.key, toDescriptor(draft)]))
}

function newDraft(spec: ResourceSpec, key: string): Draft {
  const draft: Draft = {
    key,
    spec,
    fields: {},
    relations: {},
    columns: spec.renamed ? { id: 'pk' } : {},
    unique: [],
    members: [],
    owners: [],
    roots: new Set([key]),
    depth: 1,
  }
  for (const [index, { kind, presence, access: accessIndex }] of spec.fields.entries()) {
    const name = FIELDS[index] ?? `field${index}`
    const chosen = fieldKinds[kind % fieldKinds.length]
    const there = presences[presence % presences.length]
    const access = accesses[accessIndex % accesses.length]
    if (chosen === undefined || there === undefined || access === undefined) continue
    draft.fields[name] = fieldSchema(chosen, there, access)
    if (spec.renamed) draft.columns[name] = `c_${name}`
    // All records would have the same value of a read-only one.
    if (chosen.numbered !== undefined && access.readOnly !== true) draft.members.push(name)
  }
  return draft
}

function addTree(draft: Draft): void {
  const { key, relations, spec } = draft
  if (spec.tree === 'many' || spec.tree === 'both') {
    relations.parent = ownedBy(key, { optional: true, ...keyOption(draft, 'parent') })
    relations.children = owns.many(key, { inverse: 'parent', ...orderOption(draft, spec.treeOrdered, POSITION) })
    draft.owners.push('parent')
  }
  if (spec.tree === 'one' || spec.tree === 'both') {
    relations.before = ownedBy(key, { optional: true, ...keyOption(draft, 'before') })
    relations.after = owns.one(key, { inverse: 'before' })
    draft.owners.push('before')
  }
}

function addOwner(
  draft: Draft,
  { owner: index, many, required, ordered }: OwnerSpec,
  place: number,
  before: readonly Draft[],
  withRequired: boolean,
): void {
  const possible = before.filter(({ depth }) => depth < DEEPEST)
  const owner = possible[index % Math.max(possible.length, 1)]
  if (owner === undefined) return
  const name = `owner${place}`
  draft.relations[name] = ownedBy(owner.key, keyOption(draft, name))
  draft.owners.push(name)
  draft.depth = Math.max(draft.depth, owner.depth + 1)
  draft.roots.delete(draft.key)
  for (const root of owner.roots) draft.roots.add(root)
  const there = many ? `${draft.key}List${place}` : `${draft.key}One${place}`
  const isRequired = required && withRequired ? { required: true } : {}
  // Two arrays may have the same column, as a record stands in one of them.
  const column = place === 0 || index % 2 === 0 ? POSITION : 'place'
  owner.relations[there] = many
    ? owns.many(draft.key, { inverse: name, ...orderOption(draft, ordered, column) })
    : owns.one(draft.key, { inverse: name, ...isRequired })
}

function addRelation(
  draft: Draft,
  { kind, target: index, ordered = 0 }: RelationSpec,
  place: number,
  drafts: readonly Draft[],
  at: number,
): void {
  // What is needed stands before what needs it, so that a first record of each can be made.
  const isFirst = kind.startsWith('needs') && !kind.startsWith('needs.one optional')
  const before = isFirst ? drafts.slice(0, at) : drafts
  // Half of them within one tree of owners: there a write removes what it names.
  const near = before.filter((other) => [...draft.roots].some((root) => other.roots.has(root)))
  const possible = index % 2 === 1 && near.length > 0 ? near : before
  const target = possible[index % Math.max(possible.length, 1)]
  if (target === undefined) return
  const name = `${kind.slice(0, 5)}${place}`
  const { key, relations } = draft
  const orders = [ordered & 1 ? { order: POSITION } : {}, ordered & 2 ? { order: 'place' } : {}]
  const names = draft.spec.renamed ? { through: `${key}_${name}_link`, from: 'left_id', to: 'right_id' } : {}
  const table = { ...names, ...orders[0] }
  const optional = kind === 'needs.one optional unique' ? { optional: true } : {}
  switch (kind) {
    case 'knows.one':
      relations[name] = knows.one(target.key, keyOption(draft, name))
      draft.members.push(name)
      return
    case 'needs.one':
      relations[name] = needs.one(target.key, keyOption(draft, name))
      draft.members.push(name)
      return
    case 'needs.one optional':
      relations[name] = needs.one(target.key, { optional: true, ...keyOption(draft, name) })
      draft.members.push(name)
      return
    case 'needs.one optional unique':
    case 'needs.one unique':
      relations[name] = needs.one(target.key, { unique: true, ...optional, ...keyOption(draft, name) })
      target.relations[`serves${key}${place}`] = neededBy.one(key, { inverse: name })
      return
    case 'knows.many':
      relations[name] = knows.many(target.key, table)
      return
    case 'needs.many':
      relations[name] = needs.many(target.key, table)
      target.relations[`serves${key}${place}`] = neededBy.many(key, { inverse: name })
      return
    case 'needs.many exclusive':
      relations[name] = needs.many(target.key, table)
      target.relations[`serves${key}${place}`] = neededBy.one(key, { inverse: name })
      return
    case 'knows.many both ways': {
      // One body with both ends of the same association could say two things of it.
      if ([...draft.roots].some((root) => target.roots.has(root))) return
      const through = `${key}_${target.key}_${place}`
      relations[name] = knows.many(target.key, { through, from: 'left_id', to: 'right_id', ...orders[0] })
      const other = { through, from: 'right_id', to: 'left_id', ...orders[1] }
      target.relations[`known${key}${place}`] = knows.many(key, other)
      return
    }
  }
}

/** The name of the numbers by which elements are ordered, and their column. */
function orderOption(draft: Draft, isOrdered: boolean | undefined, name: string): { order?: string } {
  if (isOrdered !== true) return {}
  if (draft.spec.renamed) draft.columns[name] = `c_${name}`
  return { order: name }
}

/** The foreign key's name in a model whose names are all given, and its column. */
function keyOption(draft: Draft, name: string): { foreignKey?: string } {
  if (!draft.spec.renamed) return {}
  const foreignKey = `${name}Ref`
  draft.columns[foreignKey] = `c_${foreignKey}`
  return { foreignKey }
}

function addUniques(draft: Draft): void {
  const members = [...draft.members, ...draft.owners]
  const keys = draft.spec.uniques.map((numbers) =>
    numbers.flatMap((number) => members[number % Math.max(members.length, 1)] ?? []),
  )
  const needed = draft.members.find((name) => draft.relations[name]?.relation === 'needs.one')
  if (draft.spec.pairs && needed !== undefined) keys.push([...draft.owners.slice(0, 1), needed])
  for (const [index, chosen] of keys.entries()) {
    const names = new Set(chosen)
    if ([...names].every((name) => draft.owners.includes(name))) continue
    const isThere = draft.unique.some(
      ({ fields }) => fields.length === names.size && fields.every((name) => names.has(name)),
    )
    if (!isThere) draft.unique.push({ fields: [...names], ...condition(draft, draft.spec.conditions?.[index]) })
  }
}

/** The condition of a partial key. */
function condition(draft: Draft, spec: ConditionSpec | undefined): Pick<UniqueKeyDeclaration, 'where'> {
  if (spec === undefined) return {}
  const possible = [...fieldConditions(draft), ...relationConditions(draft)]
  const [name, all] = possible[spec.member % Math.max(possible.length, 1)] ?? []
  const is = all?.[spec.is % all.length]
  return name === undefined || is === undefined ? {} : { where: { [name]: is } }
}

type Conditions = [name: string, all: KeyConditionDeclaration[]]

const NULL_OR_NOT: readonly KeyConditionDeclaration[] = [null, { null: false }]

function fieldConditions({ fields }: Draft): Conditions[] {
  return Object.entries(fields).flatMap(([name, schema]): Conditions[] => {
    const { kind } = madeOf(schema)
    if (schema.writeOnly === true || kind.constants === undefined) return []
    const all = [...kind.constants, ...(OptionalKind in schema ? NULL_OR_NOT : [])]
    return all.length === 0 ? [] : [[name, all]]
  })
}

function relationConditions({ relations, owners }: Draft): Conditions[] {
  return Object.entries(relations).flatMap(([name, { relation, options }]): Conditions[] => {
    const isOptional = (options as { optional?: boolean }).optional === true
    const isNullable = relation === 'knows.one' || isOptional || (relation === 'ownedBy' && owners.length > 1)
    return isNullable ? [[name, [...NULL_OR_NOT]]] : []
  })
}

function toDescriptor(draft: Draft): ResourceDescriptor {
  const { key, spec, fields, relations, columns, unique: keys, roots } = draft
  const unique = keys.map((one) => (one.where === undefined ? one.fields : one))
  const names = spec.renamed ? { table: `t_${key}`, route: `${key}.s`, columns } : {}
  const shown = Object.keys(relations).filter((name) => canBeCarried(relations[name]))
  const include = spec.carried === undefined ? {} : { defaultInclude: someOf(shown, spec.carried) }
  const top = spec.topLevel && !roots.has(key) ? { topLevel: true as const } : {}
  return { ...names, ...top, fields, relations, ...(unique.length > 0 ? { unique } : {}), ...include }
}

function canBeCarried(declaration: Relations[string] | undefined): boolean {
  return declaration !== undefined && /^(owns|needs|knows)\./.test(declaration.relation)
}

function someOf(names: readonly string[], bits: number): string[] {
  return names.filter((_, index) => ((bits >> (index % 8)) & 1) === 1)
}
