import { useQueryClient } from '@tanstack/react-query'
import { hrefOf } from '../address.ts'
import { HISTORY, pathOfRecord, type Spot } from '../model/names.ts'
import { Glyph } from '../parts/glyph.tsx'
import { Choice, Dropdown } from '../parts/popover.tsx'
import { setCaller, useCaller } from '../service/caller.ts'
import { clearRequests } from '../service/requests.ts'
import { settings } from '../settings.ts'
import { chooseTheme } from './theme.ts'

interface TopProps {
  readonly spot: Spot | undefined
  readonly onMenu: () => void
  readonly onSignIn: () => void
  readonly onRequests: () => void
  readonly hasDrawer: boolean
}

/** Where one is, who one is, and the switch of the drawer. */
export function Top({ spot, onMenu, onSignIn, onRequests, hasDrawer }: TopProps) {
  return (
    <header className="top">
      <button type="button" className="button plain icon menu" aria-label="Resources" onClick={onMenu}>
        <Glyph name="menu" />
      </button>
      <nav className="crumbs-nav grow" aria-label="Where you are">
        <ol className="crumbs">
          {spot?.chain.flatMap(({ resource, collection, id }) => [
            <li key={collection}>
              <a href={hrefOf(collection)}>{resource}</a>
            </li>,
            ...(id === undefined
              ? []
              : [
                  <li key={`${collection}/`}>
                    <a href={hrefOf(pathOfRecord(collection, id))}>{id}</a>
                  </li>,
                ]),
          ])}
          {spot?.part !== undefined && (
            <li>
              <a href={hrefOf(`${pathOfRecord(spot.collection, spot.id)}${HISTORY}`)}>history</a>
            </li>
          )}
        </ol>
      </nav>
      <CallerMenu onSignIn={onSignIn} />
      <button
        type="button"
        className="button plain little"
        aria-pressed={hasDrawer}
        onClick={onRequests}
        aria-label="Requests"
      >
        <Glyph name="code" />
        <span className="wide-only">Requests</span>
      </button>
    </header>
  )
}

function CallerMenu({ onSignIn }: { readonly onSignIn: () => void }) {
  const caller = useCaller()
  const client = useQueryClient()
  const names = Object.keys(settings.callers ?? {})
  const become = (next: Parameters<typeof setCaller>[0]) => {
    // Nothing that one caller has read is left for the next one.
    client.clear()
    clearRequests()
    setCaller(next)
  }
  const shown = caller.authorization !== undefined ? 'token' : (caller.name ?? 'you')
  return (
    <Dropdown
      trigger={
        <button type="button" className="button plain little" aria-label={`You are ${shown}`}>
          <Glyph name="person" />
          {shown}
        </button>
      }
    >
      {names.map((name) => (
        <Choice key={name} onClick={() => become({ name })}>
          <span className="grow">{name}</span>
          {caller.name === name && <span className="soft small">now</span>}
        </Choice>
      ))}
      {(names.length > 0 || caller.authorization !== undefined) && (
        <Choice onClick={() => become({})}>Nobody in particular</Choice>
      )}
      <Choice onClick={onSignIn}>Enter a token…</Choice>
      <Choice onClick={chooseTheme}>
        <Glyph name="sun" />
        Light or dark
      </Choice>
    </Dropdown>
  )
}
