export { refineAccess } from './access.ts'
export { refineLive } from './live.ts'
export { RefineError, type RefineOptions, type RefineProvider, refineProvider } from './provider.ts'
