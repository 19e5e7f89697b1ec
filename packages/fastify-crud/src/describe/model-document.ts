import type { Count } from '@fastify-crud/core'
import type { JsonSchema, Operation } from '@fastify-crud/core/internal'

// What `GET /api/$model` answers. `model.schema.json` describes the form for clients: both change together, and a form
// that old clients cannot read has another number. What is false is left out.

/** What one caller may see of a model. */
export interface ModelDocument {
  readonly model: 1
  /** Of the model that nobody's rights have narrowed: the `Crud-Model` of lists and errors. */
  readonly hash: string
  /** Writes may carry an `Idempotency-Key`: sent again, they are not done again. */
  readonly idempotency?: true
  /** The key of the resource whose records are the tenants. */
  readonly tenant?: string
  readonly limits: DocumentLimits
  readonly resources: Readonly<Record<string, ResourceDocument>>
}

/** The limits that a client can keep to. */
export interface DocumentLimits {
  readonly defaultPage: number
  readonly maxPage: number
  readonly maxBody: number
  readonly maxItems: number
  readonly maxDepth: number
  readonly maxAnswer: number
  readonly maxFilters: number
  readonly maxFilterDepth: number
  readonly maxCost: number
  readonly maxNested: number
  readonly maxRows: number
  readonly groupRows: number
  readonly maxChanges: number
  /** Requests of a batch. Missing: the service has no batches. */
  readonly batch?: number
  readonly count: Count
}

export interface ResourceDocument {
  readonly description?: string
  /** The paths of its collections behind the prefix, that at the top first: `/book`, `/book/{book_id}/chapter`. */
  readonly paths: readonly string[]
  /** Missing: its records have none. */
  readonly id?: IdDocument
  readonly fields: Readonly<Record<string, FieldDocument>>
  readonly relations: Readonly<Record<string, RelationDocument>>
  /** The relations that a record shows if a request does not say. */
  readonly defaultInclude: readonly string[]
  readonly unique?: readonly KeyDocument[]
  /** The texts that `search` looks at: fields, also of related records. */
  readonly search?: readonly string[]
  readonly groups?: true
  readonly softDelete?: SoftDeleteDocument
  /** Requests that change or remove a record need `If-Match`. */
  readonly ifMatch?: 'required'
  readonly writable?: true
  /** Its records have owners, and can be reached without naming these. */
  readonly topLevel?: true
  /** A rule of the application may write other records when its records are written. */
  readonly ruled?: true
  /** The operations that there are, and whether the caller may be offered each. */
  readonly operations: Readonly<Partial<Record<Operation | 'changes', boolean>>>
  readonly actions?: Readonly<Record<string, ActionDocument>>
}

export interface IdDocument {
  readonly kind: string
  readonly schema: JsonSchema
  readonly assignedBy: 'database' | 'library' | 'client' | 'members'
  /** A POST to the path of a record creates it there. */
  readonly choosable?: true
  /** The fields and foreign keys that make it up. */
  readonly members?: readonly string[]
  /** The id below an owner, where it lacks the owner's part. */
  readonly short?: { readonly kind: string; readonly schema: JsonSchema }
}

export interface FieldDocument {
  /** A JSON Schema (2020-12) of its values, null included. What it refers to is inside of it. */
  readonly schema: JsonSchema
  /** A new record needs it. */
  readonly required?: true
  readonly readOnly?: true
  readonly writeOnly?: true
  /** Computed whenever a record is read. */
  readonly computed?: true
  /** What a new record has without it. */
  readonly default?: unknown
  /** The database gives it a value that is not known before. */
  readonly dbDefault?: true
}

export interface RelationDocument {
  readonly kind:
    | 'owns.one'
    | 'owns.many'
    | 'ownedBy'
    | 'needs.one'
    | 'needs.many'
    | 'knows.one'
    | 'knows.many'
    | 'neededBy.one'
    | 'neededBy.many'
  readonly target: string
  /** The relation of the target that leads back, where it has one. */
  readonly inverse?: string
  /** The property with the id of the target; of `ownedBy`, only records at the top have it, and those that move. */
  readonly foreignKey?: string
  /** A record is never without. */
  readonly required?: true
  /** A record at the other end serves one record at most. */
  readonly unique?: true
  /** No body sets it. */
  readonly readOnly?: true
  /** A PATCH or PUT that sets the foreign key moves the record to another owner. */
  readonly moves?: true
  /** The array keeps the order of the body. */
  readonly ordered?: true
  /** The path segment behind a record that leads to the records at the other end. */
  readonly path?: string
}

export interface KeyDocument {
  /** Fields and relations. */
  readonly names: readonly string[]
  /** It holds for some records only. */
  readonly conditional?: true
}

export interface SoftDeleteDocument {
  /** What deleted records call the moment at which they were deleted. */
  readonly moment: string
  /** Deleted records can be listed and restored. */
  readonly trash?: true
  /** They can be removed for good. */
  readonly purge?: true
}

export interface ActionDocument {
  readonly on: 'record' | 'list'
  readonly method: 'POST' | 'GET'
  /** Whether the caller may be offered it. */
  readonly offered: boolean
  /** Missing: it takes none. */
  readonly body?: { readonly schema: JsonSchema; readonly required?: true }
  /** An object of its parameters. */
  readonly query?: JsonSchema
  /** Missing: it answers the record, or nothing where it is about the list. */
  readonly answer?: JsonSchema
  /** The resources whose records it changes; missing: any. */
  readonly changes?: readonly string[]
}
