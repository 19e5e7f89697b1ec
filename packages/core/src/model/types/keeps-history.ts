import type { HistoryDeclaration } from '../descriptors/descriptors.ts'
import type { RelationDeclaration } from '../descriptors/relations.ts'

/** Whether a resource says so, or one that owns it: `Seen` are those that were looked at. */
export type KeepsHistory<D, K, Seen = never> =
  K extends Exclude<keyof D, Seen>
    ? D[K] extends { readonly history: true | HistoryDeclaration }
      ? true
      : D[K] extends { readonly relations: infer R }
        ? true extends KeepsHistory<D, OwnersIn<R>, Seen | K>
          ? true
          : false
        : false
    : false

type OwnersIn<R> = {
  [Name in keyof R]: R[Name] extends RelationDeclaration & { readonly relation: 'ownedBy'; readonly target: infer T }
    ? T
    : never
}[keyof R]
