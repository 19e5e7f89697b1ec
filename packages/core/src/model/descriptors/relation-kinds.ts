import type { RelationDeclaration } from './relations.ts'

export type Relations = Readonly<Record<string, RelationDeclaration>>

export type AnyKind = RelationDeclaration['relation']
export type ManyKind = 'owns.many' | 'needs.many' | 'knows.many' | 'neededBy.many'
export type OneKind = Exclude<AnyKind, ManyKind>

/** The kinds of relations that a record shows; `ownedBy` and `neededBy` add nothing. */
export type ShownRelation = 'owns.one' | 'owns.many' | 'needs.one' | 'needs.many' | 'knows.one' | 'knows.many'
