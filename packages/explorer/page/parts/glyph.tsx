const PATHS = {
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM11 11l3 3',
  plus: 'M8 3v10M3 8h10',
  menu: 'M2 4h12M2 8h12M2 12h12',
  columns: 'M2 3h12v10H2zM6.5 3v10M10.5 3v10',
  filter: 'M2 4h12M4 8h8M6.5 12h3',
  trash: 'M3 4h10M6 4V2h4v2M4 4l1 10h6l1-10',
  up: 'M4 10l4-4 4 4',
  down: 'M4 6l4 4 4-4',
  left: 'M10 4L6 8l4 4',
  right: 'M6 4l4 4-4 4',
  cross: 'M4 4l8 8M12 4l-8 8',
  map: 'M2 3h5v4H2zM9 9h5v4H9zM4.5 7v4H9',
  code: 'M5 4L1 8l4 4M11 4l4 4-4 4',
  dots: 'M8 3v.01M8 8v.01M8 13v.01',
  warn: 'M8 2l6.5 11.5h-13zM8 6.5v3.5M8 12v.01',
  lock: 'M3.5 7h9v7h-9zM5.5 7V5a2.5 2.5 0 0 1 5 0v2',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1',
  table: 'M2 3h12v10H2zM2 6.5h12M6 6.5V13',
  copy: 'M5.5 5.5V2h8.5v8.5h-3.5M2 5.5h8.5V14H2z',
  undo: 'M3 6h7a3.5 3.5 0 0 1 0 7H6M3 6l3-3M3 6l3 3',
  drag: 'M6 3v.01M6 8v.01M6 13v.01M10 3v.01M10 8v.01M10 13v.01',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.5V8l2.5 1.5',
  person: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14a5.5 5.5 0 0 1 11 0',
} as const

export type GlyphName = keyof typeof PATHS

export const Glyph = ({ name }: { readonly name: GlyphName }) => (
  <svg className="glyph" viewBox="0 0 16 16" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
)
