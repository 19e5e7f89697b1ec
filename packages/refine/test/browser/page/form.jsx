import { useForm, useSelect } from '@refinedev/core'
import { useState } from 'react'

const NEW = { title: '', isbn: '', format: 'ebook', price: '', cover: { image: '' }, authorsIds: [], chapters: [] }

export function BookForm({ action, id }) {
  const { query, onFinish, mutation } = useForm({ resource: 'book', action, id, redirect: false })
  const record = action === 'create' ? NEW : query?.data?.data
  if (record === undefined) return <p>…</p>
  return (
    <Inputs
      // The form begins anew with each state of the record.
      key={record.$etag}
      record={record}
      errors={mutation.error?.errors ?? {}}
      save={(values) => onFinish(values).catch(() => undefined)}
    />
  )
}

function Inputs({ record, errors, save }) {
  const [values, setValues] = useState(record)
  const selectOf = (resource, optionLabel, defaultValue) => ({ resource, optionLabel, optionValue: 'id', defaultValue })
  const publishers = useSelect(selectOf('publisher', 'name', record.publisherId))
  const authors = useSelect(selectOf('author', 'name', record.authorsIds))
  const set = (change) => setValues({ ...values, ...change })
  const setChapter = (at, change) =>
    set({ chapters: values.chapters.map((one, index) => (index === at ? { ...one, ...change } : one)) })
  const text = (name, label, value, change) => (
    <label>
      {label} <input aria-label={label} value={value ?? ''} onChange={({ target }) => change(target.value)} />
      {errors[name] && <span className="error">{errors[name]}</span>}
    </label>
  )
  const numbers = (target) => [...target.selectedOptions].map(({ value }) => Number(value))
  const choices = ({ options }) =>
    options.map(({ value, label }) => (
      <option key={value} value={value}>
        {label}
      </option>
    ))
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        // Only what the form has inputs for, and the ETag of the record as it was read.
        const { $etag, title, isbn, format, price, publisherId, authorsIds, cover, chapters } = values
        save({ ...($etag && { $etag }), title, isbn, format, price, publisherId, authorsIds, cover, chapters })
      }}
    >
      {text('title', 'Title', values.title, (title) => set({ title }))}
      {text('isbn', 'Isbn', values.isbn, (isbn) => set({ isbn }))}
      {text('price', 'Price', values.price, (price) => set({ price }))}
      {text('cover.image', 'Cover', values.cover?.image, (image) => set({ cover: { ...values.cover, image } }))}
      <label>
        Publisher{' '}
        <select
          aria-label="Publisher"
          value={values.publisherId ?? ''}
          onChange={({ target }) => set({ publisherId: numbers(target)[0] })}
        >
          <option value="" />
          {choices(publishers)}
        </select>
      </label>
      <label>
        Authors{' '}
        <select
          aria-label="Authors"
          multiple
          value={values.authorsIds}
          onChange={({ target }) => set({ authorsIds: numbers(target) })}
        >
          {choices(authors)}
        </select>
      </label>
      <fieldset>
        <legend>Chapters</legend>
        {values.chapters.map((chapter, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: new chapters have no ids
          <div key={at} className="chapter">
            {text(`chapters.${at}.number`, 'Number', chapter.number, (number) =>
              setChapter(at, { number: Number(number) }),
            )}
            {text(`chapters.${at}.title`, 'Chapter', chapter.title, (title) => setChapter(at, { title }))}
            <button type="button" onClick={() => set({ chapters: values.chapters.filter((one) => one !== chapter) })}>
              Remove
            </button>
          </div>
        ))}
        <button type="button" onClick={() => set({ chapters: [...values.chapters, {}] })}>
          Add
        </button>
      </fieldset>
      <button type="submit">Save</button>
    </form>
  )
}
