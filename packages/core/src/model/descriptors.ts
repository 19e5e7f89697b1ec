import type { FieldSchema } from './json-schema.ts'
import type { RelationDeclaration } from './relations.ts'

/** What an app author writes for one resource. */
export interface ResourceDescriptor<Keys extends string = string> {
  /** The path segment. Default: the resource's key. */
  readonly route?: string
  /** The table. Default: the resource's key. */
  readonly table?: string
  /** A column's name where it is not the property's: fields, foreign keys and `id`. */
  readonly columns?: Readonly<Record<string, string>>
  /** What a record of this resource is, in a sentence: for the API reference. */
  readonly description?: string
  /**
   * The plain fields, each a JSON Schema: of TypeBox, or written by hand. A field is required and not null, unless it is
   * `Type.Optional(…)` (may be left out, may be null), has a `default` (may be left out), or a schema that allows null.
   */
  readonly fields?: Readonly<Record<string, FieldSchema>>
  readonly relations?: Readonly<Record<string, RelationDeclaration<Keys>>>
  /** Unique keys: fields, or relations for their foreign key. */
  readonly unique?: readonly (readonly string[])[]
}

export type Descriptors<Keys extends string = string> = Readonly<Record<string, ResourceDescriptor<Keys>>>

/** What makes an entry that a descriptor does not have, such as a misspelt one, a compile error. */
export type KnownEntries<D> = {
  readonly [K in keyof D]: { readonly [Entry in Exclude<keyof D[K], keyof ResourceDescriptor>]: never }
}
