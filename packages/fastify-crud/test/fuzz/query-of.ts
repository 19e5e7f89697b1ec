/** What a query is about: `filter` for `filter[title]=x`. */
export function queryOf(url: string): ReadonlySet<string> {
  const keys = [...new URL(`http://service.example${url}`).searchParams.keys()]
  return new Set(keys.map((key) => key.replace(/\[.*/s, '')))
}
