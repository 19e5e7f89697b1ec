import type { CollectionPath, KeptRecords } from '../../model/collection-path.ts'
import type { FieldRights } from '../../model/field-rights.ts'
import type { Computed, Field, Link, Owns, Property, Resource } from '../../model/model.ts'
import { onceFor } from '../../model/once-for.ts'
import { type SelectedProperty, type Selection, selectedOf } from './selection.ts'

type SelectionOf = (resource: Resource) => Selection

/** What is selected for a client that may see these fields. */
type SelectionFor = (resource: Resource, fieldRights: FieldRights) => Selection

/**
 * All that is shown of a record by default: its fields, what it owns in full, and a summary of each related record that
 * it does not own, as far as it carries them.
 */
export const wholeRecord: SelectionFor = onceForRights((resource, fieldRights) =>
  select(resource, shownIn(resource, fieldRights), {
    related: (target) => summaryOf(target, fieldRights),
    owned: (target) => wholeRecord(target, fieldRights),
    takes: isCarried,
    ignoresPolicies: false,
  }),
)

/** {@link wholeRecord} as a path shows it: where requests do not name the owners, with their foreign keys. */
export function wholeRecordAt({ resource, isTopLevel, kept }: CollectionPath, fieldRights: FieldRights): Selection {
  const shown = (isTopLevel ? withOwners : wholeRecord)(resource, fieldRights)
  return kept === undefined ? shown : withBesides(kept)(shown)
}

const withOwners: SelectionFor = onceForRights((resource, fieldRights) => {
  const whole = wholeRecord(resource, fieldRights)
  const keys = resource.ownedBy.map((reference) => ({ kind: 'foreignKey', reference }) as const)
  return selection({ ...whole, properties: [...keys, ...whole.properties.filter((one) => !isOwnerKey(one))] })
})

function isOwnerKey(property: SelectedProperty): boolean {
  return property.kind === 'foreignKey' && property.reference.kind === 'ownedBy'
}

/** A record with the field that kept ones show besides. */
const withBesides = onceFor(({ shows }: KeptRecords) =>
  onceFor((whole: Selection): Selection => {
    const field = shows(whole.resource)
    return field === undefined
      ? whole
      : selection({ ...whole, properties: [...whole.properties, { kind: 'field', field }] })
  }),
)

/**
 * All that a write may be planned from: every relation of {@link wholeRecord}, carried or not, but of related records
 * only the ids, and nothing that is computed.
 */
export const stateOf: SelectionFor = onceForRights((resource, fieldRights) =>
  select(resource, shownIn(resource, fieldRights), {
    related: undefined,
    owned: (target) => stateOf(target, fieldRights),
    takes: isStored,
    ignoresPolicies: false,
  }),
)

/** {@link stateOf} with what records carry by default, and these relations besides. */
export function stateWith(resource: Resource, besides: ReadonlySet<Owns | Link>, fieldRights: FieldRights): Selection {
  if (resource.carriesAll) return stateOf(resource, fieldRights)
  const others: Others = {
    related: undefined,
    owned: (target) => stateWith(target, besides, fieldRights),
    takes: (property) => isStored(property) && (isCarried(property) || besides.has(property as Owns | Link)),
    ignoresPolicies: false,
  }
  return select(resource, shownIn(resource, fieldRights), others)
}

/** The id of a record and the ids of all that it owns, whether the caller may see it or not. */
export const idsOf: SelectionOf = onceFor((resource) =>
  select(resource, resource.owns, {
    related: undefined,
    owned: idsOf,
    takes: everyProperty,
    ignoresPolicies: true,
  }),
)

export const idAlone: SelectionOf = onceFor((resource) =>
  selection({ resource, ignoresPolicies: false, properties: [] }),
)

/** The id of a record, and those of the records that it is linked to. */
export const linkAlone: (link: Link) => Selection = onceFor((link) =>
  selection({
    resource: link.source,
    ignoresPolicies: false,
    properties: [{ kind: 'link', link, records: undefined }],
  }),
)

/** A row as rules see it, without the foreign keys of its owners: all fields, whoever may see them, and the ids of
 * links. Besides, the number that keeps its place in an order. */
export const rowAlone: SelectionOf = onceFor((resource) =>
  selection({
    resource,
    ignoresPolicies: true,
    properties: [
      ...resource.fields.map((field) => ({ kind: 'field', field }) as const),
      ...resource.members.flatMap((one) =>
        one.kind === 'field' && !resource.names.has(one.name) ? [{ kind: 'field', field: one } as const] : [],
      ),
      ...resource.references.map((reference) => ({ kind: 'foreignKey', reference }) as const),
      ...resource.links.map((link) => ({ kind: 'link', link, records: undefined }) as const),
    ],
  }),
)

/** What is shown of a related record that is not owned: its id, its fields, and what is computed. */
export const summaryOf: SelectionFor = onceForRights((resource, { sees }) => {
  const isShown = (value: Field | Computed) => value.inSummary && sees(value)
  const properties = [
    ...resource.fields.filter(isShown).map((field) => ({ kind: 'field', field }) as const),
    ...resource.computed.filter(isShown).map((computed) => ({ kind: 'computed', computed }) as const),
  ]
  return selection({ resource, ignoresPolicies: false, properties })
})

/** Which parts of other records a selection takes. */
interface Others {
  /** Of records that are related, but not owned; undefined: only their ids. */
  readonly related: SelectionOf | undefined
  readonly owned: SelectionOf
  /** Whether a property is among them. */
  readonly takes: (property: Property) => boolean
  readonly ignoresPolicies: boolean
}

function select(resource: Resource, of: readonly Property[], others: Others): Selection {
  const { takes, ignoresPolicies } = others
  const properties = of.flatMap((property) => selectProperty(property, others))
  const through = resource.recursive.filter(takes)
  const [carrier] = through
  if (carrier === undefined) return selection({ resource, ignoresPolicies, properties })
  const descendant = selection({ resource, ignoresPolicies, properties })
  const withDescendants = properties.map((property) =>
    property.kind === 'children' && property.owns === carrier
      ? ({ kind: 'descendants', owns: carrier, through, records: descendant } as const)
      : property,
  )
  return selection({ resource, ignoresPolicies, properties: withDescendants })
}

function everyProperty(): boolean {
  return true
}

function isStored(property: Property): boolean {
  return property.kind !== 'computed'
}

function isCarried(property: Property): boolean {
  switch (property.kind) {
    case 'field':
    case 'computed':
    case 'ownedBy':
      return true
    default:
      return property.carried
  }
}

function shownIn({ properties }: Resource, { sees }: FieldRights): readonly Property[] {
  return properties.filter((one) => (one.kind !== 'field' && one.kind !== 'computed') || sees(one))
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
    case 'ownedBy':
      return [{ kind: 'foreignKey', reference: property }]
    case 'link':
      return [{ kind: 'link', link: property, records: related?.(property.target) }]
    case 'owns':
      if (property.target === property.source) return [{ kind: 'children', owns: property }]
      return [{ kind: 'owned', owns: property, records: owned(property.target) }]
  }
}

function onceForRights(build: SelectionFor): SelectionFor {
  const ofRights = onceFor((fieldRights: FieldRights) => onceFor((of: Resource) => build(of, fieldRights)))
  return (resource, fieldRights) => ofRights(fieldRights)(resource)
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
