import type { Field, Resource } from './model.ts'

/** What has a column of a resource's table: its fields, and the moment at which a record was deleted. */
export function storedFields({ fields, softDelete }: Resource): readonly Field[] {
  return softDelete === undefined ? fields : [...fields, softDelete]
}
