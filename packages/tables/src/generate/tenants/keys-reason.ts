import type { TableLayout } from '../../layout/table-layout.ts'

export function keysReason({ name }: TableLayout): string {
  return `the keys of ${name} do not begin with the tenant`
}
