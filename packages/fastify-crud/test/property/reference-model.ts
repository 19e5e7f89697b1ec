import { OptionalKind, type TSchema } from '@sinclair/typebox'
import type { Descriptors, KeyConditionDeclaration, ResourceDescriptor } from 'fastify-crud'
import { INTEGER, type SideIds } from './id-kinds.ts'
import type { Json } from './json.ts'

/** What the reference knows of a model: read from the descriptors as the README describes them. */
export interface RefModel {
  readonly resources: ReadonlyMap<string, RefResource>
}

/** The highest id that a record can be made under. */
export const MAX_ID = 2 ** 31 - 1

export function isChoosable(id: number): boolean {
  return Number.isSafeInteger(id) && id >= 1 && id <= MAX_ID
}

export interface RefField {
  readonly name: string
  readonly column: string
  readonly schema: TSchema
  readonly nullable: boolean
  readonly required: boolean
  readonly default: Json | undefined
  readonly readOnly: boolean
  readonly writeOnly: boolean
  readonly inSummary: boolean
  /** The roles to which it is shown; undefined if it is shown to all. */
  readonly viewers: readonly string[] | undefined
}

/** The order that an array keeps. */
export interface RefOrder {
  /** No other array has it. */
  readonly key: string
  /** Has the numbers of the elements: of their table, or of the link table. */
  readonly column: string
  /** Of the links of the array; undefined: it has what a record owns. */
  readonly link: Pick<RefLink, 'table' | 'from' | 'to'> | undefined
}

export interface RefOwns {
  readonly name: string
  /** A record shows it. */
  readonly carried: boolean
  readonly target: string
  readonly many: boolean
  readonly required: boolean
  /** The `ownedBy` relation on the other side. */
  readonly inverse: string
  /** The path segment of the nested routes. */
  readonly segment: string
  /** Undefined: its records are in the order of their ids. */
  readonly order: RefOrder | undefined
}

export interface RefOwner {
  readonly name: string
  readonly target: string
  readonly foreignKey: string
  readonly column: string
}

export interface RefReference {
  readonly name: string
  /** A record shows it. */
  readonly carried: boolean
  readonly target: string
  /** The target cannot be deleted. */
  readonly needs: boolean
  readonly nullable: boolean
  readonly foreignKey: string
  readonly column: string
}

export interface RefLink {
  readonly name: string
  /** A record shows it. */
  readonly carried: boolean
  readonly target: string
  readonly needs: boolean
  readonly exclusive: boolean
  readonly table: string
  readonly from: string
  readonly to: string
  /** Undefined: it is in the order of ids. */
  readonly order: RefOrder | undefined
  /** That of the array at the other end, if there is one that keeps its order. */
  readonly otherOrder: RefOrder | undefined
}

export interface RefResource {
  readonly key: string
  readonly route: string
  readonly table: string
  readonly idColumn: string
  readonly fields: readonly RefField[]
  readonly owns: readonly RefOwns[]
  readonly owners: readonly RefOwner[]
  readonly references: readonly RefReference[]
  readonly links: readonly RefLink[]
  readonly uniques: readonly RefUnique[]
  /** Its records can be without an owner: reached at the top of the service. */
  readonly isRoot: boolean
  /** Reached there as well as below the owners: `topLevel`. */
  readonly isTop: boolean
  /** Bodies have the ids of new records. */
  readonly isGiven: boolean
  /** Records have the ids of their owners. */
  readonly isOwnersId: boolean
  /** Two records can have the same id if they have different owners. */
  readonly sharesIds: boolean
  /** Its records can be elements of an owner's array that keeps its order. */
  readonly isPlaced: boolean
}

export interface RefUnique {
  readonly names: readonly string[]
  /** The key holds for the rows that fulfil all of these. */
  readonly where: Readonly<Record<string, KeyConditionDeclaration>>
}

/** All names of which a key depends: of its members, and of its condition. */
export function namesIn({ names, where }: RefUnique): readonly string[] {
  return [...names, ...Object.keys(where)]
}

interface Options {
  readonly inverse?: string
  readonly foreignKey?: string
  readonly required?: boolean
  readonly unique?: boolean
  readonly optional?: boolean
  readonly through?: string
  readonly from?: string
  readonly to?: string
  readonly order?: string
}

type Relation = readonly [name: string, kind: string, target: string, options: Options]

export function readDescriptors(
  descriptors: Descriptors,
  kindOf: (resource: string) => SideIds = () => INTEGER,
): RefModel {
  const resources = new Map<string, RefResource>()
  for (const key of Object.keys(descriptors)) resources.set(key, readResource(key, descriptors, kindOf(key)))
  return { resources }
}

export function resourceOf(model: RefModel, key: string): RefResource {
  const resource = model.resources.get(key)
  if (resource === undefined) throw new Error(`no resource ${key}`)
  return resource
}

