import { etagOf } from '@fastify-crud/core/internal'

const START = '{"rows":['

/** What opens and closes a value of JSON, and a whole string, in which nothing does. */
const BRACKET = /[{[]|[}\]]|"(?:[^"\\]|\\.)*"/g

/** The JSON of a page with the ETag of each record, `$etag`, which is that of a GET of this record alone. */
export function withEtags(page: string): string {
  if (!page.startsWith(START)) return page
  const rows: string[] = []
  let depth = 0
  let start = START.length
  BRACKET.lastIndex = start
  for (let found = BRACKET.exec(page); found !== null; found = BRACKET.exec(page)) {
    const [text] = found
    if (text === '{' || text === '[') {
      if (depth === 0) start = found.index
      depth += 1
    } else if (text === '}' || text === ']') {
      // The end of the rows.
      if (depth === 0) return `${START}${rows.join(',')}${page.slice(found.index)}`
      depth -= 1
      if (depth === 0) rows.push(withEtag(page.slice(start, BRACKET.lastIndex)))
    }
  }
  return page
}

function withEtag(record: string): string {
  return `${record.slice(0, -1)},"$etag":${JSON.stringify(etagOf(record))}}`
}
