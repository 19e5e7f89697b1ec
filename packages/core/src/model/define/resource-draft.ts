import type { ModelProblem } from '../../errors.ts'
import { didYouMean, problemOfRelationName } from '../check/names.ts'
import type { ResourceDescriptor } from '../descriptors/descriptors.ts'
import type { RelationDeclaration } from '../descriptors/relations.ts'
import { declaredId, type IdDeclaration } from '../ids/declared-id.ts'
import { isGivenByClient } from '../ids/id-kind.ts'
import type {
  BodyName,
  Computed,
  Discriminator,
  Field,
  ForeignKey,
  Index,
  Link,
  Member,
  MovingReference,
  NeededBy,
  OwnerReference,
  Owns,
  Property,
  Reference,
  Resource,
  UniqueKey,
} from '../model.ts'
import { ownedTree } from '../resource-tree.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer Item)[] ? Item[] : T[K] }

/** A resource while the model is built. The same object is frozen in the end, so relations can point to it from the
 * start. */
export interface ResourceDraft extends Omit<Mutable<Resource>, 'names' | 'idColumns'> {
  idColumns: Resource['idColumns']
  names: Map<string, BodyName>
}

/** What only building needs. It is not in the draft: V8 reads an object slowly once a property was deleted from it. */
interface Building {
  readonly descriptor: ResourceDescriptor
  /** The entries of `columns` that name a field, a foreign key or `id`. */
  readonly usedColumns: Set<string>
  /** The foreign keys that rules give. */
  readonly setByRules: Set<string>
}

const buildings = new WeakMap<ResourceDraft, Building>()

export function newResource(key: string, descriptor: ResourceDescriptor): ResourceDraft {
  // Of ids that members make up, the kind is known once the members are.
  const id = declaredId(isList(descriptor.id) || descriptor.id === false ? undefined : descriptor.id)
  const hasId = descriptor.id !== false
  const draft: ResourceDraft = {
    key,
    route: descriptor.route ?? key,
    table: descriptor.table ?? key,
    where: discriminatorOf(descriptor),
    hasId,
    id,
    idColumns: [descriptor.columns?.id ?? 'id'],
    idMembers: [] as (Field | ForeignKey)[],
    shortId: id,
    trash: undefined,
    history: undefined,
    isPublic: descriptor.public === true,
    description: descriptor.description,
    isWritable: descriptor.writable ?? hasId,
    authorizedBy: descriptor.authorizedBy,
    ifMatch: descriptor.ifMatch,
    fields: [] as Field[],
    owns: [] as Owns[],
    ownedBy: [] as OwnerReference[],
    movedBy: [] as MovingReference[],
    references: [] as Reference[],
    links: [] as Link[],
    neededBy: [] as NeededBy[],
    computed: [] as Computed[],
    members: [] as Member[],
    properties: [] as Property[],
    names: new Map(),
    uniques: [] as UniqueKey[],
    indexes: [] as Index[],
    search: undefined,
    referencedBy: [] as Reference[],
    linkedBy: [] as Link[],
    recursive: [] as Owns[],
    isRoot: true,
    isTopLevel: descriptor.topLevel === true,
    hasGroups: descriptor.groups === true,
    holdsTrees: false,
    carriesAll: true,
    holdsShortIds: false,
    assignsIds: false,
    concernsOthers: false,
    rank: 0,
  }
  const hasIdColumn = hasId && !isList(descriptor.id)
  buildings.set(draft, { descriptor, usedColumns: new Set(hasIdColumn ? ['id'] : []), setByRules: new Set() })
  return draft
}

function discriminatorOf({ where }: ResourceDescriptor): Discriminator | undefined {
  const [entry] = Object.entries(where ?? {})
  return entry && { column: entry[0], value: entry[1] }
}

function isList(declared: IdDeclaration | false | undefined): declared is readonly string[] {
  return Array.isArray(declared)
}

/** What building needs besides the draft. */
export function buildingOf(draft: ResourceDraft): Building {
  return buildings.get(draft) as Building
}

