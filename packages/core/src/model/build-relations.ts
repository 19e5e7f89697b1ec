import type { ModelProblem } from '../errors.ts'
import { PATH_SEGMENT } from './check-descriptor.ts'
import { columnOf, type ResourceDraft } from './draft.ts'
import type { Link, OwnedBy, Owns, Reference } from './model.ts'
import type { LinkOptions, RelationDeclaration } from './relations.ts'
import { didYouMean } from './suggest.ts'

type Drafts = ReadonlyMap<string, ResourceDraft>
type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** One declared relation, with the place to name when something is wrong with it. */
interface Declared {
  readonly name: string
  readonly place: string
  readonly source: ResourceDraft
  readonly target: ResourceDraft
  readonly declaration: RelationDeclaration
}

/** Turns every descriptor's `relations` into the model's, and checks that both sides of each agree. */
export function buildRelations(drafts: Drafts, problems: ModelProblem[]): void {
  const declared = [...drafts.values()].flatMap((source) => declaredIn(source, drafts, problems))
  const ownedBy = new Map<Declared, Mutable<OwnedBy>>()
  for (const one of declared) {
    if (one.declaration.relation === 'ownedBy') ownedBy.set(one, buildOwnedBy(one, one.declaration.options, problems))
  }
  const paired = new Set<Declared>()
  for (const one of declared) build(one, declared, ownedBy, paired, problems)
  for (const [one, relation] of ownedBy) {
    if (paired.has(one)) continue
    problems.push({
      place: one.place,
      message: `${relation.target.key} has no 'owns' relation that goes with it; 'owns' and 'ownedBy' come in pairs`,
    })
  }
  for (const one of declared) checkNeededBy(one, declared, problems)
  for (const draft of drafts.values()) finishOwners(draft)
  for (const draft of drafts.values()) finishSegments(draft, problems)
  for (const draft of drafts.values()) checkColumns(draft, problems)
}

function declaredIn(source: ResourceDraft, drafts: Drafts, problems: ModelProblem[]): Declared[] {
  const found: Declared[] = []
  for (const [name, declaration] of Object.entries(source.descriptor.relations ?? {})) {
    const place = `${source.key}.relations.${name}`
    const target = drafts.get(declaration.target)
    if (name === 'id' || name === '' || name === '__proto__') {
      problems.push({ place, message: `a relation cannot be called '${name}'` })
    } else if (target === undefined) {
      const hint = didYouMean(declaration.target, drafts.keys())
      problems.push({ place, message: `no resource '${declaration.target}'${hint}` })
    } else {
      found.push({ name, place, source, target, declaration })
    }
  }
  return found
}

function build(
  one: Declared,
  declared: readonly Declared[],
  ownedBy: ReadonlyMap<Declared, Mutable<OwnedBy>>,
  paired: Set<Declared>,
  problems: ModelProblem[],
): void {
  const { source, target, name, place, declaration } = one
  switch (declaration.relation) {
    case 'owns.one':
    case 'owns.many': {
      const inverse = findInverse(one, declared, paired, problems)
      const back = inverse && ownedBy.get(inverse)
      if (inverse === undefined || back === undefined) return
      paired.add(inverse)
      const many = declaration.relation === 'owns.many'
      const required = declaration.relation === 'owns.one' && declaration.options.required === true
      const owns: Owns = { kind: 'owns', name, source, target, many, required, inverse: back, segment: target.route }
      back.inverse = owns
      source.owns.push(owns)
      if (source === target) source.recursive.push(owns)
      source.properties.push(owns)
      claim(source, name, place, problems) && source.names.set(name, { is: 'owns', owns })
      if (source === target && required) {
        problems.push({ place, message: 'a record that must own one of its own kind can never end' })
      }
      return
    }
    case 'needs.one':
    case 'knows.one': {
      const needs = declaration.relation === 'needs.one'
      const foreignKey = declaration.options.foreignKey ?? `${name}Id`
      const column = columnOf(source, foreignKey)
      const reference: Reference = { kind: 'reference', name, source, target, needs, foreignKey, column }
      source.references.push(reference)
      source.properties.push(reference)
      target.referencedBy.push(reference)
      claim(source, name, place, problems) && source.names.set(name, { is: 'nested', reference })
      claim(source, foreignKey, place, problems) && source.names.set(foreignKey, { is: 'foreignKey', reference })
      if (declaration.relation === 'needs.one' && declaration.options.unique === true) {
        source.uniques.push({ names: [name], members: [reference] })
      }
      return
    }
    case 'needs.many':
    case 'knows.many': {
      const needs = declaration.relation === 'needs.many'
      const facing = needs ? facingNeededBy(one, declared) : []
      const exclusive = facing.some((other) => other.declaration.relation === 'neededBy.one')
      const link: Link = {
        kind: 'link',
        name,
        source,
        target,
        needs,
        exclusive,
        ...linkTable(one, declaration.options),
      }
      if (link.from === link.to) problems.push({ place, message: `'from' and 'to' are both the column '${link.to}'` })
      source.links.push(link)
      source.properties.push(link)
      target.linkedBy.push(link)
      claim(source, name, place, problems) && source.names.set(name, { is: 'link', link })
      return
    }
    case 'ownedBy':
    case 'neededBy.one':
    case 'neededBy.many':
      return
  }
}

