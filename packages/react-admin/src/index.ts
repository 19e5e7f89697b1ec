export { type OfferQuestion, reactAdminAccess } from './access.ts'
export {
  type ActParams,
  ReactAdminError,
  type ReactAdminOptions,
  type ReactAdminProvider,
  reactAdminProvider,
  type TrashParams,
} from './provider.ts'
