/** What the server says to the page, in an attribute of its HTML. */
export interface Settings {
  readonly title: string
  /** The service's address, relative to the page or whole. */
  readonly service: string
  readonly callers?: Readonly<Record<string, { readonly headers: Readonly<Record<string, string>> }>>
}

const text = document.getElementById('root')?.dataset.settings

export const settings: Settings = text === undefined ? { title: 'Explorer', service: '../api' } : JSON.parse(text)

/** The service's URL, without a slash at its end. */
export const serviceUrl = new URL(settings.service, document.baseURI).href.replace(/\/$/, '')
