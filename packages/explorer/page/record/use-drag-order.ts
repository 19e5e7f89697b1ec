import { type DragEvent, useState } from 'react'

/** A list that takes elements of others like it. */
export interface OtherLists<Held> {
  /** What another list is told of an element that is dragged out of this one. */
  hold(index: number): Held
  accepts(held: Held): boolean
  /** Puts it in front of the element of that place. */
  take(held: Held, index: number): void
}

let held: unknown

/** Elements that take the place of the one they are dropped on, in their list or in another one like it. */
export function useDragOrder<Held>(move: (from: number, to: number) => void, others?: OtherLists<Held>) {
  const [dragged, setDragged] = useState<number>()
  const [over, setOver] = useState<number>()
  const end = () => {
    held = undefined
    setDragged(undefined)
    setOver(undefined)
  }
  const isTaken = () => dragged === undefined && held !== undefined && others?.accepts(held as Held) === true
  return {
    /** Of what one takes hold of. */
    grip: (index: number) => ({
      draggable: true,
      onDragStart(event: DragEvent) {
        event.stopPropagation()
        held = others?.hold(index)
        setDragged(index)
      },
      onDragEnd: end,
    }),
    /** Of the whole element. */
    target: (index: number) => ({
      onDragOver(event: DragEvent) {
        if (dragged === undefined && !isTaken()) return
        event.preventDefault()
        event.stopPropagation()
        setOver(index)
      },
      onDragLeave: () => setOver(undefined),
      onDrop(event: DragEvent) {
        if (dragged === undefined && !isTaken()) return
        event.stopPropagation()
        if (dragged === undefined) others?.take(held as Held, index)
        else if (dragged !== index) move(dragged, index)
        end()
      },
    }),
    classOf(index: number): string {
      if (dragged === index) return ' dragged'
      if (over !== index) return ''
      return dragged !== undefined && dragged < index ? ' over behind' : ' over'
    },
  }
}
