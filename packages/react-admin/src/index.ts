export { type OfferQuestion, reactAdminAccess } from './access.ts'
export { type ReactAdminLive, type RealtimeEvent, reactAdminLive } from './live.ts'
export {
  type ActParams,
  ReactAdminError,
  type ReactAdminOptions,
  type ReactAdminProvider,
  reactAdminProvider,
  type TrashParams,
} from './provider.ts'
