import { createHash } from 'node:crypto'
import { isClientShape } from '../../query/client-shape.ts'

const PREFIX = 'crud_'
const CLIENT_SHAPE_PREFIX = 'crud_shape_'

/** The same text always has the same name, so that nobody else on the connection gives the name to another statement. */
export function nameOfStatement(text: string): string {
  const prefix = isClientShape(text) ? CLIENT_SHAPE_PREFIX : PREFIX
  return `${prefix}${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
}

/** Whether a statement of that name has a shape that a client made. */
export function namesClientShape(name: string): boolean {
  return name.startsWith(CLIENT_SHAPE_PREFIX)
}
