import type { FieldOptions, IdDeclaration, UniqueKeyDeclaration } from '@fastify-crud/core'
import type { JsonSchema, RelationDeclaration } from '@fastify-crud/core/internal'

/** A descriptor in the making, as data that can be checked and printed. */
export interface ResourceDraft {
  readonly key: string
  /** The table in the database. */
  readonly table: string
  readonly description: string | undefined
  readonly id: IdDeclaration | false
  /** Requests only read its records, which have ids. */
  readonly isReadOnly: boolean
  /** The column of an id that no member makes up. */
  readonly idColumn: string | undefined
  readonly fields: FieldDraft[]
  readonly relations: RelationDraft[]
  readonly unique: UniqueDraft[]
  /** Whole sentences for the author, about the table. */
  readonly notes: string[]
}

/** Names of fields and relations, or the same with a condition. */
export type UniqueDraft = readonly string[] | UniqueKeyDeclaration

export interface FieldDraft {
  readonly name: string
  readonly column: string
  readonly schema: JsonSchema
  /** It may be null. */
  readonly isNullable: boolean
  readonly options: FieldOptions
  readonly note: string | undefined
}

/** Whether a body may leave the field out, so that it is null. */
export function isOptional({ isNullable, options }: FieldDraft): boolean {
  return isNullable && options.default === undefined
}

export interface RelationDraft {
  readonly name: string
  readonly relation: RelationDeclaration['relation']
  /** The key of a resource. */
  readonly target: string
  readonly options: Readonly<Record<string, string | boolean>>
  /** The foreign key, with its name in bodies; undefined where the other side has it. */
  readonly foreignKey: { readonly name: string; readonly column: string } | undefined
  readonly note: string | undefined
}

/** A relation whose foreign key is a column of its own table. */
export interface OwnRelation extends RelationDraft {
  readonly foreignKey: NonNullable<RelationDraft['foreignKey']>
}

/** The tables of a database as descriptors, and those that become none, with the reason. */
export interface Draft {
  readonly schema: string | undefined
  readonly resources: readonly ResourceDraft[]
  /** By the table's name. */
  readonly links: readonly LinkTable[]
  /** By the table's name. */
  readonly left: ReadonlyMap<string, string>
}

/** A table of links between two others. */
export interface LinkTable {
  readonly table: string
  readonly from: { readonly column: string; readonly table: string }
  readonly to: { readonly column: string; readonly table: string }
}
