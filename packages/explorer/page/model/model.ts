/** What `$model` says: see `fastify-crud/model.schema.json`. What is false is left out. */
export interface ModelDocument {
  readonly model: 1
  readonly hash: string
  readonly idempotency?: true
  readonly tenant?: string
  readonly limits: Limits
  readonly resources: Readonly<Record<string, Resource>>
}

export interface Limits {
  readonly defaultPage: number
  readonly maxPage: number
  readonly maxItems?: number
}

export type Operation =
  | 'list'
  | 'findOne'
  | 'create'
  | 'replace'
  | 'patch'
  | 'delete'
  | 'deleted'
  | 'restore'
  | 'purge'
  | 'history'
  | 'undo'
  | 'changes'

export interface Resource {
  readonly description?: string
  readonly paths: readonly string[]
  readonly id?: IdKind
  readonly fields: Readonly<Record<string, Field>>
  readonly relations: Readonly<Record<string, Relation>>
  readonly defaultInclude: readonly string[]
  readonly unique?: readonly { readonly names: readonly string[]; readonly conditional?: true }[]
  readonly search?: readonly string[]
  readonly groups?: true
  readonly softDelete?: { readonly moment: string; readonly trash?: true; readonly purge?: true }
  readonly ifMatch?: 'required'
  readonly writable?: true
  readonly topLevel?: true
  readonly operations: Readonly<Partial<Record<Operation, boolean>>>
  readonly actions?: Readonly<Record<string, ActionKind>>
}

export interface IdKind {
  readonly kind: 'integer' | 'bigint' | 'uuid' | 'text' | 'composite'
  readonly schema: Schema
  readonly assignedBy: 'database' | 'library' | 'client' | 'members'
  readonly choosable?: true
  readonly members?: readonly string[]
}

export interface Field {
  readonly schema: Schema
  readonly required?: true
  readonly readOnly?: true
  readonly writeOnly?: true
  readonly computed?: true
  readonly default?: unknown
  readonly dbDefault?: true
}

export type RelationKind =
  | 'owns.one'
  | 'owns.many'
  | 'ownedBy'
  | 'needs.one'
  | 'needs.many'
  | 'knows.one'
  | 'knows.many'
  | 'neededBy.one'
  | 'neededBy.many'

export interface Relation {
  readonly kind: RelationKind
  readonly target: string
  readonly inverse?: string
  readonly foreignKey?: string
  readonly required?: true
  readonly unique?: true
  readonly readOnly?: true
  readonly moves?: true
  readonly ordered?: true
  readonly path?: string
}

export interface ActionKind {
  readonly on: 'record' | 'list'
  readonly method: 'POST' | 'GET'
  readonly offered: boolean
  readonly body?: { readonly schema: Schema; readonly required?: true }
  readonly query?: Schema
  readonly answer?: Schema
}

/** A JSON Schema, as far as forms and tables read it. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly format?: string
  readonly contentEncoding?: string
  readonly description?: string
  readonly title?: string
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

export type Id = string | number

export type Row = Readonly<Record<string, unknown>>

export const isToOne = ({ kind }: Relation): boolean =>
  kind === 'needs.one' || kind === 'knows.one' || kind === 'ownedBy' || kind === 'owns.one' || kind === 'neededBy.one'

/** Relations by which a record refers to others by a foreign key of its own that bodies set. */
export const isReference = ({ kind }: Relation): boolean => kind === 'needs.one' || kind === 'knows.one'

export const isLinks = ({ kind }: Relation): boolean => kind === 'needs.many' || kind === 'knows.many'

export const isOwning = ({ kind }: Relation): boolean => kind === 'owns.one' || kind === 'owns.many'

export const sameRow = (row: Row | null | undefined, id: unknown): boolean =>
  row !== null && row !== undefined && id !== null && id !== undefined && String(row.id) === String(id)
