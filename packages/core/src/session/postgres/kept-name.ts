import { createHash } from 'node:crypto'
import { isClientShape } from '../../sql/text/client-shape.ts'
import { MOST_CLIENT_SHAPES, MOST_KEPT } from '../drivers/keep-frequent.ts'
import type { KeptName } from './pipeline/index.ts'

const CLIENT_SHAPES = { most: MOST_CLIENT_SHAPES }
const OTHERS = { most: MOST_KEPT }

/** The same text always has the same name, so no other user of the connection gives the name to another statement. */
export function keptNameOf(text: string): KeptName {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 32)
  return isClientShape(text)
    ? { name: `crud_shape_${hash}`, group: CLIENT_SHAPES }
    : { name: `crud_${hash}`, group: OTHERS }
}
