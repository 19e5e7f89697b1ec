import type { FoundProblem } from '../../check/table-problem.ts'
import type { Outcome } from '../change.ts'
import { placeOf, type Setting } from '../setting.ts'
import { extraColumn, newColumn, nullChange, ownersCheck } from './column-changes.ts'
import { deleteAction, foreignKey } from './foreign-key-changes.ts'
import { extraUnique, keyOrId, newUnique } from './key-changes.ts'
import { typeChange } from './type-changes.ts'

/** What makes one difference go away. Of warnings, only what a change of the descriptors explains. */
export async function changesOf(problem: FoundProblem, setting: Setting): Promise<Outcome> {
  const { table, column } = placeOf(problem, setting)
  const { kind, severity } = problem
  const otherwise = severity === 'error' ? { byHand: problem.message } : {}
  if (table === undefined) return {}
  // What the service only reads is for others to change.
  if (!table.isWritable) return otherwise
  switch (kind) {
    case 'column': {
      if (column === undefined) return otherwise
      const outcome = await newColumn(problem, table, column, setting)
      const note = ownersCheck(table, problem)
      return note === undefined || outcome.byHand !== undefined ? outcome : { ...outcome, byHand: note }
    }
    case 'extra column':
      return extraColumn(problem, table, setting)
    case 'null':
      return column === undefined ? otherwise : nullChange(problem, table, column, setting)
    case 'type':
      return column === undefined ? otherwise : typeChange(problem, table, column, setting)
    case 'key':
    case 'id':
      return keyOrId(problem, table, setting)
    case 'unique':
      return newUnique(problem, table, setting)
    case 'extra unique':
      return extraUnique(problem, table, setting)
    case 'foreign key':
      return foreignKey(problem, table, setting)
    case 'on delete':
      return deleteAction(problem, table, setting)
    case 'extra foreign key':
    case 'index':
      return {}
    default:
      return otherwise
  }
}