function buildOwnedBy(
  one: Declared,
  options: { foreignKey?: string; optional?: boolean },
  problems: ModelProblem[],
): Mutable<OwnedBy> {
  const { source, target, name, place } = one
  const foreignKey = options.foreignKey ?? `${name}Id`
  if (options.optional === true && source !== target) {
    problems.push({
      place,
      message: "'optional' is for a resource that owns itself; other owned records have an owner",
    })
  }
  const ownedBy: Mutable<OwnedBy> = {
    kind: 'ownedBy',
    name,
    source,
    target,
    foreignKey,
    column: columnOf(source, foreignKey),
    nullable: options.optional === true,
    inverse: undefined as unknown as Owns,
  }
  source.ownedBy.push(ownedBy)
  return ownedBy
}

/** The `ownedBy` on the other side: the one named by `inverse`, or the only one that is left. */
function findInverse(
  one: Declared,
  declared: readonly Declared[],
  paired: ReadonlySet<Declared>,
  problems: ModelProblem[],
): Declared | undefined {
  const { source, target, place, declaration } = one
  const inverse = (declaration.options as { inverse?: string }).inverse
  const facing = declared.filter(
    (other) => other.source === target && other.target === source && other.declaration.relation === 'ownedBy',
  )
  if (inverse !== undefined) {
    const found = facing.find((other) => other.name === inverse)
    if (found === undefined) {
      const hint = didYouMean(
        inverse,
        facing.map((other) => other.name),
      )
      problems.push({
        place,
        message: `${target.key} has no relation '${inverse}' that is ownedBy('${source.key}')${hint}`,
      })
    } else if (paired.has(found)) {
      problems.push({ place, message: `${target.key}.relations.${inverse} is the inverse of another relation already` })
      return undefined
    }
    return found
  }
  const named = new Set(declared.map((other) => (other.source === source ? inverseOf(other) : undefined)))
  const free = facing.filter((other) => !named.has(other.name))
  const owners = declared.filter(
    (other) => other.source === source && other.target === target && other.declaration.relation.startsWith('owns.'),
  )
  if (free.length === 1 && owners.filter((other) => inverseOf(other) === undefined).length === 1) return free[0]
  problems.push({
    place,
    message:
      free.length === 0
        ? `${target.key} has no relation ownedBy('${source.key}') that goes with it; 'owns' and 'ownedBy' come in pairs`
        : `${source.key} owns ${target.key} several times; say with 'inverse' which ownedBy relation goes with this one`,
  })
  return undefined
}

function inverseOf(one: Declared): string | undefined {
  return (one.declaration.options as { inverse?: string }).inverse
}

function facingNeededBy(one: Declared, declared: readonly Declared[]): Declared[] {
  return declared.filter(
    (other) =>
      other.declaration.relation.startsWith('neededBy.') &&
      other.source === one.target &&
      other.target === one.source &&
      (inverseOf(other) ?? one.name) === one.name,
  )
}

