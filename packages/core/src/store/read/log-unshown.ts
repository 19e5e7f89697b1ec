import type { RuleLog } from '../../rules/rule-types.ts'
import type { NoteUnshown, UnshownValue } from '../../sql/reads/read-unshown.ts'

/** So many values of one answer are named. */
const MOST_NAMED = 10

/** Says in the log which rows hold values that were left out of an answer. */
export function logUnshown(log: Pick<RuleLog, 'warn'>): NoteUnshown {
  return (values) => {
    const named = values.slice(0, MOST_NAMED).map(describe).join('; ')
    const others = values.length > MOST_NAMED ? `; and ${values.length - MOST_NAMED} more` : ''
    log.warn(
      `fastify-crud: an answer lacks values that cannot be shown as their fields declare; correct them in the table: ${named}${others}`,
    )
  }
}

function describe({ resource, field, id }: UnshownValue): string {
  const held = field.kind === 'field' ? `column '${field.column}'` : `computed field '${field.name}'`
  return resource.hasId ? `table '${resource.table}', id ${id}, ${held}` : `table '${resource.table}', ${held}`
}
