import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { go, hrefOf } from '../address.ts'
import { nameOfCaller } from '../history/history.ts'
import type { Mark } from '../live/marks.ts'
import { isNumeric, kindOf } from '../model/field-kinds.ts'
import { filterPathAt } from '../model/filters.ts'
import type { Id, ModelDocument, Row } from '../model/model.ts'
import { labelOf, nameOfReference, pathOf, pathOfRecord, type Spot, titleOf } from '../model/names.ts'
import { shortText } from '../model/value-text.ts'
import { Value } from '../parts/value.tsx'
import { useModel } from '../service/use-model.tsx'
import { CellEditor, useCellEdit } from './cell-editor.tsx'
import { nextSort, sortIn, valueAt } from './list-query.ts'
import { Peek } from './peek.tsx'
import { isSelected, type Selection, select } from './selection.ts'

/** Of a row, in pixels, as the style has it. */
const ROW = 36
/** So many rows before the last one, the next page is asked for. */
const AHEAD = 40
/** Rows that are drawn while nothing is there yet. */
const BONES = 14

interface GridProps {
  readonly spot: Spot
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
  /** What others have done to a row meanwhile. */
  readonly markOf: (row: Row) => Mark | undefined
  readonly isPending: boolean
  readonly isStale: boolean
  readonly query: URLSearchParams
  readonly onQuery: (query: URLSearchParams) => void
  readonly onEnd: () => void
  readonly hasMore: boolean
  /** Undefined: the rows cannot be chosen. */
  readonly selection: Selection | undefined
  readonly onSelect: (selection: Selection) => void
}