/** `neededBy` is a promise about the `needs` that faces it. */
function checkNeededBy(one: Declared, declared: readonly Declared[], problems: ModelProblem[]): void {
  const { declaration, place, source, target } = one
  if (declaration.relation !== 'neededBy.one' && declaration.relation !== 'neededBy.many') return
  const inverse = inverseOf(one)
  const facing = declared.filter(
    (other) =>
      other.source === target &&
      other.target === source &&
      other.declaration.relation.startsWith('needs.') &&
      (inverse === undefined || other.name === inverse),
  )
  if (facing.length === 0) {
    problems.push({
      place,
      message: `${target.key} has no relation that needs '${source.key}'${inverse ? ` called '${inverse}'` : ''}`,
    })
    return
  }
  if (facing.length > 1) {
    problems.push({
      place,
      message: `${target.key} needs '${source.key}' several times; say with 'inverse' which relation is meant`,
    })
    return
  }
  const [other] = facing as [Declared]
  if (other.declaration.relation !== 'needs.one') return
  const unique = other.declaration.options.unique === true
  if (declaration.relation === 'neededBy.one' && !unique) {
    problems.push({
      place,
      message: `neededBy.one goes with needs.one('${source.key}', { unique: true }) at ${other.place}`,
    })
  }
  if (declaration.relation === 'neededBy.many' && unique) {
    problems.push({ place, message: `${other.place} is unique: each ${source.key} is needed by one; use neededBy.one` })
  }
}

function linkTable(one: Declared, options: LinkOptions): Pick<Link, 'table' | 'from' | 'to'> {
  const from = options.from ?? `${one.source.key}Id`
  const target = `${one.target.key}Id`
  return {
    table: options.through ?? `${one.source.key}_${one.name}`,
    from,
    to: options.to ?? (target === from ? `${one.name}Id` : target),
  }
}

/** Whether a body may use the name for this; a second claim on one name is a problem. */
function claim(draft: ResourceDraft, name: string, place: string, problems: ModelProblem[]): boolean {
  if (name === 'id') {
    problems.push({ place, message: "a foreign key cannot be called 'id'" })
    return false
  }
  if (!draft.names.has(name)) return true
  problems.push({ place, message: `${draft.key} has a field or relation '${name}' already` })
  return false
}

function finishOwners(draft: ResourceDraft): void {
  draft.isRoot = draft.ownedBy.length === 0 || draft.ownedBy.some((owner) => owner.nullable)
  if (draft.ownedBy.length > 1) for (const owner of draft.ownedBy) (owner as Mutable<OwnedBy>).nullable = true
  for (const owner of draft.ownedBy) {
    if (owner.inverse?.many === false) draft.uniques.push({ names: [owner.name], members: [owner] })
  }
}

function finishSegments(draft: ResourceDraft, problems: ModelProblem[]): void {
  const taken = new Map<string, string>()
  for (const owns of draft.owns as Mutable<Owns>[]) {
    if (draft.owns.some((other) => other !== owns && other.target === owns.target)) owns.segment = owns.name
    const place = `${draft.key}.relations.${owns.name}`
    if (!PATH_SEGMENT.test(owns.segment)) problems.push({ place, message: `'${owns.segment}' is not one path segment` })
    const other = taken.get(owns.segment)
    if (other !== undefined) {
      problems.push({ place, message: `its path segment '${owns.segment}' is that of '${other}' already` })
    }
    taken.set(owns.segment, owns.name)
  }
}

function checkColumns(draft: ResourceDraft, problems: ModelProblem[]): void {
  const { columns } = draft.descriptor
  for (const name of Object.keys(columns ?? {})) {
    if (draft.usedColumns.has(name)) continue
    const hint = didYouMean(name, draft.usedColumns)
    problems.push({ place: `${draft.key}.columns.${name}`, message: `no field or foreign key '${name}'${hint}` })
  }
  const taken = new Map<string, string>([[draft.idColumn.toLowerCase(), 'id']])
  for (const one of [...draft.fields, ...draft.ownedBy, ...draft.references]) {
    const name = one.kind === 'field' ? one.name : one.foreignKey
    const other = taken.get(one.column.toLowerCase())
    if (other !== undefined) {
      problems.push({
        place: `${draft.key}.${name}`,
        message: `its column '${one.column}' is that of '${other}' already`,
      })
    }
    taken.set(one.column.toLowerCase(), name)
  }
}
