import { useCan, useDelete, useDeleteMany, useSelect, useTable } from '@refinedev/core'
import { useState } from 'react'

export function BookTable() {
  const [chosen, setChosen] = useState([])
  const { options, onSearch } = useSelect({ resource: 'publisher', optionLabel: 'name', optionValue: 'id' })
  const { data: access } = useCan({ resource: 'book', action: 'delete' })
  const { mutate: remove } = useDelete()
  const { mutate: removeMany } = useDeleteMany()
  const { tableQuery, currentPage, setCurrentPage, pageCount, sorters, setSorters, setFilters } = useTable({
    resource: 'book',
    liveMode: 'auto',
    pagination: { pageSize: 5 },
    sorters: { initial: [{ field: 'title', order: 'asc' }] },
    syncWithLocation: false,
  })
  const filter = (field, operator, value) => setFilters([{ field, operator, value }])
  const { data: rows = [], total } = tableQuery.data ?? {}
  const toggle = (id) => setChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
  const sort = (field) => {
    setSorters([{ field, order: sorters[0]?.order === 'asc' ? 'desc' : 'asc' }])
    setCurrentPage(1)
  }
  return (
    <>
      <input aria-label="Search" type="search" onChange={({ target }) => filter('q', 'contains', target.value)} />
      <input
        aria-label="Title"
        onChange={({ target }) => filter('title', 'contains', target.value)}
        placeholder="Title"
      />
      <input aria-label="Find a publisher" onChange={({ target }) => onSearch(target.value)} placeholder="Publisher" />
      <select aria-label="Publisher" onChange={({ target }) => filter('publisherId', 'eq', target.value)}>
        <option value="">all publishers</option>
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <table>
        <thead>
          <tr>
            <th />
            <th>
              <button type="button" onClick={() => sort('title')}>
                Title
              </button>
            </th>
            <th>Publisher</th>
            <th>
              <button type="button" onClick={() => sort('price')}>
                Price
              </button>
            </th>
            <th />
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, title, publisher, price, $etag }) => (
            <tr key={id}>
              <td>
                <input type="checkbox" aria-label={`Choose ${title}`} onChange={() => toggle(id)} />
              </td>
              <td className="title">
                <a href={`#/edit/${id}`}>{title}</a>
              </td>
              <td>{publisher.name}</td>
              <td>{price}</td>
              <td>
                {access?.can && (
                  <button type="button" onClick={() => remove({ resource: 'book', id, values: { $etag } })}>
                    Delete
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        {total} books, page {currentPage} of {pageCount}{' '}
        <button type="button" onClick={() => setCurrentPage(currentPage + 1)}>
          Next
        </button>
        <button type="button" onClick={() => removeMany({ resource: 'book', ids: chosen })}>
          Delete chosen
        </button>
        <a href="#/create">Create</a>
      </p>
    </>
  )
}
