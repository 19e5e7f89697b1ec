import { go } from '../address.ts'
import { exportList, type ListExport } from '../export/export-list.ts'
import { conditionsIn, withConditions } from '../model/filters.ts'
import type { Resource } from '../model/model.ts'
import { Glyph } from '../parts/glyph.tsx'
import { Choice, Dropdown } from '../parts/popover.tsx'
import { say } from '../parts/toast.tsx'

interface ListMenuProps {
  readonly resource: Resource
  readonly list: ListExport
}

/** What one does with a list as a whole. */
export function ListMenu({ resource, list }: ListMenuProps) {
  const save = async (form: 'csv' | 'json') => {
    try {
      await exportList(form, list, (count) => say({ text: `${count.toLocaleString()} records are read…` }))
      say({ text: `The list is saved as ${list.name}.${form}.` })
    } catch (error) {
      say({ text: `Nothing was saved: ${error instanceof Error ? error.message : String(error)}` })
    }
  }
  return (
    <Dropdown
      trigger={
        <button type="button" className="button plain icon" aria-label="More">
          <Glyph name="dots" />
        </button>
      }
    >
      <Choice onClick={() => void save('csv')}>Save as CSV</Choice>
      <Choice onClick={() => void save('json')}>Save as JSON</Choice>
      {resource.groups && (
        <Choice
          onClick={() =>
            go(`${list.path}/$group`, withConditions(new URLSearchParams(), conditionsIn(list.query)).toString())
          }
        >
          Groups
        </Choice>
      )}
      {resource.operations.create && <Choice onClick={() => go(`${list.path}/$import`)}>Import a file…</Choice>}
      {resource.operations.deleted && <Choice onClick={() => go(`${list.path}/$deleted`)}>Trash</Choice>}
    </Dropdown>
  )
}
