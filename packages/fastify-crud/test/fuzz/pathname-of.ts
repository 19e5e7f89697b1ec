/** The path of a URL as a server sees it: `/api/book/` for `/api/book/7/..?x=1`. */
export function pathnameOf(url: string): string {
  return new URL(`http://service.example${url}`).pathname
}
