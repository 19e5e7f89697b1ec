import { hrefOf, useAddress } from '../address.ts'
import type { ModelDocument } from '../model/model.ts'
import { type Spot, topPath } from '../model/names.ts'
import { Glyph } from '../parts/glyph.tsx'
import { settings } from '../settings.ts'

interface SideProps {
  readonly model: ModelDocument | undefined
  readonly spot: Spot | undefined
  readonly onFind: () => void
}

/** All resources with a list at the top, by their names. What is owned is found in its owner. */
export function Side({ model, spot, onFind }: SideProps) {
  const { path } = useAddress()
  const resources = Object.entries(model?.resources ?? {})
    .flatMap(([key, resource]) => {
      const top = topPath(resource)
      return top === undefined || resource.operations.list === false ? [] : [{ key, top }]
    })
    .sort((one, other) => one.key.localeCompare(other.key))
  const current = spot?.chain[0]?.resource
  return (
    <nav className="side" aria-label="Resources">
      <a className="brand" href={hrefOf('/')} aria-current={path === '/' ? 'page' : undefined}>
        <Glyph name="map" />
        {settings.title}
      </a>
      <button type="button" className="find" onClick={onFind}>
        <Glyph name="search" />
        Find
        <kbd>{/Mac/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K'}</kbd>
      </button>
      <ul>
        <li>
          <a href={hrefOf('/$map')} aria-current={path === '/$map' ? 'page' : undefined}>
            <Glyph name="map" />
            Map
          </a>
        </li>
      </ul>
      <h2>Resources</h2>
      <ul>
        {resources.map(({ key, top }) => (
          <li key={key}>
            <a href={hrefOf(top)} aria-current={current === key ? 'page' : undefined}>
              {key}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