/** The column of a field or foreign key; notes that its entry in `columns` is used. */
export function columnOf(draft: ResourceDraft, name: string): string {
  const { descriptor, usedColumns } = buildingOf(draft)
  usedColumns.add(name)
  const { columns } = descriptor
  return columns !== undefined && Object.hasOwn(columns, name) ? (columns[name] as string) : name
}

/** A column that only the service sets, and of which no body, answer or query knows. */
export function unseenField(
  draft: ResourceDraft,
  name: string,
  of: Pick<Field, 'schema' | 'storage' | 'check' | 'keepsOrder' | 'position'>,
): Field {
  return Object.freeze({
    kind: 'field',
    name,
    property: name,
    column: columnOf(draft, name),
    nullable: true,
    required: false,
    default: undefined,
    stored: undefined,
    was: undefined,
    hasDbDefault: false,
    constants: undefined,
    readOnly: true,
    writeOnly: true,
    inSummary: false,
    access: undefined,
    setByRule: true,
    ...of,
  })
}

/** Freezes a draft, which is complete now. */
export function finish(draft: ResourceDraft): Resource {
  const { uniques, references, links, referencedBy, linkedBy } = draft
  const isRelated = [uniques, references, links, referencedBy, linkedBy].some((list) => list.length > 0)
  draft.concernsOthers = isRelated || isGivenByClient(draft.id)
  draft.assignsIds = ownedTree(draft).some(({ id }) => id.assign !== undefined)
  draft.holdsShortIds = ownedTree(draft).some(({ id, shortId }) => shortId !== id)
  draft.holdsTrees = holdsTrees(draft)
  draft.carriesAll = ownedTree(draft).every(carriesAllItself)
  for (const list of Object.values(draft)) if (Array.isArray(list)) Object.freeze(list)
  return Object.freeze(draft)
}

function carriesAllItself({ owns, references, links }: Resource): boolean {
  return [...owns, ...references, ...links].every(({ carried }) => carried)
}

function holdsTrees({ recursive, owns }: Pick<Resource, 'recursive' | 'owns'>): boolean {
  return recursive.length > 0 || owns.some(({ source, target }) => target !== source && holdsTrees(target))
}

/** One declared relation. `place` names it in problems. */
export interface Declared {
  readonly name: string
  readonly place: string
  readonly source: ResourceDraft
  readonly target: ResourceDraft
  readonly declaration: RelationDeclaration
}

/** All declared relations, and those from one resource to another. */
export interface Declarations {
  readonly all: readonly Declared[]
  between(source: ResourceDraft, target: ResourceDraft): readonly Declared[]
}

/** The relations of all descriptors. A relation to a resource that does not exist is a problem, and left out. */
export function declarationsOf(drafts: ReadonlyMap<string, ResourceDraft>, problems: ModelProblem[]): Declarations {
  const all = [...drafts.values()].flatMap((source) => declaredIn(source, drafts, problems))
  const byEnds = Map.groupBy(all, ({ source, target }) => `${source.key} ${target.key}`)
  return { all, between: (source, target) => byEnds.get(`${source.key} ${target.key}`) ?? [] }
}

/** The option `inverse`; undefined if the relation does not have it. */
export function inverseOf(one: Declared): string | undefined {
  return (one.declaration.options as { inverse?: string }).inverse
}

function declaredIn(
  source: ResourceDraft,
  drafts: ReadonlyMap<string, ResourceDraft>,
  problems: ModelProblem[],
): Declared[] {
  const found: Declared[] = []
  for (const [name, declaration] of Object.entries(buildingOf(source).descriptor.relations ?? {})) {
    const place = `${source.key}.relations.${name}`
    const target = drafts.get(declaration.target)
    const misnamed = problemOfRelationName('relation', name)
    if (misnamed !== undefined) {
      problems.push({ place, message: misnamed })
    } else if (target === undefined) {
      const hint = didYouMean(declaration.target, drafts.keys())
      problems.push({ place, message: `no resource '${declaration.target}'${hint}` })
    } else {
      found.push({ name, place, source, target, declaration })
    }
  }
  return found
}
