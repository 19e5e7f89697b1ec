// What the plugin needs besides, and users do not.
export { invalid, shortened } from './errors.ts'
