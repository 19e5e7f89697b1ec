import { type DragEvent, useState } from 'react'

/** Elements that take the place of the one they are dropped on. */
export function useDragOrder(move: (from: number, to: number) => void) {
  const [dragged, setDragged] = useState<number>()
  const [over, setOver] = useState<number>()
  const end = () => {
    setDragged(undefined)
    setOver(undefined)
  }
  return {
    /** Of what one takes hold of. */
    grip: (index: number) => ({ draggable: true, onDragStart: () => setDragged(index), onDragEnd: end }),
    /** Of the whole element. */
    target: (index: number) => ({
      onDragOver(event: DragEvent) {
        if (dragged === undefined) return
        event.preventDefault()
        event.stopPropagation()
        setOver(index)
      },
      onDrop(event: DragEvent) {
        event.stopPropagation()
        if (dragged !== undefined && dragged !== index) move(dragged, index)
        end()
      },
    }),
    classOf(index: number): string {
      if (dragged === index) return ' dragged'
      if (dragged === undefined || over !== index) return ''
      return dragged < index ? ' over behind' : ' over'
    },
  }
}
