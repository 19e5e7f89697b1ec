import type { Field, Link, Owns, Property, Reference, Resource } from '../../model/model.ts'

/** What a read gives of a record, besides its id: frozen data that JSON and sizes are built from. */
export interface Selection {
  readonly resource: Resource
  /** Selections of one resource that have one name are equal. Statements are kept by it. */
  readonly name: string
  /** Of what the record owns, also what the caller may not see: a removal concerns all of it. */
  readonly withHidden: boolean
  /** In the order in which the record shows them. */
  readonly properties: readonly SelectedProperty[]
}

export type SelectedProperty =
  | { readonly kind: 'field'; readonly field: Field }
  /** Without a selection only the foreign key. */
  | { readonly kind: 'reference'; readonly reference: Reference; readonly record: Selection | undefined }
  /** Without a selection only the ids. */
  | { readonly kind: 'link'; readonly link: Link; readonly records: Selection | undefined }
  | { readonly kind: 'owned'; readonly owns: Owns; readonly records: Selection }
  /** All records below one of a self-owned kind, in one flat list. A query cannot nest them; `nestedJson` does. */
  | { readonly kind: 'descendants'; readonly owns: Owns; readonly records: Selection }
  /** Children that are in such a list. */
  | { readonly kind: 'children'; readonly owns: Owns }

type SelectionOf = (resource: Resource) => Selection

/** The name of {@link wholeRecord}. */
export const WHOLE = 'whole'

/** All that is shown of a record: its fields, what it owns in full, and a summary of each related record that it does not own. */
export const wholeRecord: SelectionOf = oncePerResource((resource) =>
  select(resource, WHOLE, resource.properties, { related: summaryOf, owned: wholeRecord, withHidden: false }),
)

/** What a write is planned from: as {@link wholeRecord}, but only the ids of related records that it does not own. */
export const stateOf: SelectionOf = oncePerResource((resource) =>
  select(resource, 'state', resource.properties, { related: undefined, owned: stateOf, withHidden: false }),
)

/** The id of a record and the ids of all that it owns, whether the caller may see it or not. */
export const idsOf: SelectionOf = oncePerResource((resource) =>
  select(resource, 'ids', resource.owns, { related: undefined, owned: idsOf, withHidden: true }),
)

export const idAlone: SelectionOf = oncePerResource((resource) =>
  frozen({ resource, name: 'id', withHidden: false, properties: [] }),
)

/** What is shown of a related record that is not owned: its id and fields. */
const summaryOf: SelectionOf = oncePerResource((resource) =>
  frozen({
    resource,
    name: 'summary',
    withHidden: false,
    properties: resource.fields
      .filter(({ inSummary }) => inSummary)
      .map((field) => Object.freeze({ kind: 'field', field })),
  }),
)

/** Which parts of other records a selection takes. */
interface Others {
  /** Of records that are related, but not owned; undefined: only their ids. */
  readonly related: SelectionOf | undefined
  readonly owned: SelectionOf
  readonly withHidden: boolean
}

function select(resource: Resource, name: string, of: readonly Property[], others: Others): Selection {
  const properties = of.filter(isShown).map((property) => selectProperty(property, others))
  const [carrier] = resource.recursive
  const { withHidden } = others
  if (carrier === undefined) return frozen({ resource, name, withHidden, properties })
  const descendant = frozen({ resource, name: `${name} descendant`, withHidden, properties })
  const withDescendants = properties.map((property) =>
    property.kind === 'children' && property.owns === carrier
      ? Object.freeze({ kind: 'descendants', owns: carrier, records: descendant } as const)
      : property,
  )
  return frozen({ resource, name, withHidden, properties: withDescendants })
}

function isShown(property: Property): boolean {
  return property.kind !== 'field' || !property.writeOnly
}

function selectProperty(property: Property, { related, owned }: Others): SelectedProperty {
  switch (property.kind) {
    case 'field':
      return Object.freeze({ kind: 'field', field: property })
    case 'reference':
      return Object.freeze({ kind: 'reference', reference: property, record: related?.(property.target) })
    case 'link':
      return Object.freeze({ kind: 'link', link: property, records: related?.(property.target) })
    case 'owns':
      if (property.target === property.source) return Object.freeze({ kind: 'children', owns: property })
      return Object.freeze({ kind: 'owned', owns: property, records: owned(property.target) })
  }
}

function oncePerResource(build: SelectionOf): SelectionOf {
  const built = new WeakMap<Resource, Selection>()
  return (resource) => {
    let selection = built.get(resource)
    if (selection === undefined) {
      selection = build(resource)
      built.set(resource, selection)
    }
    return selection
  }
}

function frozen(selection: Selection): Selection {
  Object.freeze(selection.properties)
  return Object.freeze(selection)
}
