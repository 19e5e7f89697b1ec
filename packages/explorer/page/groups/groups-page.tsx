import { hrefOf, replaceAddress, useAddress } from '../address.ts'
import { conditionsIn, filterPathAt, withConditions } from '../model/filters.ts'
import type { Row } from '../model/model.ts'
import type { Spot } from '../model/names.ts'
import { Failure, Nothing } from '../parts/states.tsx'
import { Value } from '../parts/value.tsx'
import { FilterChips, FilterMenu } from '../records/filter-menu.tsx'
import { useList, useModel } from '../service/use-model.tsx'
import {
  barOf,
  type GroupQuery,
  groupIn,
  groupRequest,
  isOfTime,
  keysOf,
  numberText,
  queryOfGroup,
  valuesOf,
} from './groups.ts'
import { LineChart } from './line-chart.tsx'

/** As many groups are shown. */
const MOST = 100

interface GroupsPageProps {
  readonly spot: Spot
  readonly onSignIn: () => void
}

/** How many records have something in common, and what is computed over them: a table with a bar for each group. */
export function GroupsPage({ spot, onSignIn }: GroupsPageProps) {
  const { query: text } = useAddress()
  const query = new URLSearchParams(text)
  const model = useModel()
  const path = `${spot.collection}/$group`
  const group = groupIn(model, spot.resource, query)
  const { data, error, refetch, isPending } = useList(
    path,
    groupRequest(query, group, Math.min(MOST, model.limits.maxPage)),
  )
  const conditions = conditionsIn(query)
  const setQuery = (next: URLSearchParams) => replaceAddress(path, next.toString())
  const set = (name: 'by' | 'values', value: string) => {
    const next = new URLSearchParams(query)
    next.set(name, value)
    setQuery(next)
  }
  const listQuery = withConditions(new URLSearchParams(), conditions).toString()
  const back = (
    <a className="button" href={hrefOf(spot.collection, listQuery)}>
      {conditions.length > 0 ? 'These' : 'All'} {spot.resource} records
    </a>
  )
  return (
    <>
      <div className="head">
        <h1>Groups of {spot.resource}</h1>
        <span className="soft" aria-live="polite">
          {data?.count?.toLocaleString()}
        </span>
        <span className="grow" />
        {back}
      </div>
      <search className="tools">
        <Choice label="by" value={group.by} choices={keysOf(model, spot.resource)} onChange={(by) => set('by', by)} />
        <Choice
          label="show"
          value={group.value}
          choices={valuesOf(model, spot.resource)}
          onChange={(value) => set('values', value)}
        />
        <FilterChips
          conditions={conditions}
          resource={spot.resource}
          onChange={(next) => setQuery(withConditions(query, next))}
          json={null}
          onDropJson={() => {}}
        />
        <FilterMenu resource={spot.resource} onAdd={(one) => setQuery(withConditions(query, [...conditions, one]))} />
      </search>
      {error && <Failure error={error} what="This" again={() => void refetch()} signIn={onSignIn} back={back} />}
      {isPending && (
        <div className="groups" aria-busy="true">
          <span className="bone input-bone" />
        </div>
      )}
      {data?.rows.length === 0 && (
        <Nothing glyph="search" title={`No ${spot.resource} matches`}>
          There is nothing to group.
        </Nothing>
      )}
      {data !== undefined && data.rows.length > 0 && (
        <>
          {isOfTime(group.by) && <LineChart rows={data.rows} by={group.by} value={group.value} />}
          <GroupsTable spot={spot} group={group} rows={data.rows} query={query} />
        </>
      )}
      {data?.count !== undefined && data.count > data.rows.length && (
        <p className="groups soft small">
          The first {data.rows.length} of {data.count.toLocaleString()} groups are shown.
        </p>
      )}
    </>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly choices: readonly string[]
  readonly onChange: (value: string) => void
}

const Choice = ({ label, value, choices, onChange }: ChoiceProps) => (
  <label className="day-input">
    <span className="soft">{label}</span>
    <select className="input" value={value} aria-label={label} onChange={({ target }) => onChange(target.value)}>
      {[...new Set([value, ...choices])]
        .sort((one, other) => choices.indexOf(one) - choices.indexOf(other))
        .map((one) => (
          <option key={one}>{one}</option>
        ))}
    </select>
  </label>
)

interface GroupsTableProps {
  readonly spot: Spot
  readonly group: GroupQuery
  readonly rows: readonly Row[]
  readonly query: URLSearchParams
}

function GroupsTable({ spot, group: { by, value }, rows, query }: GroupsTableProps) {
  const model = useModel()
  const schema = isOfTime(by) ? { type: 'string' } : filterPathAt(model, spot.resource, by)?.schema
  const all = rows.map((row) => row[value])
  return (
    <div className="groups">
      <table>
        <thead>
          <tr>
            <th scope="col">{by}</th>
            <th scope="col" className="number">
              {value}
            </th>
            <td />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const records = queryOfGroup(query, by, row)
            const name = <Value value={row[by]} schema={schema} />
            return (
              <tr key={String(row[by])}>
                <th scope="row">
                  {records === undefined ? name : <a href={hrefOf(spot.collection, records)}>{name}</a>}
                </th>
                <td className="number" title={String(row[value])}>
                  {numberText(row[value])}
                </td>
                <td className="bar">
                  <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                    <rect width={barOf(row[value], all)} height="10" />
                  </svg>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
