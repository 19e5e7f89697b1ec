import { museum } from '../contract/models/museum.ts'
import { furnishMuseum } from './furnish-museum.ts'
import type { FuzzSubject } from './fuzz-service.ts'
import { museumCallers } from './museum-callers.ts'

export const museumSubject: FuzzSubject = { resources: museum, callers: museumCallers, furnish: furnishMuseum }
