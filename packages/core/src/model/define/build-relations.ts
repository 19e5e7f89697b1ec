import type { ModelProblem } from '../../errors.ts'
import { didYouMean, problemOfRelationName } from '../check/names.ts'
import type { LinkOptions, OwnedByOptions } from '../descriptors/relations.ts'
import type { Link, MovingReference, OwnerReference, Owns, Reference } from '../model.ts'
import { buildOrder } from './build-order.ts'
import { uniqueKey } from './build-uniques.ts'
import { finishRelations } from './finish-relations.ts'
import {
  buildingOf,
  columnOf,
  type Declarations,
  type Declared,
  declarationsOf,
  inverseOf,
  type ResourceDraft,
} from './resource-draft.ts'

type Drafts = ReadonlyMap<string, ResourceDraft>
type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Turns every descriptor's `relations` into the model's, and checks that both sides of each agree. */
export function buildRelations(drafts: Drafts, problems: ModelProblem[]): void {
  const declarations = declarationsOf(drafts, problems)
  const ownedBy = new Map<Declared, Mutable<OwnerReference>>()
  for (const one of declarations.all) {
    if (one.declaration.relation === 'ownedBy') ownedBy.set(one, buildOwnedBy(one, one.declaration.options, problems))
  }
  const paired = new Set<Declared>()
  for (const one of declarations.all) build(one, declarations, ownedBy, paired, problems)
  for (const [one, relation] of ownedBy) {
    if (paired.has(one)) continue
    problems.push({
      place: one.place,
      message: `${relation.target.key} has no matching 'owns' relation; 'owns' and 'ownedBy' come in pairs`,
    })
  }
  for (const one of declarations.all) buildNeededBy(one, declarations, problems)
  for (const draft of drafts.values()) buildOrder(draft, problems)
  for (const draft of drafts.values()) finishRelations(draft, problems)
}

