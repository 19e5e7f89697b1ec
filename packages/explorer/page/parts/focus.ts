/** Of an element that is there from the next picture on: the focus goes to its first input, or to itself. */
export function focusNext(selector: string): void {
  requestAnimationFrame(() => {
    const element = [...document.querySelectorAll<HTMLElement>(selector)].at(-1)
    const inside = element?.matches('input, select, textarea, button, a') ? undefined : element
    ;(inside?.querySelector<HTMLElement>('input, select, textarea') ?? element)?.focus()
  })
}

/** For an element that somebody has just asked for. */
export const focusOnce = (element: HTMLElement | null): void => element?.focus()

/** An element that moves loses the focus of the button that moves it, unless it gets it again. */
export function keepFocus(): void {
  const focused = document.activeElement
  requestAnimationFrame(() => focused instanceof HTMLElement && focused.focus())
}

/** Where nothing has the focus any more, the beginning of the page gets it. */
export function focusPage(): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) document.getElementById('page')?.focus()
  })
}

/** So many pictures later, what has not happened does not happen any more. */
const FRAMES = 60

/** A record that was saved has other elements in the same places soon. One stays where one was. */
export function keepSpot(): void {
  const all = () => [...document.querySelectorAll<HTMLElement>('.record :is(input, select, textarea, button, a)')]
  const focused = document.activeElement
  const index = (all() as (Element | null)[]).indexOf(focused)
  const look = (frames: number) => {
    if (frames === 0) return
    if (focused?.isConnected) return void requestAnimationFrame(() => look(frames - 1))
    all()[index]?.focus()
    focusPage()
  }
  look(FRAMES)
}