/** The rows of a list. Only those in sight are drawn, and further ones are read as one comes to them. */
export function Grid(props: GridProps) {
  const { spot, columns, rows, isPending, isStale, query, onQuery, onEnd, hasMore, selection, onSelect, markOf } = props
  const model = useModel()
  const scroller = useRef<HTMLDivElement>(null)
  const [marked, setMarked] = useState(-1)
  const lastClicked = useRef(0)
  const edit = useCellEdit(spot)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 12,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && last >= rows.length - AHEAD) onEnd()
  }, [hasMore, last, rows.length, onEnd])

  const listed = String([...query].filter(([name]) => name !== 'fields'))
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins at its start
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 })
    setMarked(-1)
  }, [listed])

  const label = model.resources[spot.resource] && labelOf(model.resources[spot.resource] as never)
  const widths = columns.map((column) => widthOf(filterPathAt(model, spot.resource, column)?.kind, column === label))
  const hasLabel = columns.includes(label ?? '')
  const columnsBefore = (selection ? 1 : 0) + (hasLabel ? 0 : 1)
  const first = `${selection ? '44px ' : ''}${hasLabel ? '' : '90px '}`
  const style = { '--columns': `${first}${widths.join(' ')}` } as CSSProperties
  const open = (row: Row) => go(pathOfRecord(spot.collection, row.id))

  /** With Shift, all from the last one to this one. */
  const choose = (index: number, isOn: boolean, isRange: boolean) => {
    const start = isRange ? lastClicked.current : index
    const range = rows.slice(Math.min(start, index), Math.max(start, index) + 1)
    lastClicked.current = index
    if (selection) onSelect(select(selection, range, isOn))
  }
  /** One cell has the focus, or the link in it. */
  const goTo = (index: number, cell: number) => {
    setMarked(index)
    virtual.scrollToIndex(index)
    const focus = () => {
      const found = scroller.current?.querySelector<HTMLTableRowElement>(`tbody tr[aria-rowindex="${index + 1}"]`)
        ?.cells[cell]
      ;(found?.querySelector<HTMLElement>('a, input') ?? found)?.focus()
      return found !== undefined
    }
    // A row that is not drawn yet is so with the next picture.
    if (!focus()) requestAnimationFrame(focus)
  }
  /** The cell has the focus again, unless it is somewhere else by now. */
  const endEdit = (index: number, cell: number) => {
    const focused = document.activeElement
    edit.end()
    if (focused !== document.body && !focused?.closest('.editing')) return
    requestAnimationFrame(() => goTo(index, cell))
  }
  const press = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement
    const isGrid = target === event.currentTarget
    const cell = target.closest<HTMLTableCellElement>('tbody td')
    // Headings and inputs have keys of their own.
    if (!isGrid && (cell === null || target.matches('input:not([type=checkbox]), select'))) return
    const at = cell?.cellIndex ?? (selection ? 1 : 0)
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 }[event.key]
    const aside = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step !== undefined || (aside !== undefined && cell !== null)) {
      event.preventDefault()
      const next = Math.max(0, Math.min(rows.length - 1, marked + (step ?? 0)))
      const last = cell?.parentElement?.childElementCount ?? at + 1
      goTo(next, Math.max(0, Math.min(last - 1, at + (aside ?? 0))))
    }
    const row = rows[marked]
    if (event.key === 'Enter' && row !== undefined && isGrid) open(row)
    if ((event.key === 'F2' || event.key === 'Enter') && row !== undefined && target === cell) {
      event.preventDefault()
      edit.begin(row, columns[at - columnsBefore] ?? '')
    }
    if (event.key === ' ' && !target.matches('input') && row !== undefined && selection) {
      event.preventDefault()
      choose(marked, !isSelected(selection, row), false)
    }
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls and takes the arrow keys
    <section className="grid" ref={scroller} tabIndex={0} aria-label={`${spot.resource} records`} onKeyDown={press}>
      <table style={style} aria-rowcount={hasMore ? -1 : rows.length} aria-busy={isPending || isStale}>
        <thead>
          <tr>
            {selection && (
              <th scope="col" className="pick-row">
                <input
                  type="checkbox"
                  aria-label="All rows that are shown"
                  disabled={isStale || rows.length === 0}
                  checked={rows.length > 0 && rows.every((row) => isSelected(selection, row))}
                  onChange={({ target }) => onSelect(select(selection, rows, target.checked))}
                />
              </th>
            )}
            {!hasLabel && <Heading name="id" label="id" query={query} onQuery={onQuery} isSortable />}
            {columns.map((column) => (
              <Heading
                key={column}
                name={column}
                label={headingOf(model, spot.resource, column)}
                query={query}
                onQuery={onQuery}
                isSortable={isSortable(model, spot.resource, column)}
                isNumber={
                  isNumeric(filterPathAt(model, spot.resource, column)?.kind ?? 'text') || column.startsWith('count(')
                }
              />
            ))}
          </tr>
        </thead>
        <tbody
          style={{ height: isPending ? BONES * ROW : virtual.getTotalSize() }}
          className={isStale ? 'stale' : undefined}
        >
          {isPending && <Bones columns={[...(selection ? [''] : []), ...(hasLabel ? [] : ['id']), ...columns]} />}
          {items.map(({ index, start }) => {
            const row = rows[index] as Row
            const mark = markOf(row)
            const isGone = mark?.state === 'gone'
            return (
              <tr
                key={String(row.id ?? index)}
                style={{ transform: `translateY(${start}px)` }}
                aria-rowindex={index + 1}
                data-marked={index === marked || undefined}
                data-live={mark?.state}
                title={mark && wordsOfMark(mark)}
                onFocus={() => setMarked(index)}
                data-selected={(selection && isSelected(selection, row)) || undefined}
              >
                {selection && (
                  <td className="pick-row">
                    <input
                      type="checkbox"
                      aria-label={`Select ${titleOf(spot.resource, model.resources[spot.resource], row)}`}
                      checked={isSelected(selection, row) && !isGone}
                      disabled={isGone}
                      onChange={({ target, nativeEvent }) =>
                        choose(index, target.checked, (nativeEvent as MouseEvent).shiftKey)
                      }
                    />
                  </td>
                )}
                {!hasLabel && (
                  <td className="main">
                    <a href={hrefOf(pathOfRecord(spot.collection, row.id))}>{String(row.id)}</a>
                  </td>
                )}
                {columns.map((column) =>
                  edit.isAt(row, column) ? (
                    <td key={column} className="editing">
                      <CellEditor
                        edit={{ ...edit, end: () => endEdit(index, columns.indexOf(column) + columnsBefore) }}
                        row={row}
                        column={column}
                      />
                    </td>
                  ) : (
                    <Cell
                      key={column}
                      column={column}
                      row={row}
                      spot={spot}
                      isLabel={column === label}
                      isFresh={mark?.names.some((name) => isOfColumn(model, spot.resource, column, name)) === true}
                      onEdit={() => edit.begin(row, column)}
                    />
                  ),
                )}
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

/** A column that is what the related record is called has the relation's name. */
function headingOf(model: ModelDocument, resource: string, column: string): string {
  const [first = ''] = column.split('.')
  const target = model.resources[resource]?.relations[first]?.target
  return target !== undefined && nameOfReference(model, first, target) === column ? first : column
}

function wordsOfMark({ state, by, names }: Mark): string {
  const what = state === 'gone' ? 'is not here any more' : [`${state} by`, nameOfCaller(by)].join(' ')
  return names.length === 0 ? what : `${what}: ${names.join(', ')}`
}

/** A change has the names of foreign keys, and a column that of the relation. */
function isOfColumn(model: ModelDocument, resource: string, column: string, name: string): boolean {
  const [first = ''] = column.replace(/^\w+\(|\)$/g, '').split('.')
  return first === name || model.resources[resource]?.relations[first]?.foreignKey === name
}

function isSortable(model: ModelDocument, resource: string, column: string): boolean {
  if (column.startsWith('count(')) return true
  const kind = filterPathAt(model, resource, column)?.kind
  return kind !== undefined && kind !== 'json' && kind !== 'bytes'
}

function widthOf(kind: string | undefined, isLabel: boolean): string {
  if (isLabel) return 'minmax(200px, 2.2fr)'
  switch (kind) {
    case 'boolean':
    case 'integer':
    case 'number':
    case 'decimal':
      return 'minmax(92px, 0.6fr)'
    case 'date':
    case 'enum':
      return 'minmax(116px, 0.8fr)'
    case 'date-time':
      return 'minmax(168px, 0.9fr)'
    default:
      return 'minmax(140px, 1.2fr)'
  }
}

interface HeadingProps {
  readonly name: string
  readonly label: string
  readonly query: URLSearchParams
  readonly onQuery: (query: URLSearchParams) => void
  readonly isSortable: boolean
  readonly isNumber?: boolean
}

function Heading({ name, label, query, onQuery, isSortable: sorts, isNumber = false }: HeadingProps) {
  const keys = sortIn(query)
  const key = keys.find((one) => one.name === name)
  const sort = key === undefined ? 'none' : key.isDescending ? 'descending' : 'ascending'
  const click = (isMore: boolean) => {
    const next = new URLSearchParams(query)
    const text = nextSort(keys, name, isMore)
    if (text === '') next.delete('sort')
    else next.set('sort', text)
    onQuery(next)
  }
  return (
    <th scope="col" aria-sort={sorts ? sort : undefined} className={isNumber ? 'number' : undefined}>
      {sorts ? (
        <button type="button" onClick={({ shiftKey }) => click(shiftKey)} title="Sort; with Shift, by this, too">
          <span>{label}</span>
          {sort === 'ascending' ? '↑' : sort === 'descending' ? '↓' : ''}
        </button>
      ) : (
        <span className="static">{label}</span>
      )}
    </th>
  )
}

interface CellProps {
  readonly column: string
  readonly row: Row
  readonly spot: Spot
  readonly isLabel: boolean
  /** Others have just given it another value. */
  readonly isFresh: boolean
  readonly onEdit: () => void
}

function Cell({ column, row, spot, isLabel, isFresh, onEdit }: CellProps) {
  const model = useModel()
  const [first = ''] = column.split('.')
  const relation = model.resources[spot.resource]?.relations[first]
  const value = valueAt(row, column)
  const schema = filterPathAt(model, spot.resource, column)?.schema
  const isNumber = schema !== undefined && isNumeric(kindOf(schema))
  if (relation !== undefined && column !== first) {
    const related = row[first] as Row | null | undefined
    const path = related ? pathOf(model.resources[relation.target], related.id) : undefined
    return (
      <td className={isNumber ? 'number' : undefined} data-fresh={isFresh || undefined}>
        {path === undefined ? (
          <Value value={value} schema={schema} />
        ) : (
          <Peek path={path} resource={relation.target} id={related?.id as Id} text={value} schema={schema} />
        )}
      </td>
    )
  }
  if (isLabel) {
    return (
      <td className="main" data-fresh={isFresh || undefined}>
        <a href={hrefOf(pathOfRecord(spot.collection, row.id))}>
          {value === null || value === '' ? `${spot.resource} ${String(row.id)}` : shortText(String(value))}
        </a>
      </td>
    )
  }
  return (
    <td
      tabIndex={-1}
      className={isNumber || column.startsWith('count(') ? 'number' : undefined}
      data-fresh={isFresh || undefined}
      onDoubleClick={onEdit}
    >
      <Value value={value} schema={schema} />
    </td>
  )
}

const BONE_KEYS = Array.from({ length: BONES }, (_, index) => `bone-${index}`)

const Bones = ({ columns }: { readonly columns: readonly string[] }) => (
  <>
    {BONE_KEYS.map((key, row) => (
      <tr key={key} style={{ transform: `translateY(${row * ROW}px)` }}>
        {columns.map((name, column) => (
          <td key={name}>
            <span className="bone" style={{ width: `${40 + ((row * 7 + column * 13) % 40)}%` }} />
          </td>
        ))}
      </tr>
    ))}
  </>
)