function build(
  one: Declared,
  declarations: Declarations,
  ownedBy: ReadonlyMap<Declared, Mutable<OwnerReference>>,
  paired: Set<Declared>,
  problems: ModelProblem[],
): void {
  const { source, target, name, place, declaration } = one
  switch (declaration.relation) {
    case 'owns.one':
    case 'owns.many': {
      const inverse = findInverse(one, declarations, paired, problems)
      const back = inverse && ownedBy.get(inverse)
      if (inverse === undefined || back === undefined) return
      paired.add(inverse)
      const many = declaration.relation === 'owns.many'
      const required = declaration.relation === 'owns.one' && declaration.options.required === true
      const owns: Owns = {
        kind: 'owns',
        name,
        source,
        target,
        many,
        required,
        inverse: back,
        order: undefined,
        carried: isCarried(source, name),
        segment: target.route,
        position: source.owns.length,
      }
      back.inverse = owns
      source.owns.push(owns)
      if (source === target) source.recursive.push(owns)
      source.properties.push(owns)
      claim(source, name, place, problems) && source.names.set(name, { is: 'owns', owns })
      if (source === target && required) {
        problems.push({
          place,
          message: "'required' is not possible here: each record would need another one below it, without end",
        })
      }
      return
    }
    case 'needs.one':
    case 'knows.one': {
      const needs = declaration.relation === 'needs.one'
      const nullable = declaration.relation === 'knows.one' || declaration.options.optional === true
      const foreignKey = declaration.options.foreignKey ?? `${name}Id`
      const reference: Reference = {
        kind: 'reference',
        name,
        source,
        target,
        needs,
        nullable,
        foreignKey,
        property: foreignKey,
        column: columnOf(source, foreignKey),
        carried: isCarried(source, name),
        isConstrained: declaration.options.constraint !== false,
        setByRule: buildingOf(source).setByRules.has(foreignKey),
        isFixed: false,
        position: source.members.length,
      }
      source.references.push(reference)
      source.members.push(reference)
      source.properties.push(reference)
      if (source.isWritable) target.referencedBy.push(reference)
      claim(source, name, place, problems) && source.names.set(name, { is: 'nested', reference })
      claim(source, foreignKey, place, problems) && source.names.set(foreignKey, { is: 'foreignKey', reference })
      if (declaration.relation === 'needs.one' && declaration.options.unique === true) {
        source.uniques.push(uniqueKey([name], [reference]))
      }
      return
    }
    case 'needs.many':
    case 'knows.many': {
      const needs = declaration.relation === 'needs.many'
      const facing = needs ? facingNeededBy(one, declarations) : []
      const exclusive = facing.some((other) => other.declaration.relation === 'neededBy.one')
      const link: Link = {
        kind: 'link',
        name,
        source,
        target,
        needs,
        exclusive,
        order: declaration.options.order,
        carried: isCarried(source, name),
        isConstrained: declaration.options.constraint !== false,
        position: source.links.length,
        ...linkTable(one, declaration.options),
      }
      if (link.fromColumn.toLowerCase() === link.toColumn.toLowerCase())
        problems.push({ place, message: `'from' and 'to' are both the column '${link.toColumn}'` })
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

/** Whether records show the relation by default. */
function isCarried(source: ResourceDraft, name: string): boolean {
  return buildingOf(source).descriptor.defaultInclude?.includes(name) ?? true
}

function buildOwnedBy(one: Declared, options: OwnedByOptions, problems: ModelProblem[]): Mutable<OwnerReference> {
  const { source, target, name, place } = one
  const foreignKey = options.foreignKey ?? `${name}Id`
  const misnamed = problemOfRelationName('foreign key', foreignKey)
  if (misnamed !== undefined) problems.push({ place, message: misnamed })
  if (options.optional === true && source !== target) {
    problems.push({
      place,
      message: "'optional' is for a resource that owns itself; other owned records have an owner",
    })
  }
  const ownedBy: Mutable<OwnerReference> = {
    kind: 'ownedBy',
    name,
    source,
    target,
    foreignKey,
    property: foreignKey,
    column: columnOf(source, foreignKey),
    nullable: options.optional === true,
    isConstrained: options.constraint !== false,
    inverse: undefined as unknown as Owns,
    position: undefined,
  }
  source.ownedBy.push(ownedBy)
  if (options.moves !== true) return ownedBy
  if (!source.isWritable) problems.push({ place, message: `moves: no request writes ${source.key}` })
  const by = ownedBy as MovingReference
  source.movedBy.push(by)
  // In front of the fields, as at the top.
  source.properties.splice(source.movedBy.length - 1, 0, by)
  claim(source, foreignKey, place, problems) && source.names.set(foreignKey, { is: 'owner', by })
  return ownedBy
}

function linkTable(one: Declared, options: LinkOptions): Pick<Link, 'table' | 'fromColumn' | 'toColumn'> {
  const fromColumn = options.from ?? `${one.source.key}Id`
  const target = `${one.target.key}Id`
  return {
    table: options.through ?? `${one.source.key}_${one.name}`,
    fromColumn,
    toColumn: options.to ?? (target === fromColumn ? `${one.name}Id` : target),
  }
}

/** Whether the name was free. Each name in a body means one thing, so a second claim is a problem. */
function claim(draft: ResourceDraft, name: string, place: string, problems: ModelProblem[]): boolean {
  const misnamed = problemOfRelationName('foreign key', name)
  if (misnamed !== undefined) {
    problems.push({ place, message: misnamed })
    return false
  }
  if (!draft.names.has(name)) return true
  problems.push({ place, message: `${draft.key} has a field or relation '${name}' already` })
  return false
}

/** The `ownedBy` on the other side: the one that `inverse` names, or the only one without a partner. */
function findInverse(
  one: Declared,
  declarations: Declarations,
  paired: ReadonlySet<Declared>,
  problems: ModelProblem[],
): Declared | undefined {
  const { source, target, place, declaration } = one
  const inverse = (declaration.options as { inverse?: string }).inverse
  const facing = declarations.between(target, source).filter((other) => other.declaration.relation === 'ownedBy')
  if (inverse !== undefined) {
    const found = facing.find((other) => other.name === inverse)
    if (found === undefined) {
      const hint = didYouMean(inverse, facing)
      const message = `${target.key} has no relation '${inverse}' that is ownedBy('${source.key}')${hint}`
      problems.push({ place, message })
    } else if (paired.has(found)) {
      problems.push({ place, message: `${target.key}.relations.${inverse} is the inverse of another relation already` })
      return undefined
    }
    return found
  }
  const siblings = declarations.between(source, target)
  const named = new Set(siblings.map(inverseOf))
  const free = facing.filter((other) => !named.has(other.name))
  const owners = siblings.filter((other) => other.declaration.relation.startsWith('owns.'))
  if (free.length === 1 && owners.filter((other) => inverseOf(other) === undefined).length === 1) return free[0]
  problems.push({
    place,
    message:
      free.length === 0
        ? `${target.key} has no matching relation ownedBy('${source.key}'); 'owns' and 'ownedBy' come in pairs`
        : `${source.key} owns ${target.key} several times; name the matching ownedBy relation with 'inverse'`,
  })
  return undefined
}

/** The `neededBy` relations that face a `needs`. */
function facingNeededBy(one: Declared, declarations: Declarations): Declared[] {
  return declarations
    .between(one.target, one.source)
    .filter(
      (other) => other.declaration.relation.startsWith('neededBy.') && (inverseOf(other) ?? one.name) === one.name,
    )
}

/** Adds a `neededBy` to its resource, if it agrees with the `needs` that faces it. */
function buildNeededBy(one: Declared, declarations: Declarations, problems: ModelProblem[]): void {
  const { declaration, place, name, source, target } = one
  if (declaration.relation !== 'neededBy.one' && declaration.relation !== 'neededBy.many') return
  const named = inverseOf(one)
  const facing = declarations
    .between(target, source)
    .filter((other) => other.declaration.relation.startsWith('needs.') && (named ?? other.name) === other.name)
  if (facing.length === 0) {
    problems.push({
      place,
      message: `${target.key} has no relation that needs '${source.key}'${named ? ` called '${named}'` : ''}`,
    })
    return
  }
  if (facing.length > 1) {
    problems.push({
      place,
      message: `${target.key} needs '${source.key}' several times; name the one that is meant with 'inverse'`,
    })
    return
  }
  const [other] = facing as [Declared]
  const inverse = [...target.references, ...target.links].find((relation) => relation.name === other.name)
  const many = declaration.relation === 'neededBy.many'
  if (inverse !== undefined) source.neededBy.push({ kind: 'neededBy', name, source, target, many, inverse })
  if (other.declaration.relation !== 'needs.one') return
  const unique = other.declaration.options.unique === true
  if (declaration.relation === 'neededBy.one' && !unique) {
    problems.push({
      place,
      message: `neededBy.one requires needs.one('${source.key}', { unique: true }) at ${other.place}`,
    })
  }
  if (declaration.relation === 'neededBy.many' && unique) {
    problems.push({
      place,
      message: `${other.place} is unique, so at most one record needs each ${source.key}: use neededBy.one`,
    })
  }
}
