import { cap } from '../peers/cap.ts'
import { platformatic } from '../peers/platformatic.ts'
import { zenstack } from '../peers/zenstack.ts'
import type { Workloads } from './requests.ts'
import { workloads } from './workloads.ts'

const ownWords: Readonly<Record<string, Workloads>> = { platformatic, zenstack, cap }

/** How a side or a peer is asked. */
export function workloadsOf(name: string): Workloads {
  return ownWords[name] ?? workloads
}
