import { type Problem, shortened, withArticle } from '../../errors.ts'
import { isObject } from '../../model/is-object.ts'
import type { Reference, Resource } from '../../model/model.ts'
import { heldId, type RecordData } from '../record-data.ts'
import type { Draft } from './draft.ts'
import { pointerTo } from './pointer.ts'

/** Checks the shape of a reference's nested record. The record is read-only, so its values do not matter. */
export function readNested({ name, target }: Reference, value: unknown, parent: string, problems: Problem[]): void {
  if (value === null) return
  const pointer = pointerTo(parent, name)
  if (isObject(value)) checkSummary(target, value, pointer, problems)
  else problems.push({ pointer, message: `must be ${withArticle(target.key)} or null; it is read-only` })
}

/** A related record that is not owned has an id and fields that can be shown, but no relations. */
export function checkSummary(
  target: Resource,
  value: Readonly<Record<string, unknown>>,
  pointer: string,
  problems: Problem[],
): void {
  for (const name of Object.keys(value)) {
    const meaning = target.names.get(name)
    if (name === 'id' || meaning?.is === 'computed' || (meaning?.is === 'field' && !meaning.field.writeOnly)) continue
    problems.push({
      pointer: pointerTo(pointer, name),
      message: `a related ${target.key} shows its id and its fields, not '${shortened(name)}'`,
    })
  }
}

/** The nested record of a reference whose foreign key is not in the body; undefined if there is none. */
export function nestedWithoutKey({ values, body }: Draft, { name, position }: Reference): unknown {
  return values[position] === undefined && Object.hasOwn(body, name) ? body[name] : undefined
}

/** POST and PUT without the foreign key set it to null. A nested record would be dropped silently, so it is refused. */
export function refuseNestedInWhole(reference: Reference, draft: Draft, problems: Problem[]): void {
  const { name, foreignKey } = reference
  if (!isObject(nestedWithoutKey(draft, reference))) return
  const message = `is set by ${foreignKey}, which is missing: send ${foreignKey}, or leave out ${name}`
  problems.push({ pointer: pointerTo(draft.pointer, name), message })
}

/** PATCH without the foreign key does not change it, so a nested record must be the one that it names. */
export function checkNestedInPatch(reference: Reference, draft: Draft, record: RecordData, problems: Problem[]): void {
  const { name, foreignKey, target } = reference
  const nested = nestedWithoutKey(draft, reference)
  if (nested === undefined) return
  const present = heldId(record, reference)
  const isSame = isObject(nested) ? present !== null && target.id.fromJson(nested.id) === present : present === null
  if (isSame) return
  const message = `is set by ${foreignKey}, which names another record or none: send ${foreignKey} to change it, or leave out ${name}`
  problems.push({ pointer: pointerTo(draft.pointer, name), message })
}