function readResource(key: string, descriptors: Descriptors, ids: SideIds): RefResource {
  const descriptor = descriptors[key] ?? {}
  const relations = relationsOf(descriptor)
  const column = (name: string): string => descriptor.columns?.[name] ?? name
  const of = (...kinds: string[]): Relation[] => relations.filter(([, kind]) => kinds.includes(kind))

  const orderOf = (owner: string, [name, , target, options]: Relation): RefOrder | undefined => {
    const { order } = options
    if (order === undefined) return undefined
    return { key: `${owner}.${name}`, column: descriptors[target]?.columns?.[order] ?? order, link: undefined }
  }
  const isCarried = (name: string): boolean => descriptor.defaultInclude?.includes(name) ?? true
  const owners = of('ownedBy')
  const uniques = (descriptor.unique ?? []).map((one): RefUnique => {
    return 'fields' in one ? { names: one.fields, where: one.where ?? {} } : { names: one, where: {} }
  })
  for (const [name, , , options] of of('needs.one')) {
    if (options.unique === true) uniques.push({ names: [name], where: {} })
  }
  return {
    key,
    route: descriptor.route ?? key,
    table: descriptor.table ?? key,
    idColumn: column('id'),
    // Random models are made with TypeBox.
    fields: Object.entries((descriptor.fields ?? {}) as Record<string, TSchema>).map(([name, schema]) => ({
      name,
      column: column(name),
      schema,
      nullable: OptionalKind in schema,
      required: !(OptionalKind in schema) && schema.default === undefined && schema.readOnly !== true,
      default: schema.default,
      readOnly: schema.readOnly === true,
      writeOnly: schema.writeOnly === true,
      inSummary: schema.writeOnly !== true && schema.summary !== false,
      viewers: schema.access?.View,
    })),
    owns: of('owns.one', 'owns.many').map((relation) => {
      const [name, kind, target, options] = relation
      return {
        name,
        carried: isCarried(name),
        target,
        many: kind === 'owns.many',
        required: options.required === true,
        inverse: inverseOf(key, target, options, descriptors),
        segment: segmentOf(name, target, relations, descriptors),
        order: orderOf(key, relation),
      }
    }),
    owners: owners.map(([name, , target, options]) => ({
      name,
      target,
      foreignKey: options.foreignKey ?? `${name}Id`,
      column: column(options.foreignKey ?? `${name}Id`),
    })),
    references: of('needs.one', 'knows.one').map(([name, kind, target, options]) => {
      const foreignKey = options.foreignKey ?? `${name}Id`
      const needs = kind === 'needs.one'
      const nullable = !needs || options.optional === true
      return { name, carried: isCarried(name), target, needs, nullable, foreignKey, column: column(foreignKey) }
    }),
    links: of('needs.many', 'knows.many').map((relation) => {
      const [name, kind, target] = relation
      const needs = kind === 'needs.many'
      const exclusive = needs && servesOne(key, name, target, descriptors)
      const ends = endsOf(key, relation)
      const other = relationsOf(descriptors[target]).find((one) => {
        const isLink = one[1] === 'needs.many' || one[1] === 'knows.many'
        return isLink && one[0] !== name && endsOf(target, one).table === ends.table
      })
      const order = linkOrderOf(key, relation)
      const otherOrder = other && linkOrderOf(target, other)
      return { name, carried: isCarried(name), target, needs, exclusive, ...ends, order, otherOrder }
    }),
    uniques,
    isGiven: ids.isGiven,
    isOwnersId: ids.below === "the owner's ids",
    sharesIds: ids.below === 'ids below the owner',
    isTop: descriptor.topLevel === true,
    isPlaced: owners.some(([name, , owner]) => {
      return relationsOf(descriptors[owner]).some((relation) => {
        const [, kind, target, options] = relation
        const isOwner = kind === 'owns.many' && target === key && options.order !== undefined
        return isOwner && inverseOf(owner, target, options, descriptors) === name
      })
    }),
    isRoot: owners.length === 0 || owners.some(([, , , options]) => options.optional === true),
  }
}

function relationsOf(descriptor: ResourceDescriptor | undefined): Relation[] {
  return Object.entries(descriptor?.relations ?? {}).map(([name, declaration]) => [
    name,
    declaration.relation,
    declaration.target,
    declaration.options,
  ])
}

function endsOf(key: string, [name, , target, options]: Relation): Pick<RefLink, 'table' | 'from' | 'to'> {
  const from = options.from ?? `${key}Id`
  const to = options.to ?? (key === target ? `${name}Id` : `${target}Id`)
  return { table: options.through ?? `${key}_${name}`, from, to }
}

function linkOrderOf(key: string, relation: Relation): RefOrder | undefined {
  const [name, , , { order: column }] = relation
  return column === undefined ? undefined : { key: `${key}.${name}`, column, link: endsOf(key, relation) }
}

function inverseOf(key: string, target: string, options: Options, descriptors: Descriptors): string {
  if (options.inverse !== undefined) return options.inverse
  const facing = relationsOf(descriptors[target]).find(([, kind, owner]) => kind === 'ownedBy' && owner === key)
  if (facing === undefined) throw new Error(`${target} has no ownedBy('${key}')`)
  return facing[0]
}

/** The target's route, or the relation's name where the owner owns that resource more than once. */
function segmentOf(name: string, target: string, relations: readonly Relation[], descriptors: Descriptors): string {
  const same = relations.filter(([, kind, other]) => kind.startsWith('owns.') && other === target)
  return same.length > 1 ? name : (descriptors[target]?.route ?? target)
}

function servesOne(key: string, name: string, target: string, descriptors: Descriptors): boolean {
  return relationsOf(descriptors[target]).some(
    ([, kind, other, options]) => kind === 'neededBy.one' && other === key && options.inverse === name,
  )
}
