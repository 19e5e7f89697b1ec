import type { ModelProblem } from '../../errors.ts'
import { PATH_SEGMENT } from '../check/check-descriptor.ts'
import { RESERVED } from '../check/check-tables.ts'
import { didYouMean } from '../check/names.ts'
import type { MovingReference, OwnerReference, Owns } from '../model.ts'
import { fieldsBeside } from '../resource-tree.ts'
import { uniqueKey } from './build-uniques.ts'
import { buildingOf, type ResourceDraft } from './resource-draft.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Completes a resource once all relations are built: its owners, path segments and columns. */
export function finishRelations(draft: ResourceDraft, problems: ModelProblem[]): void {
  finishOwners(draft, problems)
  finishSegments(draft, problems)
  checkColumns(draft, problems)
}

function finishOwners(draft: ResourceDraft, problems: ModelProblem[]): void {
  if (draft.authorizedBy === 'owner' && draft.ownedBy.length === 0) {
    const message = "there is no owner to ask: the resource has no 'ownedBy' relation"
    problems.push({ place: `${draft.key}.authorizedBy`, message })
  }
  checkTopLevel(draft, problems)
  draft.isRoot = draft.ownedBy.length === 0 || draft.ownedBy.some((owner) => owner.nullable)
  if (draft.ownedBy.length > 1) for (const owner of draft.ownedBy) (owner as Mutable<OwnerReference>).nullable = true
  for (const owner of draft.ownedBy) {
    if (owner.inverse?.many === false) draft.uniques.push(uniqueKey([owner.name], [owner]))
  }
  for (const [index, by] of draft.movedBy.entries())
    (by as Mutable<MovingReference>).position = draft.members.length + index
}

function checkTopLevel({ key, isTopLevel, ownedBy }: ResourceDraft, problems: ModelProblem[]): void {
  if (!isTopLevel) return
  const refuse = (message: string) => problems.push({ place: `${key}.topLevel`, message })
  if (ownedBy.length === 0) refuse('leave it out: the resource has no owner, so its route is at the top')
  else if (ownedBy.some(({ target }) => target.key === key)) refuse('is not for a resource that owns itself')
}

function finishSegments(draft: ResourceDraft, problems: ModelProblem[]): void {
  const taken = new Map<string, string>()
  for (const owns of draft.owns as Mutable<Owns>[]) {
    if (draft.owns.some((other) => other !== owns && other.target === owns.target)) owns.segment = owns.name
    const place = `${draft.key}.relations.${owns.name}`
    if (!PATH_SEGMENT.test(owns.segment)) problems.push({ place, message: `'${owns.segment}' is not one path segment` })
    const other = taken.get(owns.segment)
    if (other !== undefined) {
      problems.push({ place, message: `its path segment '${owns.segment}' is already that of '${other}'` })
    }
    taken.set(owns.segment, owns.name)
  }
}

function checkColumns(draft: ResourceDraft, problems: ModelProblem[]): void {
  const { descriptor, usedColumns } = buildingOf(draft)
  for (const name of Object.keys(descriptor.columns ?? {})) {
    if (usedColumns.has(name)) continue
    const hint = didYouMean(name, usedColumns)
    problems.push({ place: `${draft.key}.columns.${name}`, message: `no field or foreign key '${name}'${hint}` })
  }
  const taken = new Map<string, string>(
    usedColumns.has('id') ? draft.idColumns.map((name) => [name.toLowerCase(), 'id']) : [],
  )
  for (const one of [...draft.members, ...draft.ownedBy, ...fieldsBeside(draft)]) {
    const name = one.kind === 'field' ? one.name : one.foreignKey
    if (RESERVED.test(one.column)) {
      problems.push({
        place: `${draft.key}.${name}`,
        message: `its column cannot be called '${one.column}': queries use that name`,
      })
    }
    const other = taken.get(one.column.toLowerCase())
    if (other !== undefined) {
      problems.push({
        place: `${draft.key}.${name}`,
        message: `its column '${one.column}' is already that of '${other}'`,
      })
    }
    taken.set(one.column.toLowerCase(), name)
  }
}
