import type { Link, Owns, Property, Resource } from '../../model/model.ts'
import type { DescribedValue } from '../../model/values/described-value.ts'
import { type SelectedProperty, type Selection, selectedOf } from './selection.ts'

type SelectionOf = (resource: Resource) => Selection

/** The name of {@link wholeRecord}. */
export const WHOLE = 'whole'

/**
 * All that is shown of a record by default: its fields, what it owns in full, and a summary of each related record that it does not
 * own, as far as it carries them.
 */
export const wholeRecord: SelectionOf = oncePerResource((resource) =>
  select(resource, WHOLE, resource.properties, {
    related: summaryOf,
    owned: wholeRecord,
    takes: isCarried,
    withHidden: false,
  }),
)

/**
 * All that a write may be planned from: every relation of {@link wholeRecord}, carried or not, but of related records only the ids, and
 * nothing that is computed.
 */
export const stateOf: SelectionOf = oncePerResource((resource) =>
  select(resource, 'state', resource.properties, {
    related: undefined,
    owned: stateOf,
    takes: isStored,
    withHidden: false,
  }),
)

/** {@link stateOf} with what records carry by default, and these relations besides. */
export function stateWith(resource: Resource, besides: ReadonlySet<Owns | Link>): Selection {
  if (resource.carriesAll) return stateOf(resource)
  const names = [...besides].map(({ source, name }) => `${source.key}.${name}`).sort()
  const others: Others = {
    related: undefined,
    owned: (owned) => stateWith(owned, besides),
    takes: (property) => isStored(property) && (isCarried(property) || besides.has(property as Owns | Link)),
    withHidden: false,
  }
  return select(resource, `state with ${names}`, resource.properties, others)
}

/** The id of a record and the ids of all that it owns, whether the caller may see it or not. */
export const idsOf: SelectionOf = oncePerResource((resource) =>
  select(resource, 'ids', resource.owns, {
    related: undefined,
    owned: idsOf,
    takes: everyProperty,
    withHidden: true,
  }),
)

export const idAlone: SelectionOf = oncePerResource((resource) =>
  selection({ resource, name: 'id', withHidden: false, properties: [] }),
)

/** What is shown of a related record that is not owned: its id, its fields, and what is computed. */
export const summaryOf: SelectionOf = oncePerResource((resource) =>
  selection({
    resource,
    name: 'summary',
    withHidden: false,
    properties: [
      ...resource.fields.filter(isInSummary).map((field) => ({ kind: 'field', field }) as const),
      ...resource.computed.filter(isInSummary).map((computed) => ({ kind: 'computed', computed }) as const),
    ],
  }),
)

function isInSummary({ inSummary }: DescribedValue): boolean {
  return inSummary
}

/** Which parts of other records a selection takes. */
interface Others {
  /** Of records that are related, but not owned; undefined: only their ids. */
  readonly related: SelectionOf | undefined
  readonly owned: SelectionOf
  /** Whether a property is among them. */
  readonly takes: (property: Property) => boolean
  readonly withHidden: boolean
}

function select(resource: Resource, name: string, of: readonly Property[], others: Others): Selection {
  const { takes, withHidden } = others
  const properties = of.filter(isShown).flatMap((property) => selectProperty(property, others))
  const through = resource.recursive.filter(takes)
  const [carrier] = through
  if (carrier === undefined) return selection({ resource, name, withHidden, properties })
  const descendant = selection({ resource, name: `${name} descendant`, withHidden, properties })
  const withDescendants = properties.map((property) =>
    property.kind === 'children' && property.owns === carrier
      ? ({ kind: 'descendants', owns: carrier, through, records: descendant } as const)
      : property,
  )
  return selection({ resource, name, withHidden, properties: withDescendants })
}

function everyProperty(): boolean {
  return true
}

function isStored(property: Property): boolean {
  return property.kind !== 'computed'
}

function isCarried(property: Property): boolean {
  return property.kind === 'field' || property.kind === 'computed' || property.carried
}

function isShown(property: Property): boolean {
  return property.kind !== 'field' || !property.writeOnly
}

function selectProperty(property: Property, { related, owned, takes }: Others): readonly SelectedProperty[] {
  if (property.kind !== 'reference' && !takes(property)) return []
  switch (property.kind) {
    case 'field':
      return [{ kind: 'field', field: property }]
    case 'computed':
      return [{ kind: 'computed', computed: property }]
    case 'reference': {
      const record = takes(property) ? related?.(property.target) : undefined
      const foreignKey: SelectedProperty = { kind: 'foreignKey', reference: property }
      return record === undefined ? [foreignKey] : [foreignKey, { kind: 'reference', reference: property, record }]
    }
    case 'link':
      return [{ kind: 'link', link: property, records: related?.(property.target) }]
    case 'owns':
      if (property.target === property.source) return [{ kind: 'children', owns: property }]
      return [{ kind: 'owned', owns: property, records: owned(property.target) }]
  }
}

function oncePerResource(build: SelectionOf): SelectionOf {
  const built = new WeakMap<Resource, Selection>()
  return (resource) => {
    let known = built.get(resource)
    if (known === undefined) {
      known = build(resource)
      built.set(resource, known)
    }
    return known
  }
}

export function selection(
  of: Omit<Selection, 'holdsTrees' | 'computes' | 'isPartial'> & Partial<Pick<Selection, 'isPartial'>>,
): Selection {
  for (const property of of.properties) Object.freeze(property)
  Object.freeze(of.properties)
  const { properties } = of
  return Object.freeze({
    isPartial: false,
    ...of,
    holdsTrees: properties.some(holdsTree),
    computes: properties.some(isComputed),
  })
}

function isComputed(property: SelectedProperty): boolean {
  return property.kind === 'computed' || selectedOf(property)?.computes === true
}

function holdsTree(property: SelectedProperty): boolean {
  return property.kind === 'descendants' || selectedOf(property)?.holdsTrees === true
}
