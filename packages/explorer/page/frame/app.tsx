import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { go, useAddress } from '../address.ts'
import { HistoryPage } from '../history/history-page.tsx'
import { useLive } from '../live/use-live.ts'
import { type Spot, spotAt } from '../model/names.ts'
import { Boundary } from '../parts/boundary.tsx'
import { Dialog } from '../parts/popover.tsx'
import { Failure, Nothing } from '../parts/states.tsx'
import { Toast } from '../parts/toast.tsx'
import { useShortcut } from '../parts/use-shortcut.ts'
import { RecordPage } from '../record/record-page.tsx'
import { RecordsPage } from '../records/records-page.tsx'
import { ModelProvider, useModelQuery } from '../service/use-model.tsx'
import { settings } from '../settings.ts'
import { TrashPage } from '../trash/trash-page.tsx'
import { Home } from './home.tsx'
import { Palette } from './palette.tsx'
import { RequestsDrawer } from './requests-drawer.tsx'
import { Side } from './side.tsx'
import { SignIn } from './sign-in.tsx'
import { Top } from './top.tsx'

/** Loaded when somebody opens it: it is the larger part of the page. */
const MapPage = lazy(() => import('../map/map-page.tsx').then((module) => ({ default: module.MapPage })))

const ImportPage = lazy(() => import('../import/import-page.tsx').then((module) => ({ default: module.ImportPage })))

const GroupsPage = lazy(() => import('../groups/groups-page.tsx').then((module) => ({ default: module.GroupsPage })))

type Layer = 'palette' | 'menu' | 'sign-in'

/** The page as a whole: the model is read first, then the address says what is shown. */
export function App() {
  const { data: model, error, refetch, isPending } = useModelQuery()
  const { path } = useAddress()
  const [layer, setLayer] = useState<Layer>()
  const [hasDrawer, setDrawer] = useState(false)
  const close = () => setLayer(undefined)
  const spot = model && spotAt(model, path)
  useShortcut('k', () => setLayer('palette'))
  useTitle(spot)
  useLive(model, path)
  useFocusOn(path)

  const side = <Side model={model} spot={spot} onFind={() => setLayer('palette')} />
  return (
    <div className="frame">
      <button type="button" className="button skip" onClick={() => document.getElementById('page')?.focus()}>
        To the page
      </button>
      {side}
      <Top
        spot={spot}
        onMenu={() => setLayer('menu')}
        onSignIn={() => setLayer('sign-in')}
        onRequests={() => setDrawer(!hasDrawer)}
        hasDrawer={hasDrawer}
      />
      {/* In front of the page, whose beginning has the focus behind what is said here. */}
      <Toast />
      <main className="page" id="page" tabIndex={-1}>
        {error && (
          <Failure error={error} what="The model" again={() => void refetch()} signIn={() => setLayer('sign-in')} />
        )}
        {isPending && <div className="head" aria-busy="true" />}
        {model && (
          <ModelProvider model={model}>
            <Boundary key={path}>
              <Page path={path} spot={spot} onSignIn={() => setLayer('sign-in')} />
            </Boundary>
            {layer === 'palette' && <Palette onClose={close} />}
          </ModelProvider>
        )}
      </main>
      {hasDrawer && <RequestsDrawer model={model} onClose={() => setDrawer(false)} />}
      {layer === 'sign-in' && <SignIn onClose={close} />}
      {layer === 'menu' && (
        <Dialog title="Resources" className="sheet" hideTitle onClose={close}>
          {/* A choice closes the menu. */}
          <div onClickCapture={(event) => (event.target as Element).closest('a') && close()}>{side}</div>
        </Dialog>
      )}
    </div>
  )
}

interface PageProps {
  readonly path: string
  readonly spot: Spot | undefined
  readonly onSignIn: () => void
}

function Page({ path, spot, onSignIn }: PageProps) {
  if (path === '/') return <Home />
  if (path === '/$map') {
    return (
      <Suspense fallback={<div className="head" aria-busy="true" />}>
        <MapPage />
      </Suspense>
    )
  }
  if (spot === undefined) {
    return (
      <Nothing
        glyph="search"
        title="There is no such page"
        buttons={
          <button type="button" className="button" onClick={() => go('/')}>
            To the start
          </button>
        }
      >
        {path}
      </Nothing>
    )
  }
  if (spot.id === '$import') {
    return (
      <Suspense fallback={<div className="head" aria-busy="true" />}>
        <ImportPage key={path} spot={spot} />
      </Suspense>
    )
  }
  if (spot.id === '$group') {
    return (
      <Suspense fallback={<div className="head" aria-busy="true" />}>
        <GroupsPage key={path} spot={spot} onSignIn={onSignIn} />
      </Suspense>
    )
  }
  if (spot.id === '$deleted') return <TrashPage key={path} spot={spot} onSignIn={onSignIn} />
  if (spot.id === undefined) return <RecordsPage key={spot.collection} spot={spot} onSignIn={onSignIn} />
  if (spot.part === 'history')
    return <HistoryPage key={path} spot={{ ...spot, id: spot.id }} path={path} onSignIn={onSignIn} />
  return <RecordPage key={path} spot={{ ...spot, id: spot.id }} path={path} onSignIn={onSignIn} />
}

/** Who follows a link is at the beginning of another page: so is the focus, unless the page has an input with it. */
function useFocusOn(path: string): void {
  const last = useRef(path)
  useEffect(() => {
    if (last.current === path) return
    last.current = path
    requestAnimationFrame(() => {
      const page = document.getElementById('page')
      if (!page?.contains(document.activeElement)) page?.focus()
    })
  }, [path])
}

function useTitle(spot: Spot | undefined): void {
  const words = spot && [spot.part && 'History of', spot.resource, spot.id].filter(Boolean).join(' ')
  useEffect(() => {
    document.title = words ? `${words} · ${settings.title}` : settings.title
  }, [words])
}
