export { refineAccess } from './access.ts'
export { RefineError, type RefineOptions, type RefineProvider, refineProvider } from './provider.ts'
